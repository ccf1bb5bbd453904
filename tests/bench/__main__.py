"""All benchmarks in one run: `make bench`, or `python -m tests.bench [NAME …]`."""

from __future__ import annotations

import importlib
import sys
import time

BENCHMARKS = ("linguistic", "encoder", "icd", "relative", "hierarchical", "accuracy", "suggest", "votes")


def main() -> None:
    chosen = sys.argv[1:] or BENCHMARKS
    unknown = set(chosen) - set(BENCHMARKS)
    if unknown:
        raise SystemExit(f"no benchmark {', '.join(sorted(unknown))}; there are: {', '.join(BENCHMARKS)}")
    for name in chosen:
        print(f"\n== {name}", flush=True)
        start = time.perf_counter()
        importlib.import_module(f"{__package__}.bench_{name}").main()
        print(f"({time.perf_counter() - start:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
