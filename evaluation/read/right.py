"""Right answers that are kept apart from the lists, joined to them by case."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...errors import InputError, quoted
from ...files.invisible import told, visible, visible_names
from ...files.json_records import as_text
from ...files.tables import Table, read_table
from .case_names import other_spellings, told_spellings
from .long import FINAL, FINAL_ICD10, OF_THE_REFERENCE, Long
from .names import ANSWER, OTHER_NAMES, PREDICTIONS, columns_by_name, folded
from .recognise import of_sheet

_SHOWN = 3
_DIFFERENTIAL = re.compile(r"diff?eren|ddx", re.IGNORECASE)
"""Of a column whose diagnoses are a set, beside a final one."""


@dataclass(frozen=True)
class RightAnswers:
    """columns : reference, its codes and severities, and columns of the case -> {case: text}.

    cases : their names, in order. in_order : they have no names, but an order. names : all columns of the table that holds them.
    warnings : what was doubtful in their file.
    """

    source: str
    columns: Mapping[str, Mapping[str, str | None]]
    cases: list[str]
    in_order: bool = False
    names: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def right_answers(value: Any, table: Table | None, given: Mapping[str, Any], by: Collection[str]) -> RightAnswers:
    """Right answers as {case: answer or answers}, as a list in the order of the cases, or as a table of any shape.

    table : of `value`, where it is one. given : the option `columns`, as far as it names columns of this table.

    Raises
    ------
    InputError
        Where no column holds right answers, or a case has two rows that differ in what they say of the case.
    """
    if table is None and isinstance(value, Mapping):
        written = [str(as_text(case)) for case in value]
        mended = {case: seen for case in written if (seen := visible(case)).strip() != case.strip()}
        cells = {mended.get(case, case): as_text(answer) for case, answer in zip(written, value.values(), strict=True)}
        said = (told(mended, "references", "the names of the cases"),) if mended else ()
        return RightAnswers("references", {"reference": cells}, list(cells), warnings=said)
    if table is None and isinstance(value, list | tuple):
        cells = {str(i): as_text(answer) for i, answer in enumerate(value, 1)}
        return RightAnswers("references", {"reference": cells}, list(cells), in_order=True)
    table = visible_names(read_table(value) if table is None else table)
    names = columns_by_name(table.names, {k: v for k, v in given.items() if v in table.names}, table.source)
    by_fold = {folded(name): name for name in table.names}
    others = [name for name in table.names if name != names.get("case_id")]
    reference = next(
        (
            found
            for found in (*(names.get(n) for n in ("reference", "diagnosis", PREDICTIONS)), by_fold.get(ANSWER))
            if found
        ),
        others[0] if len(others) == 1 else None,
    )
    final = names.get(FINAL)
    differential = [n for ours in (PREDICTIONS, "diagnosis") if (n := names.get(ours)) and _DIFFERENTIAL.search(n)]
    if final is None and "reference" not in given and differential and folded(reference or "") in OTHER_NAMES[FINAL]:
        reference, final = differential[0], reference
    if reference is None:
        raise InputError(
            f"no column holds right answers{of_sheet(table)}", source=table.source,
            allowed="a column 'reference', or its name in the option 'columns'", got=table.names,
        )  # fmt: skip
    if "case_id" in names:
        cases = [as_text(value) or "" for value in _plain_texts(table, names["case_id"])]
    else:
        cases = [str(i) for i in range(1, len(table) + 1)]
    codes = names.get("reference_icd10", names.get("icd10"))
    severities = names.get("reference_severity", names.get("severity"))
    wanted = {
        "reference": reference,
        "reference_icd10": codes,
        "reference_severity": severities,
        FINAL: final,
        FINAL_ICD10: names.get(FINAL_ICD10),
    }
    held = {ours: _plain_texts(table, name) for ours, name in wanted.items() if name is not None}
    columns = {ours: _joined(cases, texts) for ours, texts in held.items()}
    for name in by:
        if name in table.names and name not in columns:
            columns[name] = dict(reversed([*zip(cases, _plain_texts(table, name), strict=True)]))
    return RightAnswers(
        table.source, columns, list(dict.fromkeys(cases)), "case_id" not in names, tuple(table.names), table.warnings
    )


def _plain_texts(table: Table, name: str) -> list[str | None]:
    return [_number_as_text(value) for value in table.column(name)]


def _number_as_text(value: Any) -> str | None:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = as_text(value)
    return text.strip() if text is not None else None


def _joined(cases: Sequence[str], texts: Sequence[str | None]) -> dict[str, str | None]:
    """The texts of each case: one as it is, several rows as one list."""
    of: dict[str, list[str]] = {}
    for case, text in zip(cases, texts, strict=True):
        held = of.setdefault(case, [])
        if text:
            held.append(text)
    return {case: None if not held else held[0] if len(held) == 1 else as_text(held) for case, held in of.items()}


def _of_cases(right: RightAnswers, cases: list[str]) -> RightAnswers:
    """Right answers in order, as those of the cases in theirs. Raises `InputError` where there are more or fewer."""
    if len(right.cases) != len(cases):
        raise InputError(
            f"{len(right.cases):,} right answers in order beside {len(cases):,} cases", source=right.source,
            allowed="as many of the one as of the other, or right answers with the names of their cases",
        )  # fmt: skip
    name_of = dict(zip(right.cases, cases, strict=True))
    columns = {ours: {name_of[place]: cell for place, cell in cells.items()} for ours, cells in right.columns.items()}
    return replace(right, columns=columns, cases=cases)


def joined(long: Long, right: RightAnswers) -> Long:
    """The lists with the right answers of their cases, which go before those that they bring.

    Raises
    ------
    InputError
        Where the two have no case in common.
    """
    table, names = long.table, dict(long.names)
    column = table.data.column(names["case_id"])
    encoded = column.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    cases = [_number_as_text(value) or "" for value in encoded.dictionary.to_pylist()]
    if right.in_order:
        right = _of_cases(right, list(dict.fromkeys(_number_as_text(value) or "" for value in column.to_pylist())))
    spelt = {} if right.in_order else other_spellings(right.cases, cases)
    held = {
        name: {spelt.get(case, case): cell for case, cell in cells.items()} for name, cells in right.columns.items()
    }
    known = {spelt.get(case, case) for case in right.cases}
    if known.isdisjoint(cases):
        raise InputError(
            "no case of the lists has a right answer by its name", source=right.source,
            allowed=f"the names of the lists' cases: {_first(cases)}; the same names in both files, or the column that holds them "
            "named in the option 'columns' (case_id=COLUMN)",
            got=right.cases[:_SHOWN],
        )  # fmt: skip
    warnings = [*long.warnings, *right.warnings]
    if spelt:
        warnings.append(told_spellings(spelt, right.source))
    # a final diagnosis beside the lists stays where the right answers bring none
    replaced = [ours for ours in OF_THE_REFERENCE if ours not in (FINAL, FINAL_ICD10) or FINAL in held]
    own = [names[ours] for ours in replaced if ours in names]
    if own:
        warnings.append(
            f"The right answers of {right.source} were taken, not those beside the lists ({', '.join(own)})."
        )
    names = {ours: name for ours, name in names.items() if ours not in replaced}
    indices = pc.fill_null(encoded.indices, len(cases))
    for ours, cells in held.items():
        texts = pa.array([*(cells.get(case) for case in cases), None], pa.string()).take(indices)
        name = ours
        if ours in OF_THE_REFERENCE:
            while name in table.names:
                name += "_"
            names[ours] = name
        elif name in table.names:
            continue
        table = replace(table, data=table.data.append_column(name, texts))
    answered = set(cases)
    if extra := [name for name in right.cases if spelt.get(name, name) not in answered]:
        many = "1 case has" if len(extra) == 1 else f"{len(extra):,} cases have"
        are = "it is" if len(extra) == 1 else "they are"
        warnings.append(f"{many} a right answer and no list ({_first(extra)}); {are} left out.")
    said = f"{long.recognised}; right answers from {right.source}" + (" in order" if right.in_order else "")
    return replace(
        long,
        table=table,
        names=names,
        warnings=tuple(warnings),
        recognised=said,
        columns=tuple(dict.fromkeys((*long.columns, *right.names))),
    )


def _first(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
