"""What users have -> the long form (`shapes/`) -> `Lists`, with every row checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.did_you_mean import hint
from ...files.invisible import visible
from ...files.reading import Reading
from ...files.tables import check_keeps_input, check_output
from .columns import (
    Codes,
    Problems,
    blanks,
    check_named,
    check_words,
    coded,
    diagnoses,
    one_per_case,
    one_per_rater,
    optional_cells,
    ranks,
)
from .lists import ABSENT, EXPERT, FINAL, NO_DIAGNOSIS, REFERENCE, Lists
from .long import MODEL_GROUP, MORE, Long
from .no_diagnosis import NoDiagnosis, taken_as_none
from .ranking import (
    EMPTY,
    OWN,
    REFUSE,
    Rows,
    check_missing,
    check_ranks,
    lists_given,
    told_missing,
)
from .references import References, references_of
from .set_aside import pass_over, set_aside, spoilt_lists, told_broken
from .sources import long_form
from .who import who

DEPTH = 10
"""The deepest rank that a metric looks at, whatever k is."""
_SHOWN = 3
_NO_LISTS = (
    "From no answer a list could be read: the judge reads the answers as they were written, and every metric of the match function counts "
    "them as empty lists."
)
_READ_BY = {
    "icd10": ("ranking", "hierarchical", "agreement"),
    "severity": ("weighted",),
    "relation": ("weighted", "ranking"),
}


def read_lists(
    source: Any,
    references: Any = None,
    *,
    reading: Reading = Reading(),
    algorithms: str | Iterable[str] | None = None,
    by: str | Iterable[str] = (),
    k: int | None = None,
    wanted: Container[str] | None = None,
    checks: Mapping[str, Callable[[str], object]] | None = None,
    keep_answers: bool = False,
) -> Lists:
    """Reads and checks lists of diagnoses.

    Parameters
    ----------
    source : lists, in whatever shape they are kept:

        - a table in the long form: columns case_id, rater, rank and diagnosis; optionally role, reference, icd10, severity,
          relation, category, reference_icd10, reference_severity, and model_group (proprietary, open; the same in all rows of a
          rater). Names in another case, and common others (model, dx, gold, …), are known;
        - a table with a row for each case: a column for each model, or for each rank (dx1, dx2, …), or one column. A cell
          holds a list (JSON, Python, "a; b; c", numbered lines) or an answer in words. Or a row for each case and model;
        - beside the right answers, the reference, a final diagnosis: a column final (with final_icd10), or rows with the role
          final. Then the reference is the set for recall and HDF1, and top-k accuracy, MRR and nDCG mean the final one;
        - JSON, or JSON lines, with an object for each case; {case: list}; {model: {case: list}};
        - a folder or a list of files, one for each model, named as the file; one may hold the right answers alone;
        - in Python a frame, a list of dicts, a dict of columns, {model: {case: list}}, {case: list}, or lists in the order of
          `references`;
        - a file or folder in a format of others (Inspect, lm-evaluation-harness, Kernel29, …).

        What it was read as stands in `Lists.recognised`.
    references : right answers that are kept apart: {case: answer or answers}, a list in the order of the lists, or a file or
        frame with a row for each case. They go before those beside the lists. Several in one cell part as `parted` says.
    algorithms : raters that are the algorithms; all others are the panel. Goes before the column role.
    reading : how the files are read. Of `columns`, "predictions" is the columns with a list in each cell, one for each model (a list of
        names, or one text with commas); "rank" may be several, one for each rank. `separator` is asked for where a tenth of the cells hold
        commas that nothing tells. A word of `no_diagnosis` keeps its place in the list and matches nothing. With `rejects`, a bad row, and a
        line that is no JSON, spoils its list, which is then missing; of several files one that cannot be read is left out; what is wrong
        with a whole case, and a missing list that is refused, leaves out the case.
    by : columns of the case (specialty, rarity), for results by group.
    k : how many diagnoses of each list count. Faults in rows that no metric looks at then stop nothing.
    wanted : the families of metrics to come; by default all. Columns that none of them reads are not checked.
    checks : with `rejects`, column -> what raises `InputError` for a word that cannot be right, so that it, too, is set aside.
    keep_answers : keep the answers in words that lists were read from (`Lists.answers`): a judge reads them whole.

    Raises
    ------
    InputError
        For lists that cannot be right. OptionError : for an option outside what is allowed.
    """
    is_none = NoDiagnosis(reading.no_diagnosis)
    if (rejects := reading.rejects) is not None:
        check_output(rejects)
        for given in (*(source if isinstance(source, list | tuple) else [source]), references):
            if isinstance(given, str | os.PathLike):
                check_keeps_input(given, rejects)
    groups_by = [visible(name) for name in ([by] if isinstance(by, str) else by)]
    broken: list[InputError] = []
    long = long_form(source, references, reading, groups_by, None if rejects is None else broken)
    names = {ours: name for ours, name in long.names.items() if _is_read(ours, wanted)}
    table = long.table
    problems = Problems(table, long.column_of)

    case, cases = of_case = coded(names["case_id"], problems, "the case has no name")
    rater, raters = of_rater = coded(names["rater"], problems, None)
    people = who(names.get("role"), of_rater, algorithms, problems)
    nameless = (rater < 0) & ~(people.is_reference | people.is_final)
    check_named(names["rater"], nameless, problems, "the rater has no name", of_case=True)
    role, is_reference, in_use, notes = people.role, people.is_reference, people.in_use, [*people.notes]

    empty = blanks(table, names["diagnosis"]) & blanks(table, names["rank"])
    ranked = in_use[rater] & ~empty
    rank = ranks(names["rank"], ranked, problems)
    entry, strings, none_words = diagnoses(names["diagnosis"], is_none, ranked, problems)
    rows = Rows(of_case, of_rater, rank, ranked, empty, long.unread, long.unread_is_empty)
    for row, error in long.twice.items():
        problems[row] = error
        if "rater" not in long.own:
            problems.of_case.add(row)
    said_of_ranks = check_ranks(rows, names["rank"], problems)
    if rejects is not None:
        _check_words(names, checks or {}, ranked | is_reference, case >= 0, problems)
    if k is not None and (passed_over := pass_over(rank, max(k, DEPTH), problems)):
        ranked[passed_over] = False
        notes.append(f"{len(passed_over):,} rows past rank {max(k, DEPTH)} cannot be right; no metric looks so far.")

    def right_answers(is_role: NDArray[np.bool_], names: Mapping[str, str], said: str) -> References:
        at = np.flatnonzero(is_role & (case >= 0))
        return references_of(
            names,
            of_case,
            at[np.lexsort((at, rank[at], case[at]))],
            is_none,
            problems,
            role=said,
            separator=reading.separator,
        )

    right = right_answers(is_reference, names, REFERENCE)
    final = right_answers(people.is_final, _of_final(names), FINAL)
    if any(final.names) and not any(right.names):
        # beside no set of right answers it is the right answer
        right, final = final, References([()] * len(cases))
    for name in groups_by:
        if name not in table.names:
            own = list(long.columns or table.names)
            problem = f"the column {name!r} (to group the cases by) is missing{hint(name, own)}"
            raise InputError(problem, source=table.source, allowed=f"a column {name!r}", got=own)
    groups = {name: one_per_case(name, name, of_case, problems) for name in groups_by}

    group = names.get(MODEL_GROUP)
    model_groups = {} if group is None else one_per_rater(group, MODEL_GROUP, of_rater, problems)

    used = np.flatnonzero(in_use)
    policy = {r: reading.missing or (REFUSE if role[r] == EXPERT else EMPTY) for r in used.tolist()}
    refused = np.array([r for r, one in policy.items() if one == REFUSE], np.int64)
    spoilt = spoilt_lists(rows, problems)
    there = lists_given(rows, spoilt)
    check_missing(rows, there, refused, names["rater"], problems)
    answered = np.asarray(there[:, used].any(1))
    answered[case[[row for row in long.unread if in_use[rater[row]] and case[row] >= 0]]] = True
    out_cases, rejected = set_aside(rows, problems, spoilt, refused, answered, rejects, broken)

    kept_cases = np.flatnonzero(answered & ~out_cases)
    if not len(kept_cases):
        see = f"; see {rejected.path}" if rejected.rows else ""
        raise InputError(f"no case is left of {len(cases):,}{see}", source=table.source)
    place_of = np.full((len(cases), len(raters)), -1)
    place_of[np.ix_(kept_cases, used)] = np.arange(len(kept_cases) * len(used)).reshape(len(kept_cases), -1)
    place_of[~there] = -1
    order = rows.by_place()
    order = order[place_of[case[order], rater[order]] >= 0]
    list_of = place_of[case[order], rater[order]]
    # a judge reads answers as they were written, and needs no list
    written = keep_answers and any(
        text is not None and case[row] >= 0 and rater[row] >= 0 and in_use[rater[row]]
        for row, text in long.in_words.items()
    )
    if not len(order) and not written:
        unread = next((text for text in rows.unread.values() if text is not None), None)
        if unread is None:
            raise InputError("every list is empty", source=table.source, allowed="at least one diagnosis")
        allowed = "a list of names, numbered lines, JSON, or a sentence that says what the diagnosis is"
        raise InputError("no diagnosis could be read from any answer", source=table.source, allowed=allowed, got=unread)
    # each diagnosis in the place of its rank: a rank that is not there stays empty
    place = rows.places(order)
    lengths = np.zeros(len(kept_cases) * len(used), np.int64)
    np.maximum.at(lengths, list_of, place)
    stands = (np.cumsum(lengths) - lengths)[list_of] + place - 1
    after = np.searchsorted(stands, np.arange(int(lengths.sum())))
    filled = stands[after] == np.arange(len(after))
    said, _ = _renumbered(np.append(entry[order], NO_DIAGNOSIS), len(strings) + 1)
    absent = ~there[np.ix_(kept_cases, used)] & np.array([policy[r] == OWN for r in used.tolist()])
    own = reading.missing == OWN

    def of_list(texts: Mapping[int, str | None]) -> dict[tuple[str, str], str]:
        return {
            (cases[case[row]], raters[rater[row]]): text
            for row, text in texts.items()
            if text is not None and case[row] >= 0 and rater[row] >= 0
        }

    warnings = [
        *long.warnings,
        *told_broken(broken),
        *right.warnings,
        *final.warnings,
        *_told_cases(cases, kept_cases, ~out_cases & ~answered & (rejected.rows == 0), right.names),
        *taken_as_none(none_words, int(ranked.sum())),
        *is_none.told_unmet(),
        *told_missing(rows, there, kept_cases, used, own, table),
        *said_of_ranks,
        *([] if len(order) else [_NO_LISTS]),
    ]
    return Lists(
        source=table.source,
        cases=[cases[i] for i in kept_cases],
        raters=[raters[i] for i in used],
        roles=None if not people.told else tuple(role[i] for i in used.tolist()),
        strings=[strings[i] for i in np.flatnonzero(said[:-1] >= 0)],
        entries=np.where(filled, said[entry[order]][after], ABSENT).astype(np.int32),
        offsets=(np.cumsum(lengths) - lengths).reshape(-1, len(used)),
        lengths=lengths.reshape(-1, len(used)),
        rows=table.row_numbers()[order][after],
        reference=[right.names[i] for i in kept_cases],
        more={name: optional_cells(table, names[name], order[after], filled) for name in MORE if name in names},
        reference_more={name: [cells[i] for i in kept_cases] for name, cells in right.more.items()},
        rejected=rejected,
        notes=tuple(notes),
        groups={
            name: [None if (c := cells[i]) is None else str(c.value) for i in kept_cases]
            for name, cells in groups.items()
        },
        absent=absent,
        model_groups={name: model_groups[name] for i in used.tolist() if (name := raters[i]) in model_groups},
        unread=of_list(long.unread),
        answers=of_list(long.in_words) if keep_answers else {},
        recognised=_recognised(
            long, reading.columns is None, len(used), len(kept_cases), sum(bool(right.names[i]) for i in kept_cases)
        ),
        warnings=tuple(warnings),
        columns=long.columns,
        final=[final.names[i] for i in kept_cases],
        final_more={name: [cells[i] for i in kept_cases] for name, cells in final.more.items()},
        sheets=long.sheets,
    )


def _check_words(
    names: Mapping[str, str],
    checks: Mapping[str, Callable[[Any], Any]],
    of_lists: NDArray[np.bool_],
    of_cases: NDArray[np.bool_],
    problems: Problems,
) -> None:
    """Adds a problem for each word outside the scale of its column. of_lists, of_cases : bool [rows], where they are looked at."""
    for name, check in checks.items():
        if name in names:
            check_words(names[name], check, of_lists, problems)
        if f"reference_{name}" in names:
            check_words(names[f"reference_{name}"], check, of_cases, problems, of_case=True)


def _of_final(names: Mapping[str, str]) -> dict[str, str]:
    """The columns of the final diagnosis under the names of the reference's."""
    ours = {"reference": "final", "reference_icd10": "final_icd10", "diagnosis": "diagnosis", "icd10": "icd10"}
    return {to: names[of] for to, of in ours.items() if of in names}


def _is_read(column: str, wanted: Container[str] | None) -> bool:
    """Whether one of the wanted families reads a column."""
    families = _READ_BY.get(column.removeprefix("reference_").removeprefix("final_"))
    return wanted is None or families is None or any(family in wanted for family in families)


def _told_cases(
    names: list[str], kept: Codes, unanswered: NDArray[np.bool_], references: list[tuple[str, ...]]
) -> list[str]:
    """Sentences on cases that nobody answered, and on those without a right answer where others have one."""
    said = []
    if unanswered.any():
        many = int(unanswered.sum())
        said.append(
            f"{many:,} {'case has' if many == 1 else 'cases have'} no list by anybody and {'is' if many == 1 else 'are'} left out."
        )
    lacking = [names[i] for i in kept.tolist() if not references[i]]
    if 0 < len(lacking) < len(kept):
        has, are = ("has", "is") if len(lacking) == 1 else ("have", "are")
        shown = ", ".join(map(quoted, lacking[:_SHOWN])) + (", …" if len(lacking) > _SHOWN else "")
        of = f"{len(lacking):,} of {len(kept):,} cases {has} no right answer ({shown})"
        said.append(f"{of}, and {are} out of every figure that needs one.")
    return said


def _recognised(long: Long, by_itself: bool, raters: int, cases: int, answered: int) -> str:
    """What the input was read as, with its size, in one line. by_itself : nobody said what the columns are."""
    many = f"{raters:,} {'rater' if raters == 1 else 'raters'}, {cases:,} {'case' if cases == 1 else 'cases'}"
    size = f"{long.recognised} ({many}, {answered:,} with a right answer)"
    return f"{size}; the option 'columns' overrules this" if by_itself and long.guessed else size


def _renumbered(codes: Codes, count: int) -> tuple[Codes, int]:
    """Old code -> new, without the gaps of codes that do not occur (-1), and how many do. -1 stays -1."""
    there = np.zeros(count, bool)
    there[codes[codes >= 0]] = True
    return np.where(there, np.cumsum(there) - 1, -1), int(there.sum())
