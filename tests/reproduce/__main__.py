"""The papers' printed figures beside ours: `make reproduce DATA=FOLDER`, or `python -m tests.reproduce [FOLDER]`.

FOLDER may hold what the papers' authors published, in any order of folders below it: Kernel29's table with scores, DiReCT's graphs
and notes, ClinBench-HPB's cases and questions. Without it, and for what it does not hold, the printed inputs of the papers are used,
and made data in the same forms (`made/`). It ends with 1 where a figure differs and nothing explains it, and where an explained one is not what its explanation states.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import clinbench_hpb, direct, from_data, h_ddx, how_to_evaluate, kernel29
from .figure import DIFFERENT, show

PAPERS = {
    "h-ddx": h_ddx, "how-to-evaluate": how_to_evaluate, "kernel29": kernel29, "clinbench-hpb": clinbench_hpb, "direct": direct,
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.reproduce", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("folder", nargs="?", type=Path, help="the authors' published files")
    chosen = parser.parse_args(arguments)
    if chosen.folder is not None and not chosen.folder.is_dir():
        print(f"{chosen.folder} is no folder", file=sys.stderr)
        return 2
    printed = [one for paper in PAPERS.values() for one in paper.figures(chosen.folder)]
    made = [one for paper in PAPERS.values() for one in from_data.figures(paper.PAPER)]
    show(printed, "Figures of the papers")
    show(made, "Figures by hand, from made data through the commands")
    return int(any(one.verdict == DIFFERENT for one in (*printed, *made)))


if __name__ == "__main__":
    sys.exit(main())
