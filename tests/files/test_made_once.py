"""What takes long is made by one process; a lock never outlives its holder, and where there is none the work is done all the same."""

from __future__ import annotations

import errno
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dxmatch.files.atomic import alone
from dxmatch.terms.icd.cache import Cache

KEY = {"source": "s"}
MAKE = """
import os, sys, time, warnings
import numpy as np
from dxmatch.terms.icd.cache import Cache
warnings.simplefilter("error")
def make(report):
    open(os.path.join(sys.argv[1], f"made-by-{os.getpid()}"), "w").close()
    time.sleep(0.5)
    return {"numbers": np.arange(3)}
print(Cache(sys.argv[1] + "/cache").made_once("names", {"source": "s"}, make, "numbers")["numbers"].tolist())
"""
HOLD = "import sys, time\nfrom pathlib import Path\nfrom dxmatch.files.atomic import alone\nwith alone(Path(sys.argv[1]), 'it'):\n    print('held', flush=True)\n    time.sleep(60)"


def test_of_four_processes_one_makes_it(tmp_path: Path) -> None:
    run = [sys.executable, "-c", MAKE, str(tmp_path)]
    running = [subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    ended = [one.communicate() for one in running]
    assert [out for out, _ in ended] == ["[0, 1, 2]\n"] * 4, ended
    assert len(list(tmp_path.glob("made-by-*"))) == 1


def test_a_holder_that_is_killed_holds_up_nobody(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == "held\n"
        with ThreadPoolExecutor(1) as thread:

            def wait() -> float:
                with alone(lock, "the index"):
                    return time.monotonic()

            waiting = thread.submit(wait)
            time.sleep(1.5)
            assert not waiting.done()
            killed = time.monotonic()
            holder.send_signal(signal.SIGKILL)
            assert 0 < waiting.result() - killed < 5
    assert lock.exists()


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl", reason="Windows locks in another way")

    def refused(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(fcntl, "flock", refused)
    with pytest.warns(RuntimeWarning, match="No lock can be had in .*: numbers is made here"):
        made = Cache(tmp_path).made_once("names", KEY, lambda _: {"numbers": np.arange(3)}, "numbers")
    assert made["numbers"].tolist() == [0, 1, 2]
    kept = Cache(tmp_path).load("names", KEY)
    assert kept is not None and kept["numbers"].tolist() == [0, 1, 2]
