"""`dxmatch serve`: from start to Ctrl-C, and what ends it before it begins."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx2
import pytest

from dxmatch.errors import MissingExtra


def test_from_start_to_ctrl_c(tmp_path: Path) -> None:
    """Open to the network, which is said; nothing that was typed is written anywhere but into the labels."""
    command = [sys.executable, "-m", "dxmatch.cli", "serve", "--host", "0.0.0.0", "--port", "0", "--expert", "anna"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert run.stdout is not None
        line = run.stdout.readline()
        found = re.match(r"Open (http://127\.0\.0\.1:\d+/) \(labels go to serve-labels\.csv; Ctrl-C ends it\)", line)
        assert found, (line, run.poll())
        pair = {"a": "heart attack", "b": "stemi"}
        for path, body, status in (
            ("api/match", pair, 200), ("api/match", pair | {"a": "инфаркт"}, 422), ("api/labels", pair | {"label": 1}, 200),
        ):  # fmt: skip
            assert httpx2.post(found[1] + path, json=body, timeout=60).status_code == status
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=30)
    finally:
        run.kill()
    assert run.returncode == 0 and out == "Ended; what you said is kept.\n"
    assert "warning: the host 0.0.0.0 is open to the network: everybody" in err and "without a password" in err
    assert "heart" not in err and "инфаркт" not in err and "Traceback" not in err
    assert "heart attack" in (tmp_path / "serve-labels.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--port", "{taken}"], "The option --port must be one that no other program has; 0 takes any that is free. Got {taken} instead."),
        (["--port", "70000"], "The option --port must be 0 to 65535. Got 70000 instead."),
        (["--host", "192.0.2.1"], "The option --host must be an address of this machine, as 127.0.0.1. Got '192.0.2.1' instead."),
        (["--host", "no such host"], "The option --host must be an address of this machine, as 127.0.0.1. Got 'no such host' instead."),
        (["--expert", "a b", "--port", "0"], "The option --expert must be names of letters, digits, _ and -, 40 at most. Got 'a b' instead."),
        (["--labels", "labels.xlsx", "--port", "0"], "labels are appended to text. Allowed: a .csv file."),
        (["--policy", "strickt", "--port", "0"], 'Did you mean "strict"?'),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_in_a_line(command, tmp_path, monkeypatch, options, said):
    monkeypatch.chdir(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = str(other.getsockname()[1])
        done = command("serve", *(option.format(taken=taken) for option in options))
    assert (
        done.code == (1 if "--labels" in options else 2)
        and said.format(taken=taken) in " ".join(done.err.split())
        and not list(tmp_path.iterdir())
    )


def test_without_the_extra_it_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("dxmatch.serving")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    with pytest.raises(MissingExtra, match=r"A server needs an extra .* pip install .*\[serve\]"):
        __import__("dxmatch.serving")


def test_a_misspelt_command_is_told_without_the_extra(command, monkeypatch):
    for name in [name for name in sys.modules if name.startswith(("dxmatch.serving", "dxmatch.cli.serve"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "starlette.applications", None)
    done = command("matc", "gout", "flu")
    assert done.code == 2 and 'Unknown command "matc". Did you mean "match"?' in done.err
