"""With the offline features nothing leaves the machine: every command runs with the network taken away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Connecting and looking up names both fail, also for libraries that bind these functions when they are imported.
NO_NETWORK = """
import socket, sys
def refused(*arguments, **options):
    print("NETWORK", arguments, file=sys.stderr)
    raise OSError("no network in this test")
class Shut(socket.socket):
    connect = connect_ex = sendto = sendmsg = refused
socket.socket = Shut
socket.getaddrinfo = socket.gethostbyname = socket.create_connection = refused
from dxmatch.cli.main import main
sys.argv[0] = "dxmatch"
main()
"""


def offline(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    run = subprocess.run(
        [sys.executable, "-c", NO_NETWORK, *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert "NETWORK" not in run.stderr
    return run


@pytest.mark.slow
def test_every_command_of_the_demo(tmp_path: Path) -> None:
    run = offline("demo", "--output", "out", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert (tmp_path / "out" / "report.html").is_file()


@pytest.mark.parametrize(
    "arguments",
    [
        # the picks of the default set find their candidates by an encoder of the hub
        ("votes", "ask", "{pairs}", "--dry-run", "--only", "vote_phi4", "--only", "vote_qwen25_7b"),
        ("votes", "export", "{pairs}", "-o", "batches", "--only", "vote_phi4"),
        ("votes", "import", "{pairs}", "--verdict", "label_expert_1", "--model", "an expert"),
    ],
)
def test_what_is_about_votes_but_asks_nothing(tmp_path: Path, example: Path, arguments: tuple[str, ...]) -> None:
    run = offline(*(a.format(pairs=example / "pairs.csv") for a in arguments), cwd=tmp_path)
    assert run.returncode == 0, run.stderr
