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


def test_a_port_that_is_taken_is_told(command, tmp_path, monkeypatch):
    """What else cannot be: tests/test_cli_calls.py."""
    monkeypatch.chdir(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = str(other.getsockname()[1])
        done = command("serve", "--port", taken)
    said = f"The option --port must be one that no other program has; 0 takes any that is free. Got {taken} instead."
    assert done.code == 2 and said in " ".join(done.err.split()) and not list(tmp_path.iterdir())


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
