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
    from . import leaderboard, panels, speed  # noqa: F401 (they fill the table)
    from .report import ENTRIES, FLOOR, short_failures, show

    if chosen.list:
        print(
            f"in the table: {', '.join(ENTRIES)}\nby name only: accuracy, head-to-head, link, link-indexes, link-peers, peers"
        )
        return 0
    if unknown := set(chosen.names) - {
        *ENTRIES,
        "accuracy",
        "head-to-head",
        "link",
        "link-indexes",
        "link-peers",
        "peers",
    }:
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
    if "accuracy" in chosen.names:
        from .accuracy import main as accuracy

        accuracy()
    if "head-to-head" in chosen.names:
        from .head_to_head import main as head_to_head

        head_to_head()
    if "peers" in chosen.names:
        from .peers import main as peers

        peers()
    if "link" in chosen.names:
        from .linking import main as link

        link(chosen.a, chosen.b, chosen.sample, OUT / "link.json")
    if "link-indexes" in chosen.names:
        from .linking import indexes

        indexes(chosen.b, chosen.sample)
    if "link-peers" in chosen.names:
        from .link_peers import main as link_peers

        link_peers(min(chosen.a, 3_000))
    if chosen.short and (below := short_failures(rows)):
        print(f"Below {FLOOR:.2f} of their mark:", *below, sep="\n  ")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these; see --list")
    parser.add_argument("--list", action="store_true", help="the names there are")
    parser.add_argument("--short", action="store_true", help="small inputs; fails where a ratio to a peer is below a third of its mark")  # fmt: skip
    parser.add_argument("--json", type=Path, default=OUT / "bench.json", metavar="PATH", help="%(default)s")
    parser.add_argument("--beside", type=Path, metavar="PATH", help="another checkout of dxmatch, measured in turns with this one")  # fmt: skip
    parser.add_argument("--pairs", type=int, default=10_000_000, help="with --beside: pairs of the job, over 50,000 names; %(default)s")  # fmt: skip
    parser.add_argument("--runs", type=int, default=3, help="with --beside: of each side, in turns, after one that is not counted; 0 counts that one; %(default)s")  # fmt: skip
    parser.add_argument("--a", type=int, default=10_000, help="link: names of the first list; %(default)s")
    parser.add_argument("--b", type=int, default=10_000, help="link, link-indexes: names of the second; %(default)s")
    parser.add_argument("--sample", type=int, default=100, help="link, link-indexes: names that are held against all of the second list; %(default)s")  # fmt: skip
    return parser


if __name__ == "__main__":
    sys.exit(main())
