"""What users have -> the long form -> `Lists`, with every row checked once."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, quoted
from ...files.invisible import visible
from ...files.reading import Reading
from ...files.tables import check_keeps_input, check_output
from ...files.wording import counted, hint
from .columns import (
    Codes,
    Problems,
    Who,
    cells_of,
    check_named,
    check_twice,
    coded,
    diagnoses,
    one_for_each,
    optional_cells,
    ranks,
    who,
)
from .lists import ABSENT, EXPERT, FINAL, NO_DIAGNOSIS, REFERENCE, Lists, Origin, References
from .long import IN_WORDS, NO_LIST, Long
from .names import MORE
from .no_diagnosis import NoDiagnosis, taken_as_none
from .ranking import (
    EMPTY,
    OWN,
    REFUSE,
    Rows,
    check_missing,
    check_ranks,
    lists_given,
    set_aside,
    spoilt_lists,
    told_broken,
    told_missing,
)
from .references import Told, references_of
from .sources import long_form

T = TypeVar("T")
_SHOWN = 3
_NO_LISTS = (
    "From no answer a list could be read: the judge reads the answers as they were written, and every metric of the match function counts "
    "them as empty lists."
)


def read_lists(
    source: Any,
    references: Any = None,
    *,
    reading: Reading = Reading(),
    algorithms: str | Iterable[str] | None = None,
    by: str | Iterable[str] = (),
    keep_answers: bool = False,
) -> Lists:
    """Reads and checks lists of diagnoses.

    Parameters
    ----------
    source : lists, in whatever shape they are kept:

        - a table in the long form: columns case_id, rater, rank and diagnosis; optionally role, reference, icd10, severity,
          relation, category, reference_icd10, reference_severity. Names in another case, and common others (model, dx, gold, …), are known;
        - a table with a row for each case: a column for each model, or for each rank (dx1, dx2, …), or one column. A cell
          holds a list (JSON, Python, "a; b; c", numbered lines) or an answer in words. Or a row for each case and model;
        - beside the right answers, the reference, a final diagnosis: a column final (with final_icd10), or rows with the role
          final. Then the reference is the set for recall and HDF1, and top-k accuracy, MRR and nDCG mean the final one;
        - JSON, or JSON lines, with an object for each case; {case: list}; {model: {case: list}};
        - a folder or a list of files, one for each model, named as the file; one may hold the right answers alone;
        - in Python a frame, a list of dicts, a dict of columns, {model: {case: list}}, {case: list}, or lists in the order of
          `references`;
        - a file or folder in a format of others (Inspect, lm-evaluation-harness, Kernel29, …).

        What it was read as stands in `Origin.recognised`.
    references : right answers that are kept apart: {case: answer or answers}, a list in the order of lists without names, or a file or
        frame with a row for each case. They go before those beside the lists.
    reading : how the files are read. Of `columns`, "predictions" is the columns with a list in each cell, one for each model (a list of
        names, or one text with commas); "rank" may be several, one for each rank. `separator` is asked for where a tenth of the cells hold
        commas that nothing tells. A word of `no_diagnosis` keeps its place in the list and matches nothing. With `rejects`, a bad row, and a
        line that is no JSON, spoils its list, which is then missing; of several files one that cannot be read is left out; what is wrong
        with a whole case, and a missing list that is refused, leaves out the case.
    algorithms : raters that are the algorithms; all others are the panel. Goes before the column role.
    by : columns of the case (specialty, rarity), for results by group.
    keep_answers : keep the answers in words that lists were read from (`Origin.answers`): a judge reads them whole, and needs no list.

    Raises
    ------
    InputError
        For lists that cannot be right. OptionError : for an option outside what is allowed.
    """
    _check_rejects(reading, [*(source if isinstance(source, list | tuple) else [source]), references])
    groups_by = [visible(name) for name in ([by] if isinstance(by, str) else by)]
    broken: list[InputError] = []
    long = long_form(source, references, reading, groups_by, None if reading.rejects is None else broken)
    return _lists(_checked(long, reading, algorithms, groups_by), reading, broken, keep_answers)


class _Checked(NamedTuple):
    """The rows, their diagnoses as codes, who is who, what is known of each case, and what is doubtful."""

    long: Long
    problems: Problems
    rows: Rows
    entry: Codes
    strings: list[str]
    people: Who
    right: Told
    final: Told
    groups: dict[str, list[tuple[int, str] | None]]
    warnings: list[str]


def _checked(long: Long, reading: Reading, algorithms: str | Iterable[str] | None, by: list[str]) -> _Checked:
    problems, is_none = Problems(long), NoDiagnosis(reading.no_diagnosis)
    case, cases = of_case = coded("case_id", problems)
    rater, _ = of_rater = coded("rater", problems)
    check_named("case_id", case < 0, problems)
    people = who(of_rater, algorithms, problems)
    check_named("rater", (rater < 0) & ~(people.is_reference | people.is_final), problems, of_case=True)
    empty = (cells_of(problems, "diagnosis")[0] < 0) & (cells_of(problems, "rank")[0] < 0)
    ranked = people.in_use[rater] & ~empty
    rank = ranks(ranked, problems)
    entry, strings, none_words = diagnoses(is_none, ranked, problems)
    # what `dxmatch ask` was told came, and is an empty list: one that is missing has no row there
    rows = Rows(of_case, of_rater, rank, ranked, empty, _texts(long, unread=True), long.asked)
    check_twice(of_case, of_rater, problems)
    said_of_ranks = check_ranks(rows, "rank", problems)

    def of_role(is_role: NDArray[np.bool_], role: str) -> Told:
        at = np.flatnonzero(is_role & (case >= 0))
        at = at[np.lexsort((at, rank[at], case[at]))]
        return references_of(role, of_case, at, is_none, problems, reading.separator)

    right, final = of_role(people.is_reference, REFERENCE), of_role(people.is_final, FINAL)
    if any(final.names) and not any(right.names):  # beside no set of right answers the final one is the right one
        right, final = final, Told([()] * len(cases), {}, right.warnings)
    for name in (name for name in by if name not in problems.data.column_names):
        own = list(long.columns or problems.data.column_names)
        problem = f"the column {name!r} (to group the cases by) is missing{hint(name, own)}"
        raise InputError(problem, source=long.table.source, allowed=f"a column {name!r}", got=own)
    groups = {name: one_for_each(name, "case", of_case, problems) for name in by}
    none = taken_as_none(none_words, int(ranked.sum()))
    warnings = [*long.warnings, *right.warnings, *final.warnings, *none, *said_of_ranks]
    return _Checked(long, problems, rows, entry, strings, people, right, final, groups, warnings)


def _lists(checked: _Checked, reading: Reading, broken: list[InputError], keep_answers: bool) -> Lists:
    """Refuses what cannot be right, or sets it aside; the lists of the cases that are left."""
    long, problems, rows, people = checked.long, checked.problems, checked.rows, checked.people
    (case, cases), (rater, raters), source = rows.case, rows.rater, long.table.source
    used = np.flatnonzero(people.in_use)
    policy = np.array([reading.missing or (REFUSE if people.role[r] == EXPERT else EMPTY) for r in used.tolist()])
    refused, spoilt = used[policy == REFUSE], spoilt_lists(rows, problems)
    there = lists_given(rows, spoilt)
    check_missing(rows, there, refused, "rater", problems)
    answered = np.asarray(there[:, used].any(1))
    answered[case[[row for row in rows.unread if people.in_use[rater[row]] and case[row] >= 0]]] = True
    out, rejected = set_aside(rows, problems, spoilt, refused, answered, reading.rejects, broken)
    kept = np.flatnonzero(answered & ~out)
    if not len(kept):
        see = f"; see {rejected.path}" if rejected.rows else ""
        raise InputError(f"no case is left of {len(cases):,}{see}", source=source)
    absent = ~there[np.ix_(kept, used)] & (policy == OWN)
    place_of = np.full((len(cases), len(raters)), -1)
    place_of[np.ix_(kept, used)] = np.arange(absent.size).reshape(absent.shape)
    place_of[~there] = -1
    order, list_of = rows.by_place(), rows.list_of
    order = order[place_of[case[order], rater[order]] >= 0]

    def of_lists(texts: Mapping[int, str | None]) -> dict[tuple[str, str], str]:
        held = [(row, text) for row, text in texts.items() if text is not None and list_of[row] >= 0]
        return {(cases[case[row]], raters[rater[row]]): text for row, text in held}

    answers, unread = of_lists(_texts(long)) if keep_answers else {}, of_lists(rows.unread)
    if not len(order) and not answers:
        if not unread:
            raise InputError("every list is empty", source=source, allowed="at least one diagnosis")
        allowed = "a list of names, numbered lines, JSON, or a sentence that says what the diagnosis is"
        got = next(iter(unread.values()))
        raise InputError("no diagnosis could be read from any answer", source=source, allowed=allowed, got=got)
    # each diagnosis in the place of its rank: a rank that is not there stays empty
    of, place = place_of[case[order], rater[order]], rows.rank[order]
    lengths = np.zeros(absent.size, np.int64)
    np.maximum.at(lengths, of, place)
    stands = (np.cumsum(lengths) - lengths)[of] + place - 1
    after = np.searchsorted(stands, np.arange(int(lengths.sum())))
    filled = stands[after] == np.arange(len(after))
    entry = checked.entry[order]
    said = np.bincount(entry[entry >= 0], minlength=len(checked.strings)) > 0
    number = np.append(np.where(said, np.cumsum(said) - 1, -1), NO_DIAGNOSIS)

    def of_kept(cells: Sequence[T]) -> list[T]:
        return [cells[i] for i in kept.tolist()]

    right, final = (of_kept(told.names) for told in (checked.right, checked.final))
    more, final_more = (
        {name: of_kept(one) for name, one in told.more.items()} for told in (checked.right, checked.final)
    )
    groups = {name: [cell and cell[1] for cell in of_kept(cells)] for name, cells in checked.groups.items()}
    left_out = int((~out & ~answered).sum()) if not rejected.rows else 0
    warnings = [*checked.warnings, *told_broken(broken), *_told_of_cases(of_kept(cases), right, left_out)]
    warnings += told_missing(rows, there, kept, used, reading.missing == OWN, problems.table)
    size = f"{counted(len(used), 'rater')}, {counted(len(kept), 'case')}, {sum(map(bool, right)):,} with a right answer"
    return Lists(
        cases=of_kept(cases),
        raters=[raters[i] for i in used.tolist()],
        roles=tuple(people.role[i] for i in used.tolist()) if people.told else None,
        strings=[checked.strings[i] for i in np.flatnonzero(said).tolist()],
        entries=np.where(filled, number[entry][after], ABSENT).astype(np.int32),
        lengths=lengths.reshape(absent.shape),
        rows=problems.table.row_numbers()[order][after],
        more={name: optional_cells(problems, name, order[after], filled) for name in MORE if name in problems.data.column_names},
        absent=absent,
        references=References(right, more, final, final_more, groups),
        origin=Origin(
            source, f"{long.recognised} ({size})", long.columns, (*warnings, *([] if len(order) else [_NO_LISTS])), tuple(people.notes),
            rejected, unread, answers,
        ),
    )  # fmt: skip


def _told_of_cases(cases: Sequence[str], right: Sequence[tuple[str, ...]], left_out: int) -> list[str]:
    """Sentences on cases without a list, and without a right answer."""
    said, lacking = list[str](), [name for name, of in zip(cases, right, strict=True) if not of]
    if left_out:
        said.append(f"{counted(left_out, 'case has', 'cases have')} no list by anybody: left out.")
    if 0 < len(lacking) < len(cases):
        shown = ", ".join(map(quoted, lacking[:_SHOWN])) + (", …" if len(lacking) > _SHOWN else "")
        of = f"{len(lacking):,} of {len(cases):,} cases {'has' if len(lacking) == 1 else 'have'} no right answer ({shown})"
        said.append(f"{of}, and count in no figure that needs one.")
    return said


def _texts(long: Long, unread: bool = False) -> dict[int, str | None]:
    """The answers in words by the rows where they stand; with `unread` of the rows that stand for no list, None for one that is blank."""
    if NO_LIST not in long.table.names:
        return {}
    none, words = long.table.data[NO_LIST], long.table.data[IN_WORDS]
    rows = pc.indices_nonzero(pc.fill_null(none, False) if unread else pc.is_valid(words))
    return dict(zip(rows.to_pylist(), words.take(rows).to_pylist(), strict=True))


def _check_rejects(reading: Reading, sources: Iterable[Any]) -> None:
    if reading.rejects is not None:
        check_output(reading.rejects)
        for given in sources:
            if isinstance(given, str | os.PathLike):
                check_keeps_input(given, reading.rejects)
