"""Runs -> the rows of the report: means with deviation and interval over all notes, domains and categories; differences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..metrics import REGISTRY
from ..statistics.differences import difference_rows
from ..statistics.estimates import estimates
from ..statistics.measure import Measure
from ..statistics.section import Context, measured
from .compared import OF_DIAGNOSES, OF_PREMISES, OF_TEXTS, M, Run
from .domains import in_order

ALL, DOMAIN, CATEGORY = "all", "domain", "category"
_NOTHING = "no note has anything to divide by, or a prediction"


def measures_of(runs: Sequence[Run], missing: str) -> list[Measure]:
    """Every metric of all runs: of diagnoses, then of texts by M and by the judge, then of premises."""
    who = tuple(run.name for run in runs)
    cases = np.arange(len(runs[0].notes))
    right = [run.accuracies(missing) for run in runs]
    found = [
        Measure(metric, who, (_columns([one[metric] for one in right]),), cases, reason=_NOTHING)
        for metric in OF_DIAGNOSES
    ]
    for by in runs[0].by:
        values = [run.values(by, missing) for run in runs]
        found += [
            Measure(metric, who, (_columns([one[metric] for one in values]),), cases, of="" if by == M else by, reason=_NOTHING)
            for metric in (*OF_TEXTS, *OF_PREMISES) if metric in values[0]
        ]  # fmt: skip
    return found


def _columns(values: Sequence[Sequence[float] | NDArray[np.float64]]) -> NDArray[np.float64]:
    return np.stack([np.asarray(one, float) for one in values], 1)


def judged_by(measure: Measure) -> str:
    return "" if measure.metric in OF_DIAGNOSES else measure.of or M


def rows_of(
    measures: Sequence[Measure], notes: Sequence[str], domains: Sequence[str | None], categories: Sequence[str], context: Context
) -> list[Row]:  # fmt: skip
    """As in `Reasoning.table`: of all notes, then of each domain, then of each category."""
    groups = [(ALL, ALL, np.ones(len(notes), bool))]
    groups += [(DOMAIN, name, np.array([one == name for one in domains])) for name in in_order(domains)]
    groups += [(CATEGORY, name, np.array([one == name for one in categories])) for name in sorted(set(categories))]
    rows: list[Row] = []
    for by, group, among in groups:
        found = estimates(measures, notes, context, None if among.all() else among)
        for rater, run in enumerate(measures[0].raters):
            for one in found:
                values = one.measure.columns[0][among, rater]
                known = values[~np.isnan(values)]
                declared = REGISTRY[one.measure.metric]
                rows.append(
                    {
                        "run": run,
                        "metric": declared.symbol,
                        "judged_by": judged_by(one.measure),
                        "name": declared.printed(of=one.measure.of),
                        "by": by,
                        "group": group,
                        **_with_deviation(
                            measured(
                                float(one.value[rater]), one.repeats[:, rater], context.level, len(known), _NOTHING
                            ),
                            float(known.std()) if len(known) else None,
                        ),
                        "n_notes": len(known),
                    }
                )
    return rows


def _with_deviation(row: Row, deviation: float | None) -> Row:
    """sd after value: of the population, as the source prints it."""
    return {"value": row["value"], "sd": deviation, **{key: row[key] for key in row if key != "value"}}


def differences_of(
    measures: Sequence[Measure], runs: Sequence[Run], missing: str, context: Context
) -> tuple[list[Row], list[str]]:
    """As in `Reasoning.differences`, and how p was found. With the option "own" on the notes that both predicted."""
    notes, absent = runs[0].notes, None
    if missing == "own":
        absent = np.array([[one is None for one in run.predicted] for run in runs]).T
    found = estimates(measures, notes, context)
    rows, told = difference_rows(found, list(measures[0].raters), notes, context, absent)
    return [
        {key: row[key] for key in ("first", "second", "metric")}
        | {"judged_by": M if not row["of"] and row["metric"].startswith(("Obs", "Exp", "Prem")) else row["of"]}
        | {key: row[key] for key in ("name", "value", "low", "high", "p", "p_holm", "n_comparisons")}
        | {"n_notes": row["n_cases"], "reason": row["reason"]}
        for row in rows
    ], [line.replace("between raters", "between runs").replace("cases", "notes") for line in told]
