"""The result of an audit: tables, words, files."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DxmatchError
from ..files.atomic import make_folder, whole_file
from ..pages.rows import json_rows, plain_number

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
PAGE, NUMBERS = "audit.html", "audit.json"


@dataclass(frozen=True)
class Audit:
    """What `audit` returns. A table is None where it could not be made; `left_out` says why. What is undefined is null.

    Log-odds are M's raw ones, before calibration. What rests on the trees looks only at pairs that differ after
    normalisation: the others match without them.

    features : feature, family, label (what it says), known (share of the pairs), strength (mean |contribution|), share (of all strengths),
        same_as (a group of features that say nearly the same, each two of |rho| >= 0.9).
    contributions : a row for each pair of the sample: a, b, label, match, probability, raw, base, and for each feature its
        value and its contribution (`shap_<feature>`).
    permutation : name, flipped (share of decisions that change), and with labels ap_lost, f1_lost, each with _low, _high:
        what shuffling one feature costs.
    families : the same, and `way`, for whole families of features: shuffled, unknown, and where asked for trained without.
    correlations : first, second, spearman, pearson, pairs (that know both).
    histogram : from, to, pairs, matches, others: how many pairs have which probability.
    measures : pairs ("all", "not identical"), measure, value, low, high.
    reliability : from, to, pairs, mean_probability, matches (share), low, high.
    kinds : error ("missed", "false"), kind, says, pairs, wrong, share.
    worst : error, kind, a, b, reference, probability: the surest errors of each kind.
    references : reference, pairs, matches, missed, false, wrong, share: those with most errors.
    words : the findings. notes : what the reader should know. made_with : settings and counts.
    """

    features: pa.Table
    contributions: pa.Table
    permutation: pa.Table
    families: pa.Table
    correlations: pa.Table
    histogram: pa.Table
    measures: pa.Table | None
    reliability: pa.Table | None
    kinds: pa.Table | None
    worst: pa.Table | None
    references: pa.Table | None
    words: list[list[str]]
    notes: list[str]
    left_out: dict[str, str]
    made_with: dict[str, Any]

    @property
    def tables(self) -> dict[str, pa.Table]:
        """Those that were made, by name."""
        return {name: table for name in TABLES if (table := getattr(self, name)) is not None}

    def __str__(self) -> str:
        return "\n".join(line for lines in self.words for line in lines)

    def to_dict(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "words": self.words,
            "notes": self.notes,
            "left_out": self.left_out,
            "made_with": self.made_with,
            "tables": {name: json_rows(table.to_pylist()) for name, table in self.tables.items()},
        }

    def save(self, folder: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes audit.html, audit.json and a CSV for each table, each file whole or not at all; an earlier audit gives way.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Errors: `DxmatchError` for a folder that holds something else, `MissingExtra` without the extra `explain`.
        """
        from ..files.spreadsheet import without_formulas
        from ..files.tables import write_table
        from .page import page

        target = check_folder(folder)
        numbers = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)
        written = page(self)
        make_folder(target)
        # first of all: with it, the folder is an audit that a later one may replace
        _write(target / NUMBERS, numbers)
        for name in TABLES:
            file = target / f"{name}.csv"
            if name in self.tables:
                write_table(without_formulas(self.tables[name]) if spreadsheet else self.tables[name], file)
            else:
                file.unlink(missing_ok=True)
        _write(target / PAGE, written)
        return target

    def save_charts(self, folder: str | os.PathLike[str], formats: Iterable[str] = ("png", "svg")) -> list[Path]:
        """Every chart of the page as a file of its own, in a folder that is made where it is absent.

        Errors: `OptionError` for a format that is neither "png" nor "svg", `MissingExtra` without the extra `explain`.
        """
        from ..pages.files import save_figures
        from .charts import all_figures

        return save_figures(all_figures(self), folder, formats)


TABLES = tuple(field.name for field in fields(Audit) if "Table" in str(field.type))


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Whether an audit may be written there, asked before any long work begins.

    Errors: `DxmatchError` for a file, or a folder that holds something other than an audit.
    """
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DxmatchError(f"{target} is a file; an audit needs a folder.")
    if target.is_dir() and (entries := {entry.name for entry in target.iterdir()}):
        others = entries - {PAGE, NUMBERS, *(f"{name}.csv" for name in TABLES)} if NUMBERS in entries else entries
        if others:
            raise DxmatchError(
                f"{target} holds something else ({min(others)}). Allowed: a new folder, an empty one, or an earlier audit."
            )
    return target


def _write(path: Path, text: str) -> None:
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
