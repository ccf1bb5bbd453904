"""What users have -> the long form (`shapes/`) -> `Lists`, with every row checked."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.tables import SET_ASIDE, check_output, write_rejects
from .columns import Codes, Problems, blanks, check_words, coded, diagnoses, one_per_case, optional_cells, ranks, roles
from .lists import EXPERT, NO_DIAGNOSIS, REFERENCE, UNUSED, Lists, Rejected, assign_roles, note_unused
from .no_diagnosis import NoDiagnosis, taken_as_none
from .ranking import (
    EMPTY,
    OWN,
    REFUSE,
    Rows,
    check_missing,
    check_missing_option,
    check_ranks,
    lists_given,
    told_missing,
)
from .references import references_of
from .shapes.long import MORE, Long
from .shapes.sources import long_form

DEPTH = 10
"""The deepest rank that a metric looks at, whatever k is."""
_READ_BY = {
    "icd10": ("ranking", "hierarchical", "agreement"),
    "severity": ("weighted",),
    "relation": ("weighted", "ranking"),
}


def read_lists(
    source: Any,
    *,
    references: Any = None,
    algorithms: Iterable[str] | None = None,
    columns: Mapping[str, Any] | None = None,
    encoding: str | None = None,
    no_diagnosis: str | Iterable[str] | None = None,
    missing: str | None = None,
    by: str | Iterable[str] | None = None,
    k: int | None = None,
    wanted: Container[str] | None = None,
    rejects: str | os.PathLike[str] | None = None,
    format: str | None = None,
    checks: Mapping[str, Callable[[str], object]] | None = None,
) -> Lists:
    """Reads and checks lists of diagnoses.

    Parameters
    ----------
    source : lists, in whatever shape they are kept:

        - a table in the long form: columns case_id, rater, rank and diagnosis; optionally role, reference, icd10, severity,
          relation, category, reference_icd10 and reference_severity. Names in another case, and common others (model, dx,
          gold, …), are known;
        - a table with a row for each case: a column for each model, or for each rank (dx1, dx2, …), or one column. A cell
          holds a list (JSON, Python, "a; b; c", numbered lines) or an answer in words. Or a row for each case and model;
        - JSON, or JSON lines, with an object for each case; {case: list}; {model: {case: list}};
        - a folder or a list of files, one for each model, named as the file; one may hold the right answers alone;
        - in Python a frame, a list of dicts, a dict of columns, {model: {case: list}}, {case: list}, or lists in the order of
          `references`;
        - a file or folder in a format of others (Inspect, lm-evaluation-harness, Kernel29, …).

        What it was read as stands in `Lists.recognised`.
    references : right answers that are kept apart: {case: answer or answers}, a list in the order of the lists, or a file or
        frame with a row for each case. They go before those beside the lists. Several in one cell part as `parted` says.
    algorithms : raters that are the algorithms; all others are the panel. Goes before the column role.
    columns : which columns hold what, `{"case_id": "patient", "reference": "gold"}`; `"predictions"` is the columns with a list
        in each cell, one for each model (a list of names, or one text with commas); `"rank"` may be several, one for each rank.
    encoding : of text files that are not UTF-8.
    no_diagnosis : words that mean "no diagnosis", in any case, besides none, N/A, unknown, multiple, a dash, a blank and the like.
        They keep their place in the list and match nothing. With the word "keep" among them the default words, too, are diagnoses.
    missing : what a list that is not there counts as: "empty", an empty answer; "own", nothing: each rater has its own n; "refuse".
        By default empty, but for the experts of a panel, whose missing lists are refused.
    by : columns of the case (specialty, rarity), for results by group.
    k : how many diagnoses of each list count. Faults in rows that no metric looks at then stop nothing.
    wanted : the families of metrics to come; by default all. Columns that none of them reads are not checked.
    rejects : a file for what cannot be right; without it the first such row is an `InputError`. A bad row spoils its list, which
        is then missing; what is wrong with a whole case, and a missing list that is refused, leaves out the case.
    format : the format of others that the file or folder is in, by name; it is told from the file by default.
    checks : with `rejects`, column -> what raises `InputError` for a word that cannot be right, so that it, too, is set aside.

    Raises
    ------
    InputError
        For lists that cannot be right. OptionError : for an option outside what is allowed.
    """
    check_missing_option(missing)
    is_none = NoDiagnosis(no_diagnosis)
    if rejects is not None:
        check_output(rejects)
    groups_by = [] if by is None else [by] if isinstance(by, str) else list(by)
    long = long_form(source, references=references, columns=columns, encoding=encoding, by=groups_by, format=format)
    names = {ours: name for ours, name in long.names.items() if _is_read(ours, wanted)}
    table = long.table
    problems = Problems(table, long.column_of)

    case, cases = of_case = coded(names["case_id"], problems, "the case has no name")
    rater, raters = of_rater = coded(names["rater"], problems, "the rater has no name", of_case=True)
    role_of_rater, role_of_row = roles(names.get("role"), of_rater, problems)
    is_reference = role_of_row == REFERENCE
    kept_raters = [i for i in range(len(raters)) if role_of_rater is None or role_of_rater[i] != REFERENCE]
    assigned = None if role_of_rater is None else tuple(role_of_rater[i] for i in kept_raters)
    notes: list[str] = []
    if algorithms is not None:
        listing = [raters[i] for i in kept_raters]
        assigned = assign_roles(listing, assigned, algorithms, table.source)
        notes.extend(note_unused(listing, assigned))
    role = dict(zip(kept_raters, assigned or [""] * len(kept_raters), strict=True))
    in_use = np.array([role.get(i, UNUSED) != UNUSED for i in range(len(raters))] + [False])

    empty = blanks(table, names["diagnosis"]) & blanks(table, names["rank"])
    ranked = in_use[rater] & ~empty
    rank = ranks(names["rank"], ranked, problems)
    entry, strings, none_words = diagnoses(names["diagnosis"], is_none, ranked, problems)
    rows = Rows(of_case, of_rater, rank, ranked, empty, long.unread)
    said_of_ranks = check_ranks(rows, names["rank"], problems)
    for name, check in (checks or {}).items() if rejects is not None else ():
        if name in names:
            check_words(names[name], check, ranked | is_reference, problems)
        if f"reference_{name}" in names:
            check_words(names[f"reference_{name}"], check, case >= 0, problems, of_case=True)
    if k is not None:
        passed_over = _pass_over(rank, max(k, DEPTH), problems)
        ranked[passed_over] = False
        if passed_over:
            notes.append(
                f"{len(passed_over):,} rows past rank {max(k, DEPTH)} cannot be right; no metric looks so far."
            )

    at = np.flatnonzero(is_reference & (case >= 0))
    at = at[np.lexsort((at, rank[at], case[at]))]
    right = references_of(names, of_case, at, is_none, problems)
    for name in groups_by:
        table.require(name, "to group the cases by")
    groups = {name: one_per_case(name, name, of_case, problems) for name in groups_by}

    used = np.flatnonzero(in_use)
    policy = {r: missing or (REFUSE if role[r] == EXPERT else EMPTY) for r in used.tolist()}
    refused = np.array([r for r, one in policy.items() if one == REFUSE], np.int64)
    spoilt = _spoilt(rows, problems)
    there = lists_given(rows, spoilt)
    check_missing(rows, there, refused, names["rater"], problems)
    answered = np.asarray(there[:, used].any(1))
    answered[case[[row for row in long.unread if in_use[rater[row]] and case[row] >= 0]]] = True
    out_cases, rejected = _set_aside(rows, problems, spoilt, refused, answered, rejects)

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
    if not len(order):
        raise InputError("every list is empty", source=table.source, allowed="at least one diagnosis")
    lengths = np.bincount(list_of, minlength=len(kept_cases) * len(used))
    said, _ = _renumbered(np.append(entry[order], NO_DIAGNOSIS), len(strings) + 1)
    absent = ~there[np.ix_(kept_cases, used)] & np.array([policy[r] == OWN for r in used.tolist()])
    own = missing == OWN
    warnings = [
        *long.warnings,
        *right.warnings,
        *_told_cases(kept_cases, ~out_cases & ~answered & (rejected.rows == 0), right.names),
        *taken_as_none(none_words, int(ranked.sum())),
        *told_missing(rows, there, kept_cases, used, own, table),
        *said_of_ranks,
    ]
    return Lists(
        source=table.source,
        cases=[cases[i] for i in kept_cases],
        raters=[raters[i] for i in used],
        roles=None if assigned is None else tuple(role[i] for i in used.tolist()),
        strings=[strings[i] for i in np.flatnonzero(said[:-1] >= 0)],
        entries=said[entry[order]].astype(np.int32),
        offsets=(np.cumsum(lengths) - lengths).reshape(-1, len(used)),
        lengths=lengths.reshape(-1, len(used)),
        rows=table.row_numbers()[order],
        reference=[right.names[i] for i in kept_cases],
        more={name: optional_cells(table, names[name], order) for name in MORE if name in names},
        reference_more={name: [cells[i] for i in kept_cases] for name, cells in right.more.items()},
        rejected=rejected,
        notes=(*notes, *right.notes),
        groups={
            name: [None if (c := cells[i]) is None else str(c.value) for i in kept_cases]
            for name, cells in groups.items()
        },
        absent=absent,
        recognised=_recognised(
            long, columns is None, len(used), len(kept_cases), sum(bool(right.names[i]) for i in kept_cases)
        ),
        warnings=tuple(warnings),
    )


def _is_read(column: str, wanted: Container[str] | None) -> bool:
    """Whether one of the wanted families reads a column."""
    families = _READ_BY.get(column.removeprefix("reference_"))
    return wanted is None or families is None or any(family in wanted for family in families)


def _pass_over(rank: Codes, depth: int, problems: Problems) -> list[int]:
    """Forgets the problems of rows past `depth`, and gives these rows."""
    rows = [row for row in problems if rank[row] > depth and row not in problems.of_case]
    for row in rows:
        problems.drop(row)
    return rows


def _spoilt(rows: Rows, problems: Problems) -> Codes:
    """The numbers of the lists that hold a row with a problem of its own."""
    found = sorted(set(problems) - problems.of_case)
    return np.unique(rows.list_of[found]) if found else np.empty(0, np.int64)


def _set_aside(
    rows: Rows,
    problems: Problems,
    spoilt: Codes,
    refused: Codes,
    answered: NDArray[np.bool_],
    rejects: str | os.PathLike[str] | None,
) -> tuple[NDArray[np.bool_], Rejected]:
    """bool [cases], those that are left out; what is wrong with them, and with the lists `spoilt`, is written to `rejects`.

    Raises
    ------
    InputError
        The first problem, where `rejects` is None.
    """
    case, cases = rows.case
    out = np.zeros(len(cases) + 1, bool)
    if not problems:
        return out[:-1], Rejected(path=None if rejects is None else os.fspath(rejects))
    if rejects is None:
        raise problems[min(problems)].with_remedy(SET_ASIDE)
    of_cases = np.isin(rows.rater[0], refused) | ~(rows.ranked | rows.empty)
    culprit_of_case, culprit_of_list = dict[int, int](), dict[int, int]()
    list_of = rows.list_of
    for row in sorted(problems):
        if row in problems.of_case or of_cases[row]:
            culprit_of_case.setdefault(int(case[row]), row)
        culprit_of_list.setdefault(int(list_of[row]), row)
    out[[i for i in culprit_of_case if i >= 0]] = True
    out[:-1] |= ~answered & np.isin(np.arange(len(cases)), case[list(problems)])
    reasons = {row: str(problem) for row, problem in problems.items()}
    for row in np.flatnonzero(out[case] & (case >= 0)).tolist():
        first = culprit_of_case.get(int(case[row]), culprit_of_list.get(int(list_of[row]), row))
        reasons.setdefault(row, f"left out with its case: {problems[first]}")
    for row in np.flatnonzero(np.isin(list_of, spoilt[spoilt >= 0])).tolist():
        reasons.setdefault(row, f"left out with its list: {problems[culprit_of_list[int(list_of[row])]]}")
    write_rejects(problems.table, reasons, rejects)
    lost = spoilt[(spoilt >= 0) & ~out[spoilt // max(len(rows.rater[1]), 1)]]
    return out[:-1], Rejected(len(reasons), int(out[:-1].sum()), os.fspath(rejects), len(lost))


def _told_cases(kept: Codes, unanswered: NDArray[np.bool_], references: list[tuple[str, ...]]) -> list[str]:
    """Sentences on cases that nobody answered, and on those without a right answer where others have one."""
    said = []
    if unanswered.any():
        many = int(unanswered.sum())
        said.append(
            f"{many:,} {'case has' if many == 1 else 'cases have'} no list by anybody and {'is' if many == 1 else 'are'} left out."
        )
    without = sum(not references[i] for i in kept.tolist())
    if 0 < without < len(kept):
        of = f"{without:,} of {len(kept):,} cases {'has' if without == 1 else 'have'} no right answer"
        said.append(f"{of}, and {'is' if without == 1 else 'are'} out of every figure that needs one.")
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
