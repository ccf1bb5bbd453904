"""Scores -> a report: values with intervals, who leads, differences, subgroups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..match.matches import Matches
from ..read.findings import Finding, by_weight
from ..score.scores import FamilyScores, Score
from ..statistics.differences import Pair, difference_rows
from ..statistics.estimates import Estimate, estimates, rows_of
from ..statistics.prompts import (
    findings_of_prompts,
    named_models,
    pairs_of_models,
    prompt_tables,
    scores_of_models,
    several,
)
from ..statistics.subgroups import Groups, findings_of_groups, subgroup_differences, subgroup_rows
from .board import Wish, leaderboard
from .document import Part
from .raters import Raters
from .report import Report
from .results import Family, Setup, Subgroups


def summarise(
    families: Sequence[FamilyScores],
    cases: Sequence[str],
    raters: Raters,
    setup: Setup,
    headline: Sequence[Wish],
    *,
    by: Groups | None = None,
    absent: NDArray[np.bool_] | None = None,
    left_out: Mapping[str, str] | None = None,
    findings: Sequence[Finding] = (),
    evidence: Matches | None = None,
    parts: Sequence[Part] = (),
    most: int = 5,
) -> Report:
    """Makes the report of what families of metrics gave.

    headline : the metrics of the leaderboard, `most` of them at most, as far as they are there. by : columns of the cases, for subgroups.
    absent : bool [n, r], lists that are not there and count as nothing. parts : further parts of the page.
    """
    resampling, by = setup.resampling, by or {}
    scores = [score for family in families for score in family.scores]
    tables = [score for family in families for part in family.parts.values() for score in part]
    found = {id(one.score): one for one in estimates([*scores, *tables], cases, resampling)}
    prompts = several(raters.names)
    of_models = [[one for model in prompts for one in scores_of_models(f.scores, prompts, [model])] for f in families]
    models = [estimates(some, cases, resampling) for some in of_models]
    groups = subgroup_rows(scores, by, cases, resampling)
    model_groups = [row for row in groups if _model(row["algorithm"], prompts) == row["algorithm"]]
    model_groups += subgroup_rows(list(chain.from_iterable(of_models)), by, cases, resampling)
    made = [_family(family, found, own, groups, prompts, setup) for family, own in zip(families, models, strict=True)]

    names = list(dict.fromkeys(_model(rater, prompts) for rater in raters.names))
    algorithms = list(dict.fromkeys(_model(rater, prompts) for rater in raters.algorithms))
    raters = replace(raters, groups=dict(raters.groups) | _groups_of_models(raters, prompts))
    rows = [row for family in made for row in family.model_rows]
    board = leaderboard(rows, headline, setup.ks, algorithms, names, most)

    pairs = raters.compared or pairs_of_models(
        [rater for rater in (*board.algorithms, *board.others) if rater in raters.names]
    )
    compared = list(dict.fromkeys(chain.from_iterable(pairs))) if pairs is not None else list(board.algorithms)
    tested = [*scores, *(s for f in families for name in f.tested for s in f.parts[name])]
    differences, groups_of_pairs, of_tests = _differences(
        tested, scores, found, compared, pairs, cases, raters, setup, by, absent
    )
    return Report(
        setup=setup,
        cases=list(cases),
        raters=raters,
        families=made,
        board=board.with_differences(differences),
        findings=by_weight([
            *findings, *(one for family in families for one in family.findings), *findings_of_groups(by),
            *findings_of_prompts(raters.names, raters.compared is not None), *of_tests,
        ]),
        left_out=dict(left_out or {}),
        difference_rows=differences,
        by_group=Subgroups(groups, model_groups, groups_of_pairs),
        evidence=evidence,
        parts=parts,
    )  # fmt: skip


def _model(rater: str, prompts: Mapping[str, Mapping[str, Sequence[str]]]) -> str:
    """The model of a rater, where that came under several prompts; else the rater."""
    return next((model for model, of in prompts.items() if any(rater in own for own in of.values())), rater)


def _groups_of_models(raters: Raters, prompts: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, str]:
    """The groups of those models whose raters are all of one."""
    of = {model: {raters.groups.get(one) for own in by.values() for one in own} for model, by in prompts.items()}
    return {model: group for model, groups in of.items() if len(groups) == 1 for group in groups if group is not None}


def _family(
    family: FamilyScores,
    found: Mapping[int, Estimate],
    models: Sequence[Estimate],
    groups: Sequence[Row],
    prompts: Mapping[str, Mapping[str, Sequence[str]]],
    setup: Setup,
) -> Family:
    level = setup.resampling.level
    rows = rows_of([found[id(score)] for score in family.scores], level)
    names = {row["name"] for row in rows}
    of_prompts = prompt_tables([*rows, *(row for row in groups if row["name"] in names)], prompts)
    deviations = {(row["algorithm"], row["name"]): row for row in of_prompts.get("prompts", []) if row["by"] is None}
    spread = ("n_prompts", "sd_prompts", "sd_repeats")
    model_rows = [
        row | {part: deviations[row["algorithm"], row["name"]][part] for part in spread}
        for row in rows_of(models, level)
    ]
    parts = {
        name: family.shown.get(name, list)(rows_of([found[id(score)] for score in scores], level))
        for name, scores in family.parts.items()
    }
    told = rows or [row for part in parts.values() for row in part]
    return Family(
        family.name, family.title, rows, [*model_rows, *(row for row in rows if _model(row["algorithm"], prompts) == row["algorithm"])],
        parts | family.tables | of_prompts, family.per_case, family.sentences(told), family.findings,
    )  # fmt: skip


def _differences(
    tested: Sequence[Score],
    scores: Sequence[Score],
    found: Mapping[int, Estimate],
    compared: Sequence[str],
    pairs: Sequence[Pair] | None,
    cases: Sequence[str],
    raters: Raters,
    setup: Setup,
    by: Groups,
    absent: NDArray[np.bool_] | None,
) -> tuple[list[Row], list[Row], list[Finding]]:
    """Those of all cases and of subgroups, and how they were tested; models by their means over prompts that all came under."""
    models, of_models = named_models(raters.compared or [], raters.names)
    known: list[Estimate] | None = list(found.values())
    if models:
        known = None
        tested, scores = (scores_of_models(some, models, compared) for some in (tested, scores))
    gone = None
    if absent is not None and absent.any() and compared:
        gone = np.stack([_without_list(absent, models.get(name, {"": [name]}), raters.names) for name in compared], 1)
    rows, of_tests = difference_rows(tested, compared, cases, setup.resampling, gone, pairs, known)
    none = np.zeros((len(cases), len(compared)), bool) if gone is None else gone
    of_groups = subgroup_differences(scores, by, raters.compared or [], cases, setup.resampling, none)
    return rows, of_groups, [*of_models, *of_tests]


def _without_list(
    absent: NDArray[np.bool_], prompts: Mapping[str, Sequence[str]], raters: Sequence[str]
) -> NDArray[np.bool_]:
    """The cases in which a prompt has no list of any repeat."""
    places = [[raters.index(rater) for rater in own] for own in prompts.values()]
    return np.any([absent[:, own].all(1) for own in places], 0)
