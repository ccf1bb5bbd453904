"""Scores -> a report: values with intervals, who leads, differences, subgroups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...pages.rows import Row
from ..match.matches import Matches
from ..match.pairs import MOST_IN_TURN
from ..read.findings import Finding, by_weight
from ..score.scores import FamilyScores, tested_pairs
from ..statistics.estimates import Estimate, difference_rows, estimates, rows_of
from ..statistics.prompts import Models, findings_of_prompts, named_models, prompt_tables, scores_of_models, several
from ..statistics.subgroups import Groups, findings_of_groups, subgroup_differences, subgroup_rows
from .board import Wish, leaderboard
from .document import Part
from .raters import Raters
from .report import Report
from .results import Family, GroupRows, Setup


def summarise(
    families: Sequence[FamilyScores],
    cases: Sequence[str],
    raters: Raters,
    setup: Setup,
    headline: Sequence[Wish],
    *,
    by: Groups,
    clusters: Sequence[str] = (),
    absent: NDArray[np.bool_] | None,
    left_out: Mapping[str, str] = {},
    findings: Sequence[Finding],
    evidence: Matches | None = None,
    parts: Sequence[Part] = (),
    most: int = 5,
) -> Report:
    """Makes the report of what families of metrics gave.

    headline : the metrics of the leaderboard, `most` of them at most, as far as they are there. by : columns of the cases, for subgroups.
    clusters : what each case is drawn with; each alone by default.
    absent : bool [n, r], lists that are not there and count as nothing. parts : further parts of the page.
    """
    resampling, drawn = setup.resampling, clusters or cases
    scores = [score for family in families for score in family.scores]
    tables = [score for family in families for part in family.parts.values() for score in part]
    kept = raters.compared is not None or len(raters.names) <= MOST_IN_TURN
    found = {id(one.score): one for one in estimates([*scores, *tables], drawn, resampling, kept=kept)}
    prompts = several(raters.names)
    model_of = {rater: model for model, of in prompts.items() for own in of.values() for rater in own}
    of_models = [[one for model in prompts for one in scores_of_models(f.scores, prompts, [model])] for f in families]
    models = [estimates(some, drawn, resampling) for some in of_models]
    groups = subgroup_rows(scores, by, drawn, resampling)
    model_groups = [row for row in groups if row["algorithm"] not in model_of]
    model_groups += subgroup_rows(list(chain.from_iterable(of_models)), by, drawn, resampling)
    made = [_family(family, found, own, groups, prompts, setup) for family, own in zip(families, models, strict=True)]

    names, algorithms = (
        list(dict.fromkeys(model_of.get(rater, rater) for rater in some)) for some in (raters.names, raters.algorithms)
    )
    groups_of_models = {model_of.get(rater, rater): group for rater, group in raters.groups.items()}
    raters = replace(raters, groups=dict(raters.groups) | groups_of_models)
    rows = [row for family in made for row in family.model_rows]
    board = leaderboard(rows, headline, setup.ks, algorithms, names, most)

    # differences between single variants of a model answer no question that was asked
    singles = [rater for rater in board.algorithms if rater in raters.names]
    pairs, untested = tested_pairs(singles, raters.compared)
    compared = list(dict.fromkeys(chain.from_iterable(pairs)))
    tested = [*scores, *(s for f in families for name in f.tested for s in f.parts[name])]
    variants = named_models(raters.compared or [], raters.names)
    if variants:
        tested, scores = (scores_of_models(some, variants, compared) for some in (tested, scores))
    gone: dict[str, NDArray[np.bool_]] = {}
    if absent is not None and absent.any():
        gone = {name: _without_list(absent, variants.get(name, {"": [name]}), raters.names) for name in compared}
    differences = difference_rows(tested, pairs, drawn, resampling, gone, found if kept and not variants else None)
    return Report(
        setup=setup,
        cases=list(cases),
        raters=raters,
        families=made,
        board=board.with_differences(differences),
        findings=by_weight([
            *findings, *(one for family in families for one in family.findings), *findings_of_groups(by),
            *findings_of_prompts(raters.names, raters.compared is not None),
        ]),
        left_out={**left_out, **untested},
        difference_rows=differences,
        groups=GroupRows(groups, model_groups, subgroup_differences(scores, by, raters.compared or [], drawn, resampling, gone)),
        evidence=evidence,
        parts=parts,
    )  # fmt: skip


def _family(
    family: FamilyScores,
    found: Mapping[int, Estimate],
    models: Sequence[Estimate],
    groups: Sequence[Row],
    prompts: Models,
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
    variants = {rater for of in prompts.values() for own in of.values() for rater in own}
    parts = {
        name: family.shown.get(name, list)(rows_of([found[id(score)] for score in scores], level))
        for name, scores in family.parts.items()
    }
    told = rows or [row for part in parts.values() for row in part]
    return Family(
        family.name, family.title, rows, [*model_rows, *(row for row in rows if row["algorithm"] not in variants)],
        parts | family.tables | of_prompts, family.per_case, family.sentences(told),
    )  # fmt: skip


def _without_list(
    absent: NDArray[np.bool_], prompts: Mapping[str, Sequence[str]], raters: Sequence[str]
) -> NDArray[np.bool_]:
    """The cases in which a prompt has no list of any repeat."""
    places = [[raters.index(rater) for rater in own] for own in prompts.values()]
    return np.any([absent[:, own].all(1) for own in places], 0)
