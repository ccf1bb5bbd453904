"""H-DDx: the printed cases, what the names that it prints are mapped to, and the places of its models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import dxmatch
from dxmatch.evaluation.families.hierarchical import rank_shift_rows
from dxmatch.metrics import hdf1

from .figure import Figure, many
from .printed_tables import FOLDER, rows_of

PAPER = "H-DDx"
_ALMOST = "both figures of case 3 come out where J01.9 is read as its only leaf, J01.90, or the reference has one node more (14)"

_DIGITS = 0.00005
_JUDGED = (
    "the paper asks a language model, which does not take a rib fracture for a spontaneous one; M's default policy counts an answer "
    "that is wider than the right one"
)
_TIE = "Claude-Haiku-3.5 and Qwen3-32B have the same top-5 (0.7630), and so the same place here"
_OTHER_PIPELINE = (
    "the paper's codes come from its own pipeline (text-embedding-3-large and GPT-4o) or from clinicians; ours here from the "
    "shipped encoder alone, without a language model"
)


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : not read; the paper publishes no files of its own."""
    yield from _of_cases()
    yield from _rank_changes()
    yield from _of_names()


def _of_cases() -> Iterator[Figure]:
    """Every list is evaluated as a user's own: the differential set is the reference, beside it the final diagnosis."""
    report = dxmatch.evaluate(
        FOLDER / "h_ddx_lists.csv",
        metrics=["hierarchical", "ranking"],
        missing="own",
        k={"hierarchical": 5},
        bootstrap=0,
    )
    ours = {(row["algorithm"], row["name"]): row["value"] for row in report.rows}
    for row in rows_of("h_ddx_cases"):
        case, model = f"case {row['case_id']}", row["model"]
        yield Figure(
            PAPER, "Tables 3, 8", f"{case}, {model}: top-5", float(row["top_5"]), ours[model, "Acc(M)@5"], 0, _JUDGED
        )
        why = _ALMOST if row["case_id"] == "3" else ""
        yield Figure(
            PAPER, "Tables 3, 8", f"{case}, {model}: HDF1", float(row["hdf1"]), ours[model, "HDF1@5"], _DIGITS, why
        )
        if why:
            said = _codes(row["case_id"], model)
            true = ["J01.90" if code == "J01.9" else code for code in _codes(row["case_id"], "")]
            read = ["J01.90" if code == "J01.9" else code for code in said]
            yield Figure(
                PAPER,
                "Tables 3, 8",
                f"{case}, {model}: HDF1, J01.90 for J01.9",
                float(row["hdf1"]),
                hdf1([true], [read]),
                _DIGITS,
            )


def _codes(case: str, rater: str) -> list[str]:
    role = "algorithm" if rater else "reference"
    rows = rows_of("h_ddx_lists")
    return [row["icd10"] for row in rows if (row["case_id"], row["rater"], row["role"]) == (case, rater, role)]


def _rank_changes() -> Iterator[Figure]:
    printed = rows_of("h_ddx_models")
    names = [row["model"] for row in printed]
    top_5, f1 = (np.array([float(row[name]) for row in printed]) for name in ("top_5", "hdf1"))
    ours = {row["algorithm"]: row["shift"] for row in rank_shift_rows(names, {"M": top_5}, f1, 5)}
    changes = [(float(row["rank_change"]), float(ours[row["model"]])) for row in printed]
    yield many(PAPER, "Table 2", "change of rank from top-5 to HDF1", changes, 0, _TIE)


def _of_names() -> Iterator[Figure]:
    printed = {row["diagnosis"]: row["icd10"] for row in rows_of("h_ddx_names")}
    table = dxmatch.icd([*printed])
    codes = dict(zip(table["diagnosis"], table["icd10"], strict=True))
    same = sum(codes[name] == code for name, code in printed.items())
    category = sum((codes[name] or "")[:3] == code[:3] for name, code in printed.items())
    for what, found in (("the printed code", same), ("its first three characters", category)):
        yield Figure(PAPER, "Tables 3, 5, 8", f"names that map to {what}", len(printed), found, 0, _OTHER_PIPELINE)
