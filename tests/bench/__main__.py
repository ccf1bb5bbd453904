"""The benchmarks: `make bench`, or `python -m tests.bench [NAME …]`.

Without a name: the table of speed, on inputs that the benchmarks make themselves; everything in it is measured in this one run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import accuracy, asking, evaluations, lists, speed  # noqa: F401
from .measure import ENTRIES, show

BY_NAME = {
    "accuracy": lambda chosen: accuracy.main(),
    "head-to-head": lambda chosen: accuracy.main(silver=False),
    "cases": lambda chosen: evaluations.cases(chosen.a, chosen.models),
    "dedupe": lambda chosen: lists.dedupe(chosen.a),
    "link": lambda chosen: lists.link(chosen.a, chosen.b, chosen.sample),
    "link-peers": lambda chosen: lists.peers(min(chosen.a, 3_000)),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*ENTRIES, *BY_NAME, []], help=f"only these of {', '.join(ENTRIES)}; by name only: {', '.join(BY_NAME)}")  # fmt: skip
    parser.add_argument("--short", action="store_true", help="inputs so small that the figures say nothing: does each run?")  # fmt: skip
    parser.add_argument("--json", type=Path, default=Path("out/bench/bench.json"), metavar="PATH", help="%(default)s")
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout of dxmatch, measured in turns with this one")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=10_000_000, help="with --beside: pairs of the job, over 50,000 names; %(default)s")  # fmt: skip
    parser.add_argument("--runs", type=int, default=3, help="with --beside: of each side, in turns, after one that is not counted; 0 counts that one; %(default)s")  # fmt: skip
    parser.add_argument("--a", type=int, default=10_000, help="link: names of the first list; dedupe: names; cases: cases; %(default)s")  # fmt: skip
    parser.add_argument("--models", type=int, default=2, help="cases: whose lists are evaluated; %(default)s")
    parser.add_argument("--b", type=int, default=10_000, help="link: names of the second; %(default)s")
    parser.add_argument("--sample", type=int, default=100, help="link: names that are held against all of the second list; %(default)s")  # fmt: skip
    chosen = parser.parse_args()
    if chosen.beside is not None:
        show(speed.beside(chosen.beside, chosen.pairs, chosen.runs), path=chosen.json)
        return
    rows = []
    for name in (name for name in ENTRIES if name in (chosen.names or ENTRIES)):
        try:
            rows.append(ENTRIES[name](chosen.short))
        except ModuleNotFoundError as error:
            print(f"{name} left out: {error.name} is not installed (extra 'bench')", file=sys.stderr)
    if rows:
        show(rows, path=chosen.json)
    for name in (name for name in BY_NAME if name in chosen.names):
        if found := BY_NAME[name](chosen):
            show(found, name, chosen.json.with_name(f"{name}.json"))


if __name__ == "__main__":
    main()
