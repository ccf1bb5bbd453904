"""The benchmarks: `make bench`, or `python -m tests.bench [NAME …]`.

Without a name: the table of speed, on inputs that the benchmarks make themselves; everything in it is measured in this one run.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

OUT = Path("out/bench")


def main(arguments: list[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    from . import accuracy, cases, evaluations, lists, speed  # noqa: F401
    from .report import ENTRIES, show

    by_name = {
        "accuracy": accuracy.main,
        "cases": lambda: cases.main(chosen.a, chosen.models),
        "dedupe": lambda: lists.dedupe(chosen.a, OUT / "dedupe.json"),
        "head-to-head": lambda: accuracy.main(silver=False),
        "link": lambda: lists.link(chosen.a, chosen.b, chosen.sample, OUT / "link.json"),
        "link-peers": lambda: lists.peers(min(chosen.a, 3_000)),
    }
    if chosen.list:
        print(f"in the table: {', '.join(ENTRIES)}\nby name only: {', '.join(by_name)}")
        return 0
    if unknown := set(chosen.names) - {*ENTRIES, *by_name}:
        print(f"no benchmark {', '.join(sorted(unknown))}; see --list", file=sys.stderr)
        return 2
    if chosen.beside is not None:
        from .beside import beside

        show(beside(chosen.beside, chosen.pairs, chosen.runs), chosen.json)
        return 0
    rows = []
    for name in (name for name in ENTRIES if name in (chosen.names or ENTRIES)):
        print(f"== {ENTRIES[name].name}", flush=True)
        try:
            rows.append(ENTRIES[name].row(short=chosen.short))
        except ModuleNotFoundError as error:
            print(f"   left out: {error.name} is not installed (extra 'bench')", flush=True)
    if rows:
        show(rows, chosen.json)
    for name in (name for name in by_name if name in chosen.names):
        by_name[name]()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; see --list")
    parser.add_argument("--list", action="store_true", help="the names there are")
    parser.add_argument("--short", action="store_true", help="inputs so small that the figures say nothing: does each run?")  # fmt: skip
    parser.add_argument("--json", type=Path, default=OUT / "bench.json", metavar="PATH", help="%(default)s")
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout of dxmatch, measured in turns with this one")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=10_000_000, help="with --beside: pairs of the job, over 50,000 names; %(default)s")  # fmt: skip
    parser.add_argument("--runs", type=int, default=3, help="with --beside: of each side, in turns, after one that is not counted; 0 counts that one; %(default)s")  # fmt: skip
    parser.add_argument("--a", type=int, default=10_000, help="link: names of the first list; dedupe: names; cases: cases; %(default)s")  # fmt: skip
    parser.add_argument("--models", type=int, default=2, help="cases: whose lists are evaluated; %(default)s")
    parser.add_argument("--b", type=int, default=10_000, help="link: names of the second; %(default)s")
    parser.add_argument("--sample", type=int, default=100, help="link: names that are held against all of the second list; %(default)s")  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
