"""Tables in the long form as one: those of several files, and right answers that are kept apart, which are rows of their cases."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...errors import InputError, quoted
from ...files.tables import Table
from .lists import FINAL, REFERENCE, as_text
from .long import COLUMN, RIGHT, Long, as_texts, constant, unique
from .names import (
    ANSWER,
    MORE,
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


def together(longs: Sequence[Long], source: str = "") -> Long:
    """Tables of several files as one; each row keeps its file and its number there. source : what all of them are called."""
    if len(longs) == 1:
        return longs[0]
    files, own = list(dict.fromkeys(one.table.source for one in longs)), longs[0].own.items()
    said = " or ".join(list(dict.fromkeys(one.recognised for one in longs))[:2])
    tables = [one.table for one in longs]
    texts = [{name: as_texts(table.data[name]) for name in table.names} for table in tables]
    kinds = {name: {of[name].type for of in texts if name in of} for of in texts for name in of}
    for of in texts:  # a column of several kinds is of texts
        of |= {name: pa.array(map(as_text, of[name].to_pylist()), pa.string()) for name in of if len(kinds[name]) > 1}
    table = Table(
        pa.concat_tables(map(pa.table, texts), promote_options="default"), source or ", ".join(files[:4]) + (", …" if len(files) > 4 else ""), 1,
        rows=np.concatenate([one.row_numbers() for one in tables]),
        sources=[one.source_of(row) for one in tables for row in range(len(one))],
        note=" ".join(one.note for one in tables if one.note), broken=tuple(error for one in tables for error in one.broken),
    )  # fmt: skip
    return Long(
        table,
        own={ours: name for ours, name in own if all(one.own.get(ours) == name for one in longs)},
        columns=tuple(dict.fromkeys(name for one in longs for name in one.columns)),
        recognised=f"{len(files)} files, {said}" if len(files) > 1 else said,
        warnings=tuple(dict.fromkeys(text for one in longs for text in one.warnings)),
        named=all(one.named for one in longs),
        asked=any(one.asked for one in longs),
    )


def right_of(table: Table, given: Mapping[str, Any], by: Collection[str]) -> Long:
    """Right answers of a table of their own, as rows with a role. given : the option `columns`, as far as it names columns of this table.

    Raises
    ------
    InputError
        Where no column holds right answers.
    """
    names = columns_by_name(
        table.names, {ours: name for ours, name in given.items() if name in table.names}, table.source
    )
    if "case_id" not in names and RANK not in names:
        names |= unnamed_cases(table.names)
    answer = {folded(name): name for name in table.names}.get(ANSWER)
    listed = [names[ours] for ours in (PREDICTIONS, "diagnosis") if ours in names] + ([answer] if answer else [])
    if (
        "reference" in names
        and folded(names["reference"]) in (FINAL, *OTHER_NAMES[FINAL])
        and FINAL not in names
        and listed
    ):
        names[FINAL] = names.pop("reference")  # beside a differential, which is the set
    others = [name for name in table.names if name != names.get("case_id")]
    reference = next((n for n in (names.get("reference"), *listed, *others[: len(others) == 1]) if n), None)
    if reference is None or table.data[reference].null_count == len(table):
        allowed = "a column 'reference', or its name in the option 'columns'"
        raise InputError(
            f"no column holds right answers{of_sheet(table)}", source=table.source, allowed=allowed, got=table.names
        )
    cases = table.data[names["case_id"]] if "case_id" in names else pa.array(map(str, range(1, len(table) + 1)))
    of_case = {"case_id": cases} | {name: table.data[name] for name in by if name in table.names}
    parts, rows = list[pa.Table](), list[Any]()
    for role, column in ((REFERENCE, reference), (FINAL, names.get(FINAL))):
        if column is None:
            continue
        beside = {
            ours: names.get(f"{role}_{ours}") or (role == REFERENCE and names.get(ours))
            for ours in ("icd10", "severity")
        }
        data = {ours: as_texts(table.data[name]) for ours, name in {"diagnosis": column, **beside}.items() if name}
        data |= {**of_case, RIGHT: constant(role, len(table)), COLUMN: constant(column, len(table))}
        kept = np.arange(len(table))
        if RANK in names or "rater" in names:  # beside a row for each diagnosis it is said again and again
            (of_case_at, of), said = unique(data["case_id"]), unique(data["diagnosis"])[0]
            kept = np.sort(np.unique(of_case_at * (len(table) + 1) + said, return_index=True)[1])
            told = kept[said[kept] >= 0]
            if RANK not in names and len(again := np.delete(told, np.unique(of_case_at[told], return_index=True)[1])):
                row = int(again[0])
                raise table.error(
                    f"the {role} differs within the case {quoted(as_text(of[of_case_at[row]]))}", row, column
                )
        parts.append(pa.table(data).take(pa.array(kept)))
        rows.append(table.row_numbers()[kept])
    made = Table(pa.concat_tables(parts, promote_options="default"), table.source, 1, rows=np.concatenate(rows))
    return Long(made, columns=tuple(table.names), warnings=table.warnings, named=bool(names.get("case_id", "").strip()))


def joined(lists: Long, right: Long) -> Long:
    """The lists with the right answers of their cases, which go before those that they bring.

    Raises
    ------
    InputError
        Where the two have no case in common, or a table whose cases no column names has others than the other table.
    """
    cases = [*map(as_text, unique(lists.table.data["case_id"])[1])]
    codes, values = unique(right.table.data["case_id"])
    known = [*map(as_text, values)]
    if {*known}.isdisjoint(cases):
        raise InputError(
            "no case of the lists has a right answer by its name", source=right.table.source, got=known[:_SHOWN],
            allowed=f"the names of the lists' cases: {_first(cases)}; the same names in both files, or the column that holds them named in "
            "the option 'columns' (case_id=COLUMN); of objects the model stands outside, {model: {case: list}}",
        )  # fmt: skip
    if not (lists.named and right.named) and {*known} != {*cases}:
        raise InputError(
            f"no column names the cases of {(right if lists.named else lists).table.source}, and the two have not the same ones ({len(known):,} beside {len(cases):,})",
            source=right.table.source, allowed="a column with a name that holds the cases, in both", got=known[:_SHOWN],
        )  # fmt: skip
    held, warnings = lists.table, list[str]()
    replaced = [ours for ours in OF_THE_REFERENCE if ours in held.names]
    said = [lists.column_of(ours, 0) for ours in replaced if held.data[ours].null_count < len(held)]
    held = replace(held, data=held.data.drop_columns(replaced))
    if "role" in held.names:
        codes_of, roles = unique(held.data["role"])
        is_right = np.array([*(as_text(role).casefold() in (REFERENCE, FINAL) for role in roles), False])[codes_of]
        held, said = (
            (held.filter(~is_right), [*said, "rows with the role reference"]) if is_right.any() else (held, said)
        )
    if said:
        warnings.append(
            f"The right answers of {right.table.source} were taken, not those beside the lists ({', '.join(said)})."
        )
    answered = {*cases}
    if extra := [name for name in known if name not in answered]:
        many, are = ("1 case has", "it is") if len(extra) == 1 else (f"{len(extra):,} cases have", "they are")
        warnings.append(f"{many} a right answer and no list ({_first(extra)}); {are} left out.")
    kept = right.table.filter(np.array([*(name in answered for name in known), False])[codes])
    own = [name for name in kept.names if name not in held.names or name in ("case_id", "diagnosis", *MORE[:2], COLUMN)]
    made = together(
        [replace(lists, table=held), replace(right, table=replace(kept, data=kept.data.select(own)))],
        lists.table.source,
    )
    said = f"{lists.recognised}; right answers from {right.table.source}"
    return replace(made, own=lists.own, recognised=said, warnings=(*made.warnings, *warnings))


def _first(names: Sequence[str]) -> str:
    return ", ".join(map(quoted, names[:_SHOWN])) + (", …" if len(names) > _SHOWN else "")
