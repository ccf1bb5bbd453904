"""Right answers that are kept apart from the lists, joined to them by case."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from ...errors import InputError, quoted
from ...files.json_records import as_text
from ...files.tables import Table
from .case_names import other_spellings, told_spellings
from .lists import as_text as name_of
from .long import Long, unique
from .names import (
    ANSWER,
    FINAL,
    FINAL_ICD10,
    OF_THE_REFERENCE,
    OTHER_NAMES,
    PREDICTIONS,
    RANK,
    columns_by_name,
    folded,
    unnamed_cases,
)
from .shapes import of_sheet

_SHOWN = 3


@dataclass(frozen=True)
class RightAnswers:
    """columns : reference, its codes and severities, and columns of the case -> {case: text}.

    cases : their names, in order. in_order : they have no names, but an order. named : a column of a name holds them. names : all columns of the table that holds them.
    warnings : what was doubtful in their file.
    """

    source: str
    columns: Mapping[str, Mapping[str, str | None]]
    cases: list[str]
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    in_order: bool = False
    named: bool = True


def right_answers(table: Table, given: Mapping[str, Any], by: Collection[str]) -> RightAnswers:
    """Right answers of a table of their own. given : the option `columns`, as far as it names columns of this table.

    Raises
    ------
    InputError
        Where no column holds right answers.
    """
    names = columns_by_name(table.names, {k: v for k, v in given.items() if v in table.names}, table.source)
    if "case_id" not in names and RANK not in names:
        names |= unnamed_cases(table)
    others = [name for name in table.names if name != names.get("case_id")]
    answer = {folded(name): name for name in table.names}.get(ANSWER)
    listed = [names[ours] for ours in (PREDICTIONS, "diagnosis") if ours in names] + ([answer] if answer else [])
    if "reference" in names and folded(names["reference"]) in OTHER_NAMES[FINAL] and FINAL not in names and listed:
        names[FINAL] = names.pop("reference")  # beside a differential, which is the set
    reference = next((n for n in (names.get("reference"), *listed, *others[: len(others) == 1]) if n), None)
    if reference is None:
        allowed = "a column 'reference', or its name in the option 'columns'"
        raise InputError(
            f"no column holds right answers{of_sheet(table)}", source=table.source, allowed=allowed, got=table.names
        )
    names |= {"reference": reference}
    for ours in ("icd10", "severity"):  # beside a right answer they can be of nothing else
        if ours in names:
            names.setdefault(f"reference_{ours}", names[ours])
    numbers = range(1, len(table) + 1)
    cases = [name_of(value) for value in table.column(names["case_id"])] if "case_id" in names else [*map(str, numbers)]
    once = RANK in names  # beside a row for each diagnosis it is said again and again
    columns = {ours: _of_cases(cases, table.column(names[ours]), once) for ours in OF_THE_REFERENCE if ours in names}
    columns |= {
        name: dict(zip(reversed(cases), map(_cell, reversed(table.column(name))), strict=True))
        for name in by
        if name in table.names
    }
    named = bool(names.get("case_id", "").strip())
    return RightAnswers(
        table.source, columns, list(dict.fromkeys(cases)), tuple(table.names), table.warnings, named=named
    )


def _cell(value: Any) -> str | None:
    return None if value is None else name_of(value) if isinstance(value, float) else (as_text(value) or "").strip()


def _of_cases(cases: Sequence[str], values: Sequence[Any], once: bool) -> dict[str, str | None]:
    """The texts of each case: one as it is, several rows as one list."""
    of: dict[str, list[str]] = {}
    for case, value in zip(cases, values, strict=True):
        held, text = of.setdefault(case, []), _cell(value)
        held += [text] if text and not (once and text in held) else []
    return {case: None if not held else held[0] if len(held) == 1 else as_text(held) for case, held in of.items()}


def joined(long: Long, right: RightAnswers) -> Long:
    """The lists with the right answers of their cases, which go before those that they bring.

    Raises
    ------
    InputError
        Where the two have no case in common, right answers in an order stand beside cases with names of their own, or a table whose
        cases no column names has others than the other table.
    """
    table = long.table
    codes, values = unique(table.data.column("case_id"))
    cases = [name_of(value) for value in values]
    spelt = other_spellings(right.cases, cases)
    known = [spelt.get(case, case) for case in right.cases]
    if set(known).isdisjoint(cases) or (right.in_order and known != cases):
        raise InputError(
            f"{len(known):,} right answers in order beside {len(cases):,} cases" if right.in_order else "no case of the lists has a right answer by its name",
            source=right.source, allowed=f"the names of the lists' cases: {_first(cases)}; the same names in both files, or the column that holds them "
            "named in the option 'columns' (case_id=COLUMN)", got=right.cases[:_SHOWN],
        )  # fmt: skip
    by_place = long.columns and not long.own.get("case_id", "").strip()
    if (by_place or not right.named) and set(known) != set(cases):
        raise InputError(
            f"no column names the cases of {table.source if by_place else right.source}, and the two have not the same ones",
            source=right.source, allowed="a column with a name that holds the cases, in both", got=right.cases[:_SHOWN],
        )  # fmt: skip
    warnings = [*long.warnings, *right.warnings, *([told_spellings(spelt, right.source)] if spelt else [])]
    # a final diagnosis beside the lists stays where the right answers bring none
    replaced = {
        ours
        for ours in OF_THE_REFERENCE
        if ours in table.names and (ours not in (FINAL, FINAL_ICD10) or FINAL in right.columns)
    }
    if replaced:
        own = ", ".join(long.own.get(ours, ours) for ours in OF_THE_REFERENCE if ours in replaced)
        warnings.append(f"The right answers of {right.source} were taken, not those beside the lists ({own}).")
    data = table.data.drop_columns([*replaced])
    for name, cells in right.columns.items():
        if name not in data.column_names:
            of = {spelt.get(case, case): cell for case, cell in cells.items()}
            texts = pa.array([*(of.get(case) for case in cases), None], pa.string())
            data = data.append_column(name, texts.take(pa.array(codes % (len(cases) + 1))))
    answered = set(cases)
    if extra := [name for name, case in zip(right.cases, known, strict=True) if case not in answered]:
        many, are = ("1 case has", "it is") if len(extra) == 1 else (f"{len(extra):,} cases have", "they are")
        warnings.append(f"{many} a right answer and no list ({_first(extra)}); {are} left out.")
    return replace(
        long, table=replace(table, data=data), warnings=tuple(warnings), own={o: n for o, n in long.own.items() if o not in replaced},
        recognised=f"{long.recognised}; right answers from {right.source}", columns=tuple(dict.fromkeys((*long.columns, *right.names))),
    )  # fmt: skip


def _first(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
