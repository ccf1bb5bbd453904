"""Jobs that are killed at random moments while parts are written: what the next run makes is that of an undisturbed run.

`python -m tests.fuzz kills --number 20`: KILL and TERM in turns, to a file and to a folder. One time in
three a byte of a waiting part is flipped, which must be noticed; one time in four the input is changed, which must be refused.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import pyarrow.parquet as pq

from ..jobs.conftest import _KINDS, make_model, random_pairs

BATCH = 4
ROWS, CHUNK = 60_000, 500
LONGEST_WAIT_S = 120


def run(number: int, seed: int) -> list[str]:
    found: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, source = make_model(folder / "cheap", _KINDS), folder / "pairs.parquet"
        pq.write_table(random_pairs(ROWS, seed=seed), source, row_group_size=7000, write_page_checksum=True)
        expected = {}
        for output in ("whole.parquet", "whole"):
            done = subprocess.run(_command(source, folder / output, model), capture_output=True, text=True, check=False)
            if done.returncode:
                return [f"an undisturbed run failed: {done.stderr}"]
            expected[output.replace("whole", "o")] = _content(folder / output)
        for i in range(number):
            one = random.Random(f"{seed} {i}")
            output, how = folder / ("o.parquet", "o")[i % 2], (signal.SIGKILL, signal.SIGTERM)[i // 2 % 2]
            flip, change, said = i % 3 == 0, i % 4 == 1, []
            said += _killed_and_resumed(source, output, model, how, one, flip, change)
            if _content(output) != expected[output.name]:
                said.append("the result has other bytes than that of an undisturbed run")
            left = {path.name for path in folder.iterdir()} - {"cheap", "pairs.parquet", "whole", "whole.parquet", "whole.sha256"}  # fmt: skip
            if left - {output.name, f"{output.name}.sha256"}:
                said.append(f"left over: {sorted(left)}")
            found += [f"{one_}\n{how.name}, {output.name}, {flip=}, {seed=}, kill {i}" for one_ in said]
            subprocess.run(["rm", "-rf", *(folder / name for name in left)], check=True)
    return found


def _killed_and_resumed(
    source: Path, output: Path, model: Path, how: signal.Signals, one: random.Random, flip: bool, change: bool
) -> list[str]:
    """Kills a run when some of its parts are there, tries it with changed input, damages a part, and lets it end."""
    parts, said = output.with_name(f"{output.name}.parts"), []
    wanted, delay = one.randrange(1, ROWS // CHUNK * 2 // 3), one.random() * 0.05
    running = subprocess.Popen(_command(source, output, model), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + LONGEST_WAIT_S
    while running.poll() is None and len(list(parts.glob("part-*"))) < wanted and time.monotonic() < until:
        time.sleep(0.002)
    time.sleep(delay)
    running.send_signal(how)
    running.wait()
    waiting = sorted(parts.glob("part-*"))
    if not waiting:
        return ["no part was waiting when it was killed"]
    if change:
        status = source.stat()
        os.utime(source, ns=(status.st_mtime_ns, status.st_mtime_ns + 1))
        refused = subprocess.run(_command(source, output, model), capture_output=True, text=True, check=False)
        if refused.returncode != 1 or "finished chunks of another job: another input" not in refused.stderr:
            said.append(f"changed input was not refused: {refused.returncode} {refused.stderr[-300:]}")
        os.utime(source, ns=(status.st_mtime_ns, status.st_mtime_ns))
    if flip:
        path = one.choice(waiting)
        content = bytearray(path.read_bytes())
        content[one.randrange(len(content))] ^= 1 << one.randrange(8)
        path.write_bytes(content)
    done = subprocess.run(_command(source, output, model), capture_output=True, text=True, check=False)
    there = f"{len(waiting) - flip:,} of {ROWS // CHUNK:,} chunks were there already"
    if done.returncode or there not in done.stdout:
        said.append(f"it did not go on with what was there ({there}): {done.returncode} {done.stdout[:200]} {done.stderr[-300:]}")  # fmt: skip
    return said


def _command(source: Path, output: Path, model: Path) -> list[str | Path]:
    options = ["--matcher", model, "--chunk-rows", str(CHUNK), "--workers", "2"]
    return [sys.executable, "-m", "dxmatch.cli", "score", source, "-o", output, *options]


def _content(output: Path) -> Mapping[str, bytes]:
    if output.is_dir():
        return {path.name: path.read_bytes() for path in output.iterdir()}
    return {"": output.read_bytes()} if output.exists() else {}
