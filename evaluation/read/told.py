"""Whether the columns of a table tell whose a list is and of which case; where they do not, nothing is pooled in silence."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...errors import InputError, plain, quoted
from ...files.json_records import as_text
from ...files.tables import Table
from .names import RANK
from .recognise import BY_ROW, LONG, Shape

_NEARLY = 1.1
"""Cases times models, in rows: of a few cases an answer is not there."""
_LOOKED_AT = 8


def check_told(table: Table, shape: Shape, given: Mapping[str, Any]) -> None:
    """given : the option `columns`.

    Raises
    ------
    InputError
        Where lists of several models, or of several cases, would become one.
    """
    names = shape.names
    if "case_id" not in names:
        if "rater" in names and _repeats(table, [names["rater"]]):
            raise _untold(table, "case_id", "the case", _unique_with(table, [names["rater"]], _free(table, shape)))
        if shape.kind == LONG and len(set(table.column(names[RANK]))) > 1:
            raise _untold(table, "case_id", "the case", list(shape.unread))
    if "rater" in names or "rater" in given or (shape.kind not in (LONG, BY_ROW) and "" not in shape.lists):
        return
    own = [] if "case_id" in given else _crossing(table, list(shape.unread)[:_LOOKED_AT])
    if own:
        raise _untold(table, "rater", "the model, and which the case", own)
    if "case_id" not in names:
        return
    keys = [
        names["case_id"],
        *([names[RANK]] if shape.kind == LONG else [names["diagnosis"]] if shape.kind == BY_ROW else []),
    ]
    if _repeats(table, keys, of=names["case_id"]) and (could := _unique_with(table, keys, shape.unread)):
        raise _untold(table, "rater", "the model", could)


def codes_of(table: Table, column: str) -> NDArray[np.int64]:
    """The values of a column as numbers; -1 for a blank."""
    values = table.data.column(column)
    if pa.types.is_nested(values.type):
        values = pa.chunked_array([pa.array(map(as_text, values.to_pylist()), pa.string())])
    encoded = values.dictionary_encode().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    return pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False).astype(np.int64)


def _free(table: Table, shape: Shape) -> list[str]:
    """The columns that hold neither lists nor what is known."""
    used = {*shape.names.values(), *(column for group in shape.lists.values() for column in group)}
    return [
        name for name in table.names if name not in used and not pa.types.is_nested(table.data.schema.field(name).type)
    ]


def _repeats(table: Table, columns: Collection[str], of: str | None = None) -> bool:
    """Whether the values of these columns come again; with `of`, in half of its values at least."""
    codes = np.column_stack([codes_of(table, column) for column in columns])
    _, first, counts = np.unique(codes, axis=0, return_index=True, return_counts=True)
    if of is None:
        return bool((counts > 1).any())
    whole = codes_of(table, of)
    return len(np.unique(whole[first[counts > 1]])) * 2 >= len(np.unique(whole))


def _unique_with(table: Table, columns: list[str], others: Collection[str]) -> list[str]:
    """Those of the others that make the values of the columns unique, and are not unique themselves."""
    return [name for name in others if len(set(table.column(name))) > 1 and not _repeats(table, [*columns, name])]


def _crossing(table: Table, names: list[str]) -> list[str]:
    """Two columns of which each pair of values is one row: cases and models."""
    size = {name: len(set(table.column(name))) for name in names}
    for one, other in combinations(names, 2):
        whole = size[one] * size[other]
        if (
            min(size[one], size[other]) > 1
            and len(table) <= whole <= len(table) * _NEARLY
            and not _repeats(table, [one, other])
        ):
            return sorted((one, other), key=size.__getitem__)
    return []


def _untold(table: Table, ours: str, what: str, could: list[str]) -> InputError:
    may = f"; it may be {' or '.join(map(quoted, could))}" if could else ""
    return InputError(
        f"no column is known that says which is {what}{may}",
        source=table.source,
        allowed=f"its name in the option 'columns' ({ours}={plain(could[0]) if could else 'COLUMN'})",
        got=table.names,
    )
