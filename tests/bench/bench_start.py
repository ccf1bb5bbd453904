"""What one waits for: loading the shipped model in a new process, and a single `match(a, b)` after that.

    python -m tests.bench start

Seconds of the processor for the thread that waits: the best of some processes, and the median of many matches, none of which asks
about a string again. The peer is what was asked for.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from .report import ASKED, Row, show

LOADED, MATCHED = 0.5, 1.0
"""Asked for: seconds from the first line of a new process to a loaded model, and milliseconds for a match after that."""

# Prints seconds for loading, the first match, and the median of all later ones; then MB.
IN_A_NEW_PROCESS = """
import sys, time
begin = time.thread_time()
import dxmatch
m = dxmatch.load()
loaded = time.thread_time()
m.match("heart attack", "acute myocardial infarction")
first = time.thread_time()
from tests.bench.made import make_names
from tests.bench.report import peak_memory
names = make_names(2 * int(sys.argv[1]))
each = []
for a, b in zip(names[::2], names[1::2]):
    start = time.thread_time()
    m.match(a, b)
    each.append(time.thread_time() - start)
print(loaded - begin, first - loaded, sorted(each)[len(each) // 2], peak_memory())
"""


def rows(scale: str = "full") -> Iterator[Row]:
    processes, pairs = (5, 200) if scale == "full" else (1, 40)
    command = [sys.executable, "-c", IN_A_NEW_PROCESS, str(pairs)]
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(processes)
    ]
    loaded, first, matched, memory = np.min(np.array(runs, float), axis=0).tolist()
    yield Row("shipped model loaded, imports included", "s", loaded, ASKED, LOADED, 1.0, memory)
    yield Row("first match", "s", first, memory=memory)
    yield Row("match(a, b) of two new strings", "ms", matched * 1e3, ASKED, MATCHED, 1.0, memory)


def main() -> None:
    show(rows())


if __name__ == "__main__":
    main()
