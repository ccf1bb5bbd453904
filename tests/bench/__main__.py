"""The benchmarks: `make bench`, or `python -m tests.bench [NAME …]`.

Without a name: the table of speed, on inputs that the benchmarks make themselves, and two pictures: how time and memory grow with
the pairs, and where the time goes. Everything is measured in this one run.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

from .collect import NAMED, TABLE, Measured, apart
from .machine import facts
from .report import FLOOR, Row, failures, show

OUT = Path("out/bench")
PICTURES = ("growth", "profile")


def main(arguments: list[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    if chosen.list:
        for title, names in (("in the table", TABLE), ("pictures", PICTURES), ("by name only", NAMED)):
            print(f"{title}: {', '.join(names)}")
        return 0
    if unknown := set(chosen.names) - {*TABLE, *NAMED, *PICTURES}:
        print(f"no benchmark {', '.join(sorted(unknown))}; see --list", file=sys.stderr)
        return 2
    at_start = facts()
    names = chosen.names or [*TABLE, *(() if chosen.short else PICTURES)]
    rows, failed = _table(
        [name for name in TABLE if name in names], "short" if chosen.short else "full", chosen.json, at_start
    )
    for name in (name for name in (*PICTURES, *NAMED) if name in names):
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"{__package__}.{name if name in PICTURES else f'bench_{name}'}").main()
    if chosen.short and (below := failures(rows)):
        print(f"Below {FLOOR:.2f} of their mark:", *below, sep="\n  ")
        return 1
    return 1 if failed else 0


def _table(names: list[str], scale: str, json_path: Path, at_start: dict) -> tuple[list[Row], bool]:
    measured: list[Measured] = []
    for name in names:
        print(f"== {name}", end=" ", flush=True)
        measured.append(apart(name, scale))
        print(f"({measured[-1].seconds:.0f} s)", flush=True)
    rows = [row for one in measured for row in one.rows]
    failed = [f"{one.name}: {one.error}" for one in measured if one.error]
    if measured:
        seconds = {one.name: round(one.seconds, 1) for one in measured}
        show(rows, json_path, {"machine": at_start, "scale": scale, "seconds": seconds, "failed": failed})
        load, cores = at_start["load_average"][0], at_start["cores"]
        print(f"{at_start['processor']}, {cores} cores, load average {load} at the start; {json_path}")
    if failed:
        print("Did not end well:", *failed, sep="\n  ")
    return rows, bool(failed)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; see --list")
    parser.add_argument("--list", action="store_true", help="the names there are")
    parser.add_argument("--short", action="store_true", help="small inputs; fails where a ratio to a peer is below a third of its mark")  # fmt: skip
    parser.add_argument("--json", type=Path, default=OUT / "bench.json", metavar="PATH", help="%(default)s")
    return parser


if __name__ == "__main__":
    sys.exit(main())
