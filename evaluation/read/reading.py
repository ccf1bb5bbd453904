"""What users have -> the long form -> `Lists`, with every row checked once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import SET_ASIDE, InputError, quoted
from ...files.invisible import visible
from ...files.reading import Reading
from ...files.tables import check_apart, check_output, write_rejects
from ...files.wording import counted
from ...options import Output
from .findings import first_few
from .lists import ABSENT, EXPERT, FINAL, NO_DIAGNOSIS, REFERENCE, UNUSED, Lists, Origin, References
from .long import Codes
from .names import MORE, columns_named
from .rows import Mask, Rows, first_of, right_answers
from .sources import long_form

_MISSING, _BLANK, _UNREAD, _THERE = range(4)  # of a case and rater: no row, a blank cell, an unread answer, a list
States = NDArray[np.int8]


def read_lists(
    source: Any,
    references: Any = None,
    *,
    reading: Reading = Reading(),
    algorithms: str | Iterable[str] | None = None,
    by: str | Iterable[str] = (),
    keep_answers: bool = False,
    again: Callable[[Iterable[str]], Mapping[str, str]] | None = None,
    read_as: Mapping[str, str] = {},
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
        line that is no JSON, spoils its list, which is then missing; what is wrong
        with a whole case, and a missing list that is refused, leaves out the case.
    algorithms : raters that are the algorithms; all others are the panel. Goes before the column role.
    by : columns of the case (specialty, rarity), for results by group.
    keep_answers : keep the answers in words that lists were read from (`Origin.answers`): a judge reads them whole, and needs no list.
    again : what answers that no list can be read from are read as. read_as : an answer -> what it is read as.

    Raises
    ------
    InputError
        For lists that cannot be right. OptionError : for an option outside what is allowed.
    """
    check_apart([reading.rejects], [*(source if isinstance(source, list | tuple) else [source]), references])
    if reading.rejects is not None:
        check_output(reading.rejects)
    groups_by = [visible(name) for name in ([by] if isinstance(by, str) else by)]
    broken = list[InputError]()
    long = long_form(source, references, reading, groups_by, None if reading.rejects is None else broken, read_as)
    rows = Rows(long, algorithms, reading.no_diagnosis)
    right, final = (right_answers(rows, role, reading.separator) for role in (REFERENCE, FINAL))
    if not any(right.names):  # beside no set of right answers the final one is the right one
        right, final = final if any(final.names) else right, None
    groups = {
        name: rows.texts(name, rows.same(name, "case", rows.case, rows.cases, rows.coded(name)[0]))
        for name in columns_named(groups_by, long.columns, rows.table.source, "of the cases", "by' or 'cluster")
    }
    lists = _lists(rows, replace(right, groups=groups, final=final), reading, broken, keep_answers or again is not None)
    if again is None or not lists.origin.unread:
        return lists
    options = {"reading": reading, "algorithms": algorithms, "by": by, "keep_answers": keep_answers}
    return read_lists(source, references, read_as=again(lists.origin.unread.values()), **options)


def _lists(rows: Rows, known: References, reading: Reading, broken: list[InputError], keep_answers: bool) -> Lists:
    """Refuses what cannot be right, or sets it aside; the lists of the cases that are left."""
    used, own = np.flatnonzero(rows.used), reading.missing == "own"
    experts = used[[rows.role[rows.raters[rater]] == EXPERT for rater in used.tolist()]]
    refused = {None: experts, "refuse": used}.get(reading.missing, used[:0])
    state = np.zeros(len(rows.cases) * len(rows.raters) + 1, np.int8)  # the last is that of rows of nobody's list
    state[rows.list_of[rows.silent]] = _BLANK
    state[rows.list_of[[*rows.unread]]] = _UNREAD
    state[rows.list_of[rows.ranked | rows.empty]] = _THERE
    state[rows.list_of[[*rows.faults.keys() - rows.of_case]]] = _MISSING
    state = state[:-1].reshape(len(rows.cases), len(rows.raters))
    if len(refused):
        _check_missing(rows, state, refused)
    answered = state[:, used].max(1, initial=_MISSING) > _MISSING
    out, rejected = _set_aside(rows, refused, answered, reading.rejects, broken)
    rejects = None if reading.rejects is None else os.fspath(reading.rejects)
    kept = np.flatnonzero(answered & ~out)
    if not len(kept):
        see = f"; see {rejects}" if rejected else ""
        raise InputError(f"no case is left of {len(rows.cases):,}{see}", source=rows.table.source)
    place_of = np.full(state.shape, -1)
    place_of[np.ix_(kept, used)] = np.arange(len(kept) * len(used)).reshape(len(kept), len(used))
    place_of[state < _THERE] = -1
    of = place_of.ravel()[rows.list_of[rows.by_place]]
    order, of = rows.by_place[of >= 0], of[of >= 0]
    answers, unread = rows.of_lists(rows.words) if keep_answers else {}, rows.of_lists(rows.unread)
    if not len(order) and not answers:
        allowed = "a list of names, numbered lines, JSON, or a sentence that says what the diagnosis is"
        got, problem = next(iter(unread.values()), "empty lists"), "no diagnosis could be read from any answer"
        raise InputError(problem, source=rows.table.source, allowed=allowed, got=got)
    # each diagnosis in the place of its rank: a rank that is not there stays empty
    lengths = np.zeros(len(kept) * len(used), np.int64)
    lengths[of] = rows.rank[order]  # the last of a list stays
    at = np.full(int(lengths.sum()), -1)
    at[(np.cumsum(lengths) - lengths)[of] + rows.rank[order] - 1] = order
    said = np.flatnonzero(np.bincount(rows.entry[order] + 1)[1:]).tolist()
    said.sort(key=rows.strings.__getitem__)
    number = np.full(len(rows.strings) + 1, NO_DIAGNOSIS)
    number[said] = np.arange(len(said))
    lengths, state = lengths.reshape(len(kept), len(used)), state[np.ix_(kept, used)]

    known = known.of_cases(kept.tolist())
    cases, raters = ([names[i] for i in of.tolist()] for names, of in ((rows.cases, kept), (rows.raters, used)))
    told = [*rows.long.told, *_told_missing(rows, state, lengths, raters, own)]
    lines = counted(len(broken), "line")
    told += [f"Could not be read and was set aside: {lines}; the first is {one.finding}" for one in broken[:1]]
    left_out = [case for case, there, gone in zip(rows.cases, answered, out, strict=True) if not (there or gone)]
    lacking = [case for case, one in zip(cases, known.names, strict=True) if not one and any(known.names)]
    for what, some, n in (
        ("list by anybody, so left out", left_out, len(out)), ("right answer, so in no figure that needs one", lacking, len(cases)),
    ):  # fmt: skip
        told += [f"No {what}: {len(some):,} of {n:,} cases ({first_few(map(quoted, some))})."] if some else []
    size = f"{counted(len(used), 'rater')}, {counted(len(kept), 'case')}, {sum(map(bool, known.names)):,} with a right answer"
    roles = tuple(rows.role[name] for name in raters)
    unused = [name for name, role in rows.role.items() if role == UNUSED]
    notes = [f"Algorithms that were not named and were left out: {', '.join(unused)}."] if unused else []
    return Lists(
        cases=cases,
        raters=raters,
        roles=roles if any(roles) else None,
        strings=[rows.strings[i] for i in said],
        entries=np.where(at < 0, ABSENT, number[rows.entry[at]]).astype(np.int32),
        lengths=lengths,
        rows=rows.table.row_numbers()[at],
        more={name: rows.texts(name, at) for name in MORE if name in rows.table.names},
        absent=(state < _UNREAD) & own,
        references=known,
        origin=Origin(
            rows.table.source, f"{rows.long.recognised} ({size})", tuple(rows.long.columns), tuple(told), tuple(notes),
            rejected, int(out.sum()), rejects, unread, answers,
        ),
    )  # fmt: skip


def _check_missing(rows: Rows, state: States, refused: Codes) -> None:
    """Adds a fault to the first row of each case that one of the raters `refused` has no list for.

    Cases that hold a fault already are passed over: the row that would have made the list is refused for a reason.
    """
    # a case of right answers alone is left out
    open_ = np.ix_(np.setdiff1d(rows.case[~rows.is_right], rows.case[[*rows.faults]]), refused)
    lacking = np.zeros(state.shape, bool)
    lacking[open_] = state[open_] < _THERE
    of_list = first_of(rows.list_of, np.flatnonzero(rows.list_of >= 0), state.size)
    of_case = first_of(rows.case, np.flatnonzero(rows.case >= 0), len(state))
    for case, rater in np.argwhere(lacking).tolist():
        whose, whole = f"by {quoted(rows.raters[rater])}", f"case {quoted(rows.cases[case])}"
        problem = f"the {whole} has no list {whose}, who lacks {int(lacking[:, rater].sum()):,} of {len(state):,} cases"
        row = int(of_list[case * len(rows.raters) + rater])
        rows.add(
            row if row >= 0 else int(of_case[case]), problem, "rater", "a list of every rater for every case", of_case=True,
            got=rows.unread.get(row), remedy="the option 'missing' (empty) counts it as an empty answer",
        )  # fmt: skip


def _told_missing(rows: Rows, state: States, lengths: Codes, raters: Sequence[str], own: bool) -> list[str]:
    """Sentences on the lists that are not there, are empty or could not be read, with how many of each rater.

    own : those that are not there are out of the rater's n.
    """
    unread = ((row, " ".join(text.split())) for row, text in rows.unread.items() if rows.used[rows.rater[row]])
    first = [f"; the first, in row {rows.table.row_number(row)}, is {quoted(text)}" for row, text in unread][:1]
    empty, said = "each counts as an empty answer", list[str]()
    kinds = {
        f"Missing lists ({'they are out of the figures; two raters are compared in the cases that both have' if own else empty})": state < _UNREAD,
        "Empty lists, which say nothing": (state == _THERE) & (lengths == 0),
        f"Answers that no list could be read from ({empty}: it says how a rater writes, not what it knows{''.join(first)})": state == _UNREAD,
    }  # fmt: skip
    for what, lists in kinds.items():
        counts = [f"{n:,} by {name}" for name, n in zip(raters, lists.sum(0).tolist(), strict=True) if n]
        said += [f"{what}, of {counted(len(state), 'case')}: {first_few(counts, 10)}."] if counts else []
    return said


def _set_aside(
    rows: Rows, refused: Codes, answered: Mask, path: Output | None, broken: Sequence[InputError]
) -> tuple[Mask, int]:
    """bool [cases], those that are left out; how many rows were written to `path`, since they are wrong or go with such a list or case.

    broken : lines that could not be read, which go there too.

    Raises
    ------
    InputError
        The first fault, where `path` is None.
    """
    if rows.faults and path is None:
        raise rows.faults[min(rows.faults)].with_remedy(SET_ASIDE)
    at, table = sorted(rows.faults, reverse=True), rows.table
    if path is None or not (at or broken):
        return np.zeros(len(rows.cases), bool), 0
    of_case = rows.of_case | {row for row in at if rows.is_right[row] or rows.rater[row] in refused}
    whole = [row for row in at if row in of_case or not answered[rows.case[row]]]
    out = np.isin(np.arange(len(rows.cases)), rows.case[whole])
    # the case or the list that a row is left out with, and the first row that is the reason
    gone = np.append(out, False)[rows.case]
    unit = np.where(gone, rows.case, np.where(rows.list_of < 0, -1, len(rows.cases) + rows.list_of))
    first = dict(zip(unit[[*at, *whole]].tolist(), [*at, *whole], strict=True))
    reasons = {row: str(fault) for row, fault in rows.faults.items()}
    for row in np.flatnonzero(np.isin(unit, [*first]) & (unit >= 0)).tolist():
        what = "case" if gone[row] else "list"
        reasons.setdefault(row, f"left out with its {what}: {rows.faults[first[unit[row]]]}")
    # a right answer in a column stands in the rows of lists
    where = {row: (table.source_of(row), table.row_number(row)) for row in reasons}
    listed = {where[row] for row in reasons if rows.place[row] < 0}
    reasons = {row: why for row, why in reasons.items() if rows.place[row] < 0 or where[row] not in listed}
    shown = table.data.select([name for name in table.names if not name.startswith("_")])
    write_rejects(replace(table, data=shown), reasons, path, broken)
    return out, len(reasons) + len(broken)
