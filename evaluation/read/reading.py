"""What users have -> the long form -> `Lists`, with every row checked once."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np

from ...errors import SET_ASIDE, InputError, Remedy, quoted
from ...files.invisible import visible
from ...files.reading import Reading
from ...files.tables import check_keeps_input, check_output, write_rejects
from ...files.wording import counted, hint
from ...options import Output
from .findings import first_few
from .lists import ABSENT, EXPERT, FINAL, NO_DIAGNOSIS, REFERENCE, Lists, Origin, References, Rejected
from .long import Codes, coded
from .names import MORE
from .no_diagnosis import NoDiagnosis
from .rows import Mask, Rows, right_answers
from .sources import Long, long_form

EMPTY, OWN, REFUSE = "empty", "own", "refuse"
T = TypeVar("T")
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
    if reading.rejects is not None:
        check_output(reading.rejects)
        for path in (*(source if isinstance(source, list | tuple) else [source]), references):
            if isinstance(path, str | os.PathLike):
                check_keeps_input(path, reading.rejects)
    groups_by = [visible(name) for name in ([by] if isinstance(by, str) else by)]
    broken, is_none = list[InputError](), NoDiagnosis(reading.no_diagnosis)
    long = long_form(source, references, reading, groups_by, None if reading.rejects is None else broken)
    rows = Rows(long, algorithms, is_none)
    right, final = (right_answers(rows, role, is_none, reading.separator) for role in (REFERENCE, FINAL))
    if any(final[0]) and not any(right[0]):  # beside no set of right answers the final one is the right one
        right, final = final, ([()] * len(rows.cases), {})
    groups = dict[str, list[str | None]]()
    for name in groups_by:
        if name not in rows.data.column_names:
            problem = f"the column {name!r} (to group the cases by) is missing{hint(name, long.columns)}"
            raise InputError(problem, source=rows.table.source, got=long.columns)
        codes, texts = coded(rows.data[name])
        first = rows.same(name, "case", rows.case, rows.cases, codes, texts)
        groups[name] = [None if row < 0 else texts[codes[row]] for row in first.tolist()]
    return _lists(rows, long, References(*right, *final, groups), reading, broken, keep_answers)


def _lists(
    rows: Rows, long: Long, known: References, reading: Reading, broken: list[InputError], keep_answers: bool
) -> Lists:
    """Refuses what cannot be right, or sets it aside; the lists of the cases that are left."""
    used = np.flatnonzero(rows.used)
    policy = np.array([reading.missing or (REFUSE if rows.role[r] == EXPERT else EMPTY) for r in used.tolist()])
    refused, spoilt = used[policy == REFUSE], np.unique(rows.list_of[sorted({*rows.faults} - rows.of_case)])
    there = np.zeros(len(rows.cases) * len(rows.raters) + 1, bool)  # the last is that of rows of nobody's list
    there[rows.list_of[rows.ranked | (rows.empty & rows.given)]] = True
    there[[*spoilt, -1]] = False
    there = there[:-1].reshape(len(rows.cases), len(rows.raters))
    _check_missing(rows, there, refused)
    unread_at = np.isin(np.arange(there.size), rows.list_of[[*rows.unread]]).reshape(there.shape)
    answered = np.append(there[:, used].any(1), False)
    # a cell that is blank or unread is an answer of nobody's, and its case counts all the same
    answered[rows.case[rows.empty & ~rows.given & rows.used[rows.rater]]] = True
    out, rejected = _set_aside(rows, spoilt, refused, answered, reading.rejects, broken)
    kept = np.flatnonzero(answered[:-1] & ~out)
    if not len(kept):
        see = f"; see {rejected.path}" if rejected.rows else ""
        raise InputError(f"no case is left of {len(rows.cases):,}{see}", source=rows.table.source)
    place_of, shape = np.full(there.shape, -1), (len(kept), len(used))
    place_of[np.ix_(kept, used)] = np.arange(len(kept) * len(used)).reshape(shape)
    place_of[~there] = -1
    order = rows.by_place[place_of[rows.case[rows.by_place], rows.rater[rows.by_place]] >= 0]
    answers, unread = rows.of_lists(rows.words) if keep_answers else {}, rows.of_lists(rows.unread)
    if not len(order) and not answers:
        allowed = "a list of names, numbered lines, JSON, or a sentence that says what the diagnosis is"
        for text in unread.values():
            problem = "no diagnosis could be read from any answer"
            raise InputError(problem, source=rows.table.source, allowed=allowed, got=text)
        raise InputError("every list is empty", source=rows.table.source, allowed="at least one diagnosis")
    # each diagnosis in the place of its rank: a rank that is not there stays empty
    of, rank = place_of[rows.case[order], rows.rater[order]], rows.rank[order]
    lengths = np.zeros(len(kept) * len(used), np.int64)
    np.maximum.at(lengths, of, rank)
    at = np.full(int(lengths.sum()), -1)
    at[(np.cumsum(lengths) - lengths)[of] + rank - 1] = order
    said = np.isin(np.arange(len(rows.strings)), rows.entry[order])
    number = np.append(np.where(said, np.cumsum(said) - 1, -1), NO_DIAGNOSIS)

    def of_entries(name: str) -> list[str | None]:
        codes, texts = coded(rows.data[name])
        held = [*texts, None]
        return [held[code] for code in np.where(at < 0, -1, codes[at]).tolist()]

    known = known.of_cases(kept.tolist())
    lines, left_out = counted(len(broken), "line"), np.flatnonzero(~out & ~answered[:-1]).tolist()
    told = [*rows.told, *_told_missing(rows, there, kept, used, reading.missing == OWN)]
    told += [] if len(order) else [_NO_LISTS]
    told += [f"Could not be read and was set aside: {lines}; the first is {one.finding}" for one in broken[:1]]
    told += _told_of_cases("no list by anybody: left out", [rows.cases[i] for i in left_out], len(rows.cases))
    cases = [rows.cases[i] for i in kept.tolist()]
    lacking = [case for case, one in zip(cases, known.names, strict=True) if not one and any(known.names)]
    told += _told_of_cases("no right answer: in no figure that needs one", lacking, len(kept))
    size = f"{counted(len(used), 'rater')}, {counted(len(kept), 'case')}, {sum(map(bool, known.names)):,} with a right answer"
    return Lists(
        cases=cases,
        raters=[rows.raters[i] for i in used.tolist()],
        roles=tuple(rows.role[i] for i in used.tolist()) if rows.is_told else None,
        strings=[rows.strings[i] for i in np.flatnonzero(said).tolist()],
        entries=np.where(at < 0, ABSENT, number[rows.entry[at]]).astype(np.int32),
        lengths=lengths.reshape(shape),
        rows=rows.table.row_numbers()[at],
        more={name: of_entries(name) for name in MORE if name in rows.data.column_names},
        absent=~(there | unread_at)[np.ix_(kept, used)] & (policy == OWN),
        references=known,
        origin=Origin(rows.table.source, f"{long.recognised} ({size})", tuple(long.columns), tuple(told), tuple(rows.notes), rejected, unread, answers),
    )  # fmt: skip


def _told_of_cases(what: str, names: Sequence[str], of: int) -> list[str]:
    have = "has" if len(names) == 1 else "have"
    return [f"{len(names):,} of {of:,} cases {have} {what} ({first_few(map(quoted, names))})."] if names else []


def _check_missing(rows: Rows, there: Mask, refused: Codes) -> None:
    """Adds a fault to the first row of each case that one of the raters `refused` has no list for.

    Cases that hold a fault already are passed over: the row that would have made the list is refused for a reason.
    """
    faulty = np.unique(rows.case[sorted(rows.faults)])
    named = np.isin(np.arange(len(there)), rows.case[~(rows.right[REFERENCE] | rows.right[FINAL])])
    lacking = ~there[:, refused] & named[:, None]  # a case of right answers alone is left out
    lacking[faulty[faulty >= 0]] = False
    firsts = (np.unique(of, return_index=True) for of in (rows.list_of, rows.case))
    of_list, of_case = (dict(zip(numbers.tolist(), row.tolist(), strict=True)) for numbers, row in firsts)
    for case, at in np.argwhere(lacking).tolist():
        whose, whole = f"by {quoted(rows.raters[refused[at]])}", f"case {quoted(rows.cases[case])}"
        row = of_list.get(case * len(rows.raters) + int(refused[at]), of_case[case])
        problem = (
            f"the {whole} has no list {whose}, who lacks {int(lacking[:, at].sum()):,} of {len(rows.cases):,} cases"
        )
        more: dict[str, Any] = {"remedy": Remedy("counts it as an empty answer", missing=EMPTY)}
        if row in rows.unread and rows.rater[row] == refused[at]:
            problem, more = f"no list could be read from the answer {whose} for {whole}", {"got": rows.unread[row]}
        rows.add(row, problem, "rater", of_case=True, allowed="a list of every rater for every case", **more)


def _told_missing(rows: Rows, there: Mask, cases: Codes, used: Codes, own: bool) -> list[str]:
    """Sentences on the lists that are not there, are empty or could not be read, rater by rater.

    cases, used : the codes of the cases and raters that are left. own : they are out of the rater's n.
    """
    said, means = list[str](), "they are out of its figures" if own else "each counts as an empty answer"
    for rater in used.tolist():
        name, unread = rows.raters[rater], [row for row in rows.unread if rows.rater[row] == rater]
        blank = int((rows.empty & rows.given & (rows.rater == rater) & there[rows.case, rater]).sum())
        if (missing := int((~there[cases, rater]).sum()) - len(unread)) > 0:
            said.append(f"{name} has no list for {missing:,} of {len(cases):,} cases; {means}.")
        if blank:
            said.append(f"{counted(blank, 'answer')} of {name} (of {len(cases):,} cases) say nothing: empty lists.")
        for row in unread[:1]:
            whole = ": its figures say how it writes, not what it knows" if len(unread) == len(cases) else ""
            first = f"the first, in row {rows.table.row_number(row)}, is {quoted(' '.join(rows.unread[row].split()))}"
            many = f"{counted(len(unread), 'answer')} of {name} (of {len(cases):,} cases){whole}"
            said.append(f"No diagnoses could be read from {many}; each counts as an empty answer; {first}.")
    return said


def _set_aside(
    rows: Rows, spoilt: Codes, refused: Codes, answered: Mask, path: Output | None, broken: Sequence[InputError]
) -> tuple[Mask, Rejected]:
    """bool [cases], those that are left out; what is wrong with them, and with the lists `spoilt`, is written to `path`.

    broken : lines that could not be read, which go there too.

    Raises
    ------
    InputError
        The first fault, where `path` is None.
    """
    if rows.faults and path is None:
        raise rows.faults[min(rows.faults)].with_remedy(SET_ASIDE)
    out, at = np.zeros(len(rows.cases) + 1, bool), np.array(sorted(rows.faults), np.int64)
    if path is None or not (len(at) or broken):
        return out[:-1], Rejected(path=None if path is None else os.fspath(path))
    whole = np.isin(at, [*rows.of_case]) | np.isin(rows.rater[at], refused) | ~answered[rows.case[at]]
    whole |= ~(rows.ranked | rows.empty)[at] | (rows.right[REFERENCE] | rows.right[FINAL])[at]
    out[rows.case[at[whole]]] = True
    out[-1] = False  # of rows without a case
    of_case = {int(rows.case[row]): row for row in at[whole][::-1].tolist()}
    of_list = {int(rows.list_of[row]): row for row in at[::-1].tolist()}
    reasons = {row: str(fault) for row, fault in rows.faults.items()}
    for row in np.flatnonzero(out[rows.case] | np.isin(rows.list_of, spoilt)).tolist():
        what, first = ("case", of_case[rows.case[row]]) if out[rows.case[row]] else ("list", of_list[rows.list_of[row]])
        reasons.setdefault(row, f"left out with its {what}: {rows.faults[first]}")
    place = [*zip(map(rows.table.source_of, range(len(rows.case))), rows.table.row_numbers().tolist(), strict=True)]
    listed = {
        place[row] for row in reasons if not rows.once[row]
    }  # a right answer in a column stands in the rows of lists
    reasons = {row: why for row, why in reasons.items() if not (rows.once[row] and place[row] in listed)}
    write_rejects(rows.table, reasons, path, broken)
    return out[:-1], Rejected(len(reasons) + len(broken), int(out.sum()), os.fspath(path))
