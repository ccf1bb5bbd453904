"""Lists in long form (case_id, rater, role, rank, diagnosis) -> `Lists`, with every row checked."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import InputError, OptionError
from ...files.tables import Table, check_output, read_table, write_rejects
from .columns import Codes, Named, Problems, coded, diagnoses, no_diagnosis_words, one_per_case, ranks, roles
from .lists import NO_DIAGNOSIS, REFERENCE, UNUSED, Cell, Lists, Rejected, as_text, assign_roles, note_unused

REQUIRED = ("case_id", "rater", "rank", "diagnosis")
MORE = ("icd10", "severity", "relation", "category")
MORE_OF_THE_REFERENCE = ("icd10", "severity")
OPTIONAL = ("role", "reference", *MORE, *(f"reference_{name}" for name in MORE_OF_THE_REFERENCE))


def read_lists(
    source: Any,
    *,
    algorithms: Iterable[str] | None = None,
    columns: Mapping[str, str] | None = None,
    no_diagnosis: Iterable[str] = (),
    rejects: str | os.PathLike[str] | None = None,
) -> Lists:
    """Reads and checks lists of diagnoses.

    Parameters
    ----------
    source : a path, a data frame or a `Table`: columns case_id, rater, rank and diagnosis; optionally role, reference,
        icd10, severity, relation, category, reference_icd10 and reference_severity.
    algorithms : raters that are the algorithms; all others are the panel. Goes before the column role.
    columns : other names of columns, `{"diagnosis": "dx"}`.
    no_diagnosis : words that mean "no diagnosis", in any case. They keep their place in the list and match nothing.
    rejects : a file for what cannot be right; without it the first such row is an `InputError`. The unit is the case:
        a bad row spoils its list, and a case in which one list is spoilt is left out for everybody. All rows of such
        a case are written, the bad ones with their own reason. (A row without a case is written alone.)
    """
    table = read_table(source)
    names = _column_names(table, columns)
    if rejects is not None:
        check_output(rejects)
    empty_words = no_diagnosis_words(no_diagnosis)
    problems = Problems(table)

    case, cases = of_case = coded(names["case_id"], problems, "the case has no name")
    rater, raters = of_rater = coded(names["rater"], problems, "the rater has no name")
    rank = ranks(names["rank"], problems)
    entry, strings, notes = diagnoses(names["diagnosis"], empty_words, problems)
    role_of_rater, role_of_row = roles(names.get("role"), of_rater, problems)
    is_reference = role_of_row == REFERENCE
    said = {
        what: one_per_case(names[what], what, of_case, problems)
        for what in ("reference", *(f"reference_{name}" for name in MORE_OF_THE_REFERENCE))
        if what in names
    }
    if "reference" in names and is_reference.any():
        raise _two_references(table, names["reference"], int(np.flatnonzero(is_reference)[0]))
    reference = [() if cell is None else (cell.value,) for cell in said.get("reference", [None] * len(cases))]

    kept_raters = [i for i in range(len(raters)) if role_of_rater is None or role_of_rater[i] != REFERENCE]
    assigned = None if role_of_rater is None else tuple(role_of_rater[i] for i in kept_raters)
    if algorithms is not None:
        listing = [raters[i] for i in kept_raters]
        assigned = assign_roles(listing, assigned, algorithms, table.source)
        notes.extend(note_unused(listing, assigned))
    used = np.zeros(len(raters) + 1, bool)
    used[[r for place, r in enumerate(kept_raters) if assigned is None or assigned[place] != UNUSED]] = True
    ranked = used[rater] | is_reference
    _check_ranking(names["rank"], of_case, of_rater, rank, ranked, problems)
    _check_missing(names["rater"], of_case, of_rater, np.flatnonzero(used), problems)

    alive, rejected = _set_aside(of_case, problems, rejects)
    order = np.flatnonzero(alive)
    order = order[np.lexsort((rank[order], rater[order], case[order]))]
    if not len(order):
        raise InputError(f"no case is left of {len(cases):,}; see {rejected.path}", source=table.source)
    reference_rows = order[is_reference[order] & (entry[order] >= 0)]
    for row in reference_rows.tolist():
        reference[case[row]] = (*reference[case[row]], strings[entry[row]])
    reference_more = _reference_more(table, names, said, reference_rows, case[reference_rows], len(cases))
    order = order[used[rater[order]]]
    case_at, n = _renumbered(case[order], len(cases))
    rater_at, r = _renumbered(rater[order], len(raters))
    said, _ = _renumbered(np.append(entry[order], NO_DIAGNOSIS), len(strings) + 1)
    list_of = case_at[case[order]] * r + rater_at[rater[order]]
    lengths = np.bincount(list_of, minlength=n * r)
    there_cases, there_raters = np.flatnonzero(case_at >= 0), np.flatnonzero(rater_at >= 0).tolist()
    return Lists(
        source=table.source,
        cases=[cases[i] for i in there_cases],
        raters=[raters[i] for i in there_raters],
        roles=None if assigned is None else tuple(assigned[kept_raters.index(i)] for i in there_raters),
        strings=[strings[i] for i in np.flatnonzero(said[:-1] >= 0)],
        entries=said[entry[order]].astype(np.int32),
        offsets=(np.cumsum(lengths) - lengths).reshape(n, r),
        lengths=lengths.reshape(n, r),
        rows=order + table.first_row,
        reference=[reference[i] for i in there_cases],
        more={name: table.data.column(names[name]).take(pa.array(order)).to_pylist() for name in MORE if name in names},
        reference_more={name: [cells[i] for i in there_cases] for name, cells in reference_more.items()},
        rejected=rejected,
        notes=tuple(notes),
    )


def _column_names(table: Table, columns: Mapping[str, str] | None) -> dict[str, str]:
    """Our name of a column -> the table's."""
    mapped = dict(columns or {})
    for ours in mapped:
        if ours not in REQUIRED + OPTIONAL:
            raise OptionError("columns", f"names for {', '.join(REQUIRED + OPTIONAL)}", ours)
    for ours in (*REQUIRED, *mapped):
        table.require(mapped.get(ours, ours), {"rater": "who listed it", "rank": "1 is likeliest"}.get(ours, ""))
    return {ours: mapped.get(ours, ours) for ours in REQUIRED + OPTIONAL if mapped.get(ours, ours) in table.names}


def _check_ranking(
    column: str, case: Named, rater: Named, rank: Codes, ranked: NDArray[np.bool_], problems: Problems
) -> None:
    """Adds a problem for each rank that is given twice in one list, or that leaves a gap before it.

    ranked : rows that belong to a list.
    Lists that hold a row with a problem already are passed over: the gap is only its consequence.
    """
    codes_case, cases = case
    codes_rater, raters = rater
    list_of = np.where((codes_case < 0) | (codes_rater < 0), -1, codes_case * len(raters) + codes_rater)
    rows = np.flatnonzero(ranked & (list_of >= 0) & ~np.isin(list_of, problems.rows_of(list_of)))
    rows = rows[np.lexsort((rows, rank[rows], list_of[rows]))]
    if not len(rows):
        return
    starts = np.append(True, list_of[rows][1:] != list_of[rows][:-1])
    before = np.where(starts, 0, np.append(0, rank[rows][:-1]))
    step = rank[rows] - before
    for at in np.flatnonzero(step != 1).tolist():
        row = int(rows[at])
        whose = f"the list by {raters[codes_rater[row]]!r} for case {cases[codes_case[row]]!r}"
        if step[at] == 0:
            problem = f"the rank {rank[row]} is given twice in {whose}"
        elif before[at] == 0:
            problem = f"{whose} does not start at 1"
        else:
            problem = f"the rank {before[at] + 1} is missing in {whose}"
        problems.add(row, problem, column, allowed="1, 2, 3, …, each once in a list", got=int(rank[row]))


def _check_missing(column: str, case: Named, rater: Named, used: Codes, problems: Problems) -> None:
    """Adds a problem to the first row of each case that one of the raters `used` lacks.

    Cases that hold a problem already are passed over: the row that would have made the list is refused for a reason.
    """
    codes_case, cases = case
    codes_rater, raters = rater
    there = np.zeros((len(cases), len(raters)), bool)
    known = (codes_case >= 0) & (codes_rater >= 0)
    there[codes_case[known], codes_rater[known]] = True
    lacking = ~there[:, used]
    faulty = problems.rows_of(codes_case)
    lacking[faulty[faulty >= 0]] = False
    if not lacking.any():
        return
    total = lacking.sum(0)
    first_row = np.full(len(cases), -1)
    place, rows = np.unique(codes_case, return_index=True)
    first_row[place[place >= 0]] = rows[place >= 0]
    tally = ", ".join(
        f"{raters[r]!r} lacks {count:,} of {len(cases):,} cases" for r, count in zip(used, total, strict=True) if count
    )
    for i in np.flatnonzero(lacking.any(1)).tolist():
        absent = [raters[r] for r, lacks in zip(used, lacking[i], strict=True) if lacks]
        problem = f"the case {cases[i]!r} has no list by {', '.join(map(repr, absent))} ({tally})"
        allowed = "a list of every rater for every case; --rejects FILE leaves such cases out"
        problems.add(int(first_row[i]), problem, column, allowed=allowed)


def _reference_more(
    table: Table,
    names: dict[str, str],
    said: Mapping[str, list[Cell | None]],
    rows: Codes,
    case_of_row: Codes,
    n_cases: int,
) -> dict[str, list[tuple[Cell, ...]]]:
    """What the columns `reference_…` say of each case, or else its rows with the role reference, one cell for each."""
    out: dict[str, list[tuple[Cell, ...]]] = {}
    for name in MORE_OF_THE_REFERENCE:
        by_column = said.get(f"reference_{name}")
        if by_column is not None:
            out[name] = [() if cell is None else (cell,) for cell in by_column]
        if name not in names or not len(rows):
            continue
        values = table.data.column(names[name]).take(pa.array(rows)).to_pylist()
        cells = [Cell(as_text(value) or None, table.row_number(row)) for value, row in zip(values, rows, strict=True)]
        if by_column is None:
            out[name] = [()] * n_cases
            for cell, i in zip(cells, case_of_row.tolist(), strict=True):
                out[name][i] = (*out[name][i], cell)
        elif told := [row for cell, row in zip(cells, rows.tolist(), strict=True) if cell.value is not None]:
            raise _two_references(table, names[f"reference_{name}"], told[0])
    return out


def _two_references(table: Table, column: str, row: int) -> InputError:
    return table.error(
        "two references", row, column, allowed=f"a column {column!r} or rows with the role reference, not both"
    )


def _set_aside(
    of_case: Named, problems: Problems, rejects: str | os.PathLike[str] | None
) -> tuple[NDArray[np.bool_], Rejected]:
    """Which rows stay. Without `rejects` the first problem is raised; with it, its whole case is written there."""
    case, cases = of_case
    if not problems:
        return np.ones(len(case), bool), Rejected(path=None if rejects is None else os.fspath(rejects))
    if rejects is None:
        raise problems[min(problems)]
    culprit = np.full(len(cases), -1)
    for row in sorted(problems, reverse=True):
        if case[row] >= 0:
            culprit[case[row]] = row
    out = (culprit[case] >= 0) & (case >= 0)
    reasons = {
        row: f"left out with its case: {problems[int(culprit[case[row]])]}"
        for row in np.flatnonzero(out).tolist()
        if row not in problems
    }
    reasons.update({row: str(problem) for row, problem in problems.items()})
    write_rejects(problems.table, reasons, rejects)
    alive = ~out
    alive[list(problems)] = False
    return alive, Rejected(len(reasons), int((culprit >= 0).sum()), os.fspath(rejects))


def _renumbered(codes: Codes, count: int) -> tuple[Codes, int]:
    """Old code -> new, without the gaps of codes that do not occur (-1), and how many do. -1 stays -1."""
    there = np.zeros(count, bool)
    there[codes[codes >= 0]] = True
    return np.where(there, np.cumsum(there) - 1, -1), int(there.sum())
