"""Kernel29: the worked examples of its text, and its authors' scores where the folder has them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import dxmatch

from .figure import Figure, read_rows

PAPER = "Kernel29"
_EXACT, _BROAD, _GROUP, _WIDE, _NONE = (
    "exact synonym", "broad synonym", "exact disease group", "broad disease group", "not related",
)  # fmt: skip
_SCORES = [
    ("4.1, semantic", [_EXACT, _GROUP, _WIDE], None, 8.25),
    ("4.3, best semantic", [_BROAD, _BROAD, _GROUP, _WIDE, _WIDE], None, 6.4),
    ("4.3, worst semantic", [_NONE, _NONE, _NONE, _WIDE, _WIDE], None, 0.2),
    ("4.2, severity", ["rare", "rare", "severe"], "rare", 13.0),
    ("4.3, best severity", ["rare", "rare", "rare", "severe", "rare"], "rare", 14.4),
    ("4.3, worst severity", ["mild", "rare", "severe", "mild", "critical"], "rare", 5.67),
]
_SETTINGS = ("easy", "medium", "hard")
_AGGREGATES = {
    (1.0, -0.5, 0.25, -1.0): (-0.289, -0.490, -0.577),
    (1.0, 0.8, 0.9, -0.1): (0.537, 0.333, 0.147),
    (-0.8, -0.9, -1.0, 0.1): (-0.738, -0.753, -0.769),
}
_SLIP = "a slip in print: it weighs +0.1 by 0.450, where its formula gives 1/(1 + exp(0.1 - 0.3)) = 0.550"
_SCORE_OF = {"semantic_score": "Semantic", "severity_score": "Severity"}


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold the authors' table of relations and severities, and one of the scores of each case."""
    of = dxmatch.metrics
    for place, words, reference, printed in _SCORES:
        ours = of.semantic_score(words) if reference is None else of.severity_score(reference, words)
        yield Figure(PAPER, place, ", ".join(words), printed, ours, 0.005)
    for cases, of_settings in _AGGREGATES.items():
        for setting, printed in zip(_SETTINGS, of_settings, strict=True):
            instead, why = (-0.709, _SLIP) if printed == -0.738 else (None, "")
            ours = of.aggregated(list(cases), setting)
            # the source cuts some digits and rounds others
            yield Figure(PAPER, "Table 4", f"{setting}: {cases}", printed, ours, 0.001, instead, why)
    if folder is not None:
        yield from _of_authors(folder)


def _of_authors(folder: Path) -> Iterator[Figure]:
    """The scores of each list, in the table with the columns semantic_score and severity_score, beside those of `evaluate`."""
    tables = {path: rows for path in sorted(folder.rglob("*.csv")) if (rows := read_rows(path))}
    scores = {_list_of(row): row for rows in tables.values() if {*_SCORE_OF} <= {*rows[0]} for row in rows}
    for path, rows in tables.items():
        if not scores or not {"golden_diagnosis", "rank"} <= {*rows[0]}:
            continue
        found = dxmatch.evaluate(path, metrics=["weighted"], resampling=dxmatch.Resampling(resamples=0)).to_dict()[
            "per_case"
        ]
        raters = [*zip(found["case_id"], found["algorithm"], strict=True)]
        prompts = {row.get("prompt_name") for row in rows}
        for column, metric in _SCORE_OF.items():
            ours = dict(zip(raters, found[metric], strict=True))
            for case, model, prompt in sorted({*map(_list_of, rows)}):
                if (score := scores.get((case, model, prompt)) or scores.get((case, model, ""))) is None:
                    continue
                value = ours.get((case, f"{model} [{prompt}]" if len(prompts) > 1 else model), math.nan)
                yield Figure(PAPER, "authors' file", f"{column} of each list", float(score[column]), value, 0.005)


def _list_of(row: dict[str, str]) -> tuple[str, str, str]:
    return row["patient_id"], row.get("model_name", ""), row.get("prompt_name", "")
