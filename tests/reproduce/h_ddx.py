"""H-DDx: the printed cases, what the names that it prints are mapped to, and the places of its models."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa

import dxmatch
from dxmatch.evaluation.score.hierarchical import rank_shift_rows

from .figure import PRINTED, Figure, rows_of

PAPER = "H-DDx"
_DIGITS = 0.00005
_JUDGED = (
    "the paper asks a language model, which does not take a rib fracture for a spontaneous one; M's default policy counts an answer "
    "that is wider than the right one"
)
_TOP_5 = {("2", "MedGemma-27B"): (1, _JUDGED)}
_LEAF = "the print comes out where J01.9 is read as its only leaf, J01.90, which has one node more"
_HDF1 = {("3", "Gemma3-4B"): (0.2, _LEAF), ("3", "Claude-Sonnet-4"): (0.8, _LEAF)}
_TIE = "Claude-Haiku-3.5 and Qwen3-32B have the same top-5 (0.7630), and so the same place here"
_SHIFTS = {"Qwen3-32B": (1, _TIE)}
_OTHER_PIPELINE = (
    "the paper's codes come from its own pipeline (text-embedding-3-large and GPT-4o) or from clinicians; ours here from the "
    "shipped encoder alone, without a language model"
)
_NO_DIFFERENCE = (None, "")


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : not read; the paper publishes no files of its own."""
    yield from _of_cases()
    yield from _rank_changes()
    yield from _of_names()


def _of_cases() -> Iterator[Figure]:
    """Every list is evaluated as a user's own: the differential set is the reference, beside it the final diagnosis."""
    of_case = partial(Figure, PAPER, "Tables 3, 8")
    lists, families = PRINTED / "h_ddx_lists.csv", ["hierarchical", "ranking"]
    report = dxmatch.evaluate(
        lists,
        metrics=families,
        reading=dxmatch.Reading(missing="own"),
        k={"hierarchical": 5},
        resampling=dxmatch.Resampling(resamples=0),
    )
    ours = {(row["algorithm"], row["name"]): row["value"] for row in report.rows}
    for row in rows_of("h_ddx_cases"):
        case, model = key = row["case_id"], row["model"]
        what, top_5, hdf1 = f"case {case}, {model}", float(row["top_5"]), float(row["hdf1"])
        yield of_case(f"{what}: top-5", top_5, ours[model, "Acc(M)@5"], 0, *_TOP_5.get(key, _NO_DIFFERENCE))
        yield of_case(f"{what}: HDF1", hdf1, ours[model, "HDF1@5"], _DIGITS, *_HDF1.get(key, _NO_DIFFERENCE))
        if key in _HDF1:
            read = dxmatch.metrics.hdf1([_codes(case, "reference", "")], [_codes(case, "algorithm", model)])
            yield of_case(f"{what}: HDF1, J01.90 for J01.9", hdf1, read, _DIGITS)


def _codes(case: str, role: str, rater: str) -> list[str]:
    rows = [row for row in rows_of("h_ddx_lists") if (row["case_id"], row["role"]) == (case, role)]
    return ["J01.90" if row["icd10"] == "J01.9" else row["icd10"] for row in rows if rater in ("", row["rater"])]


def _rank_changes() -> Iterator[Figure]:
    printed = rows_of("h_ddx_models")
    names = [row["model"] for row in printed]
    top_5, f1 = (np.array([float(row[name]) for row in printed]) for name in ("top_5", "hdf1"))
    ours = {row["algorithm"]: row["shift"] for row in rank_shift_rows(names, {"M": top_5}, f1, 5)}
    of_model = partial(Figure, PAPER, "Table 2", "change of rank from top-5 to HDF1")
    for row in printed:
        change, model = float(row["rank_change"]), row["model"]
        yield of_model(change, ours[model], 0, *_SHIFTS.get(model, _NO_DIFFERENCE))


def _of_names() -> Iterator[Figure]:
    printed = {row["diagnosis"]: row["icd10"] for row in rows_of("h_ddx_names")}
    table = dxmatch.icd(pa.table({"diagnosis": [*printed]}))
    codes = {row["diagnosis"]: row["icd10"] or "" for row in table.to_pylist()}
    for what, digits, instead in (("the printed code", None, 26), ("its first three characters", 3, 39)):
        found = sum(codes[name][:digits] == code[:digits] for name, code in printed.items())
        what = f"names that map to {what}"
        yield Figure(PAPER, "Tables 3, 5, 8", what, len(printed), found, 0, instead, _OTHER_PIPELINE)
