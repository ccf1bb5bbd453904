"""What an audit found: tables and words that print and save themselves."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DxmatchError
from ..evaluation.report.document import Document
from ..pages.rows import Row, json_rows, plain_number
from .contents import answer, parts_of

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

FORMAT = 3
PAGE, NUMBERS = "audit.html", "audit.json"
TABLES = (
    "features", "contributions", "permutation", "families", "alone", "voters", "correlations", "measures", "reliability", "kinds", "worst",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class Audit:
    """What `audit` returns. Each of `tables` is an attribute, too: `audit.features`; None where it could not be made.

    `left_out` says why. What is undefined is null. Log-odds are M's raw ones, before calibration. What rests on the trees looks only
    at pairs that differ after normalisation: the others match without them.

    features : feature, family, label (what it says), known (share of the pairs), strength (mean |contribution|), share (of all strengths),
        same_as (a group of features that say nearly the same, each two of |rho| >= 0.9).
    contributions : a row for each pair of the sample: a, b, label, match, probability, raw, base, and for each feature its
        value and its contribution (`shap_<feature>`).
    permutation : name, flipped (share of decisions that change), ap_lost, f1_lost, each with _low, _high: what shuffling one feature costs.
    families : the same, and `way`, for whole families of features: shuffled, and where asked for trained without.
    alone : M and each feature as a match function by itself, on the labelled pairs that differ: feature, family, label, rule (as it is,
        from, up to), threshold, known, pairs, matches, and precision, recall, f1, accuracy, each with _low, _high.
    voters : where asked for, which n of m voters to ask: way, n, of, voters, yes (how many of them must say yes), folds (in how many the
        same were chosen), pairs, matches, the measures of `alone`, f1_same_pairs (on the pairs that chose them).
    correlations : first, second, spearman, pearson, pairs (that know both).
    measures : pairs ("all", "not identical"), measure, value, low, high.
    reliability : from, to, pairs, mean_probability, matches (share), low, high.
    kinds : error ("missed", "false"), kind (what M takes `a` to be to `b`: "same", "narrower" … as in `Relation`), pairs, wrong, share.
    worst : error, kind, a, b, reference, probability, why (as in `Relation`): the surest errors of each kind.

    made_with : settings and counts.
    """

    tables: dict[str, pa.Table]
    left_out: dict[str, str]
    made_with: dict[str, Any]

    def __getattr__(self, name: str) -> pa.Table | None:
        if name in TABLES:
            return self.tables.get(name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def rows(self, table: str) -> list[Row]:
        """Gives a table as rows; none where it could not be made."""
        return self.tables[table].to_pylist() if table in self.tables else []

    @cached_property
    def words(self) -> list[str]:
        """Says what was audited, and what M relies on most."""
        return answer(self.rows, self.made_with)

    def document(self, *, drawn: bool) -> Document:
        """Gives what a terminal, and with the charts a page, shows of it."""
        made = self.made_with
        settings = [(name.replace("_", " "), str(value)) for name, value in made.items() if value is not None]
        return Document(
            "What does the match function rely on?", f"{made['source']} · {made['pairs']:,} pairs · {made['match_function']}", [self.words],
            parts_of(self.rows, made, drawn=drawn), (), settings, list(self.left_out.items()), footer=f"Made by dxmatch {made['dxmatch']}.",
        )  # fmt: skip

    def __repr__(self) -> str:
        return "\n".join(self.words)

    def print(self, console: Console | None = None, *, full: bool = False) -> None:
        """Prints the findings and a line for each feature; `full` prints everything."""
        from ..evaluation.report.terminal import print_document

        print_document(self.document(drawn=False), console, full=full)

    def to_dict(self) -> dict[str, Any]:
        """Gives everything as plain values, for JSON."""
        tables = {name: json_rows(table.to_pylist()) for name, table in self.tables.items()}
        return {
            "format": FORMAT, "words": self.words, "left_out": self.left_out,
            "made_with": self.made_with, "tables": tables,
        }  # fmt: skip

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes audit.html, audit.json and a CSV for each table, each file whole or not at all; an earlier audit gives way.

        Raises
        ------
        DxmatchError
            For a folder that holds something else.
        """
        from ..evaluation.report.page import page
        from ..evaluation.report.report import save_text
        from ..files.atomic import make_folder
        from ..files.tables import write_table

        target = check_folder(folder)
        numbers = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)
        drawn = page(self.document(drawn=True))
        make_folder(target)
        # first of all: with it, the folder is an audit that a later one may replace
        save_text(numbers, target / NUMBERS)
        for name in TABLES:
            if name in self.tables:
                write_table(self.tables[name], target / f"{name}.csv")
            else:
                (target / f"{name}.csv").unlink(missing_ok=True)
        save_text(drawn, target / PAGE)
        return target

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Writes every chart of the page as a file of its own, in a folder that is made where it is absent.

        Raises
        ------
        OptionError
            For a format that is neither "png" nor "svg".
        """
        from ..pages.files import save_figures
        from .charts import figures

        return save_figures(figures(self.rows), folder, formats)


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Refuses a folder that an audit may not be written to, before any long work begins.

    Raises
    ------
    DxmatchError
        For a file, or a folder that holds something other than an audit.
    """
    target = Path(folder)
    taken = target.exists() and not (target.is_dir() and ((target / NUMBERS).is_file() or not any(target.iterdir())))
    if taken:
        raise DxmatchError(f"{target} holds something else. Allowed: a new folder, an empty one, or an earlier audit.")
    return target
