"""What takes long is made by one process; a lock never outlives its holder, and where there is none the work is done all the same."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from dxmatch.files.atomic import alone

HOLD = "import sys, time\nfrom pathlib import Path\nfrom dxmatch.files.atomic import alone\nwith alone(Path(sys.argv[1]), 'it'):\n    print('held', flush=True)\n    time.sleep(60)"


def test_one_at_a_time_and_a_holder_that_is_killed_holds_up_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "lock"

    def wait() -> float:
        with alone(lock, "the index"):
            return time.monotonic()

    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with ThreadPoolExecutor(1) as thread:
            waiting = thread.submit(wait)
            time.sleep(1.5)
            assert not waiting.done()
            killed = time.monotonic()
            holder.send_signal(signal.SIGKILL)
            assert 0 < waiting.result() - killed < 5


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="Windows locks in another way")

    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    warned = pytest.warns(RuntimeWarning, match="No lock can be had in .*: the index is made here")
    with warned, alone(tmp_path / "lock", "the index"):
        (tmp_path / "made").touch()
    assert (tmp_path / "made").exists()
