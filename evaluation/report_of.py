"""Lists and what an evaluation was asked -> every family's section, the differences between raters, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..errors import InputError
from .families.icd_lists import codes_made_with, codes_warnings
from .families.sections import Wanted, family_sections
from .judges.agreement import against_humans
from .judges.human import HumanLabels
from .judges.judged import Judgements
from .judges.section import JudgementTable, judged_section
from .lists.lists import Lists, Panel, panels
from .made_with import made_with, notes_on_lengths, question
from .matches.case_table import case_table
from .matches.direction import warnings_of_direction
from .metrics.hierarchical import opened
from .relative.section import relative_sections
from .report.one_case import CodedLists
from .report.report import Report
from .statistics.differences import difference_rows
from .statistics.leaderboard import standing
from .statistics.model_means import ModelMeans
from .statistics.results import algorithms_of
from .statistics.section import RELATIVE, Context, Section
from .statistics.subgroups import subgroup_differences, subgroup_rows, warnings_of_groups
from .statistics.variants import pairs_of_models, prompt_tables, warnings_of_variants
from .unknown_texts import notes_of, warnings_of, warnings_of_scripts


def report_of(
    read: Lists,
    context: Context,
    want: Wanted,
    judged: list[Panel],
    lacking: str | None,
    *,
    in_turn: bool,
    pairs_per_call: int,
    judgements: Judgements | None,
    labels: HumanLabels | None,
    pairs: Sequence[tuple[str, str]] | None,
    groups: Mapping[str, Sequence[str]],
    frame: Any,
) -> Report:
    """Everything that the lists allow of what is wanted.

    judged, lacking : as `relative_panels` gives them. judgements : of a language model as judge. labels : of people.
    pairs : the raters to compare; None for each two algorithms. groups : of models. frame : what makes tables of the caller's kind.

    Errors: those of the families.
    """
    models = ModelMeans.named(pairs or [], read.raters)
    sections: list[Section] = []
    left_out = {} if lacking is None else {RELATIVE: lacking}
    how = made_with(read, context, judged, in_turn) | {"groups": groups, "compared": pairs}
    if judged:
        made, counts = relative_sections(read, judged, context, pairs_per_call)
        sections += map(want.kept, made)
        how |= counts
    others, lacks = family_sections(read, context, want)
    how |= codes_made_with(context)
    if judgements is not None:
        others.append(judged_section(read, judgements, context))
    if labels is not None:
        others.append(against_humans(read, labels, judgements, context))
    matched = case_table(read, context)
    found = [*sections, *others]
    estimates = [one for section in found for one in section.estimates]
    of_subgroups = subgroup_rows(estimates, read.groups, read.cases, context)
    for section in found:
        names = {row["name"] for row in section.rows}
        section.tables |= prompt_tables(section, [row for row in of_subgroups if row["name"] in names])
    of_families = [told for section in found for told in section.warnings]
    report = Report(
        k=context.relative_k,
        hardness=context.hardness,
        question=question(read, judged, in_turn),
        cases=read.cases,
        sections=found,
        left_out=left_out | lacks,
        made_with=how,
        notes=[
            *read.notes,
            *notes_on_lengths(read, context, {section.name for section in found}),
            *notes_of(read, context.matcher),
            *(matched.notes() if matched else []),
        ],
        warnings=[
            *read.warnings,
            *warnings_of_groups(read.groups),
            *warnings_of_variants(read.raters, pairs is not None),
            *models.warnings(),
            *warnings_of_direction(read, context.matcher),
            *warnings_of(read, context.matcher),
            *warnings_of_scripts(read),
            *(matched.warnings() if matched else []),
            *codes_warnings(context),
            *of_families,
        ],
        subgroup_rows=of_subgroups,
        case_table=matched,
        judgement_table=None if judgements is None else JudgementTable(read, judgements),
        coded=_coded_lists(read, context),
        frame=frame,
    )
    # the better of two first
    compared = [rater for rater in standing(report) if rater in algorithms_of(how)]
    if pairs is not None:
        compared = list(dict.fromkeys(rater for pair in pairs for rater in pair))
    absent = models.absent(read.absent, compared)
    paired = [*estimates, *(one for section in found for one in section.estimates_of_parts)]
    estimates, paired = (models.estimates(some, compared, read.cases, context) for some in (estimates, paired))
    of_models = pairs_of_models(compared) if pairs is None else pairs
    differences, tested = difference_rows(paired, compared, read.cases, context, absent, of_models)
    of_groups = subgroup_differences(estimates, read.groups, pairs or [], read.cases, context, absent)
    notes = [*report.notes, *tested]
    return replace(report, difference_rows=differences, subgroup_difference_rows=of_groups, notes=notes)


def relative_panels(read: Lists, in_turn: bool, want: Wanted) -> tuple[list[Panel], str | None]:
    """The panels of the relative metrics, or none with what is missing.

    The lists must make panels where relative metrics are asked for by name, or where no reference leaves another answer.
    """
    if RELATIVE not in want:
        return [], None
    try:
        return panels(read, in_turn), None
    except InputError as error:
        if RELATIVE in want.explicit:
            raise
        if not any(read.reference) and (in_turn or read.roles is not None):
            raise
        if not any(read.reference):
            raise read.no_right_answers() from None
        return [], f"{error.problem}: give {error.allowed}"


def _coded_lists(read: Lists, context: Context) -> CodedLists | None:
    """What `Report.case` shows; None where no family has looked up codes."""
    found = context.made.get("icd_lists")
    if found is None:
        return None
    return CodedLists(read, found.top(context.k_of("hierarchical")), opened(context.icd_source)[0])
