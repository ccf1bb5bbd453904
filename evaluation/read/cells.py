"""Cells that hold whole lists -> their diagnoses, each unlike cell read once."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...files.json_records import as_text
from ...terms.text.sentences import MOST_WORDS, says_nothing
from .entry_names import says
from .raw_answers import ranked_diagnoses, says_more
from .structured_answers import listed

LIST, MISSING, UNREAD = 0, 1, 2
COMMAS_ASK = 10
"""From one cell in so many up with a comma that may part it, whether it does is asked."""
NO_SEPARATOR = "none"
SEPARATORS = 'the option \'separator\': "," where commas part diagnoses, or "none" where they belong to names ("pneumonia, viral")'
_MARKS = re.compile(r"\s*[;|]\s*(?![^()]*\))")
"""Not within brackets: "t(15;17)" is one name."""
_TORN = re.compile(r"\([^()]*[;|][^()]*\)")
_BLANKS = frozenset(["null", "nan", "<na>", "#n/a"])


def commas_ask(open_: int, of: int) -> bool:
    """Whether so many of the cells hold commas that nothing tells, that the user must say what they are."""
    return open_ > 0 and open_ * COMMAS_ASK >= of


@dataclass(frozen=True)
class ListCells:
    """The lists in n cells. status : int8 [n], LIST, MISSING (blank) or UNREAD. lengths : int64 [n], 0 but for lists.

    diagnoses : of all lists, one after the other; null for a blank. text : of a cell, as it came.
    in_words : bool [n], cells that hold an answer in words and not a plain list. commas : bool [n], cells that are one diagnosis with a comma.
    """

    status: NDArray[np.int8]
    lengths: NDArray[np.int64]
    diagnoses: pa.Array
    text: Callable[[int], str]
    in_words: NDArray[np.bool_]
    commas: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))


def list_cells(column: pa.ChunkedArray, separator: str | None = None) -> ListCells:
    """A column of lists of texts, or of texts that hold lists or answers (`diagnoses_in`). separator : as in `read_lists`."""
    kind = column.type
    if (pa.types.is_list(kind) or pa.types.is_large_list(kind)) and _is_text(kind.value_type):
        return _of_lists(column)
    return _of_texts(column, separator)


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)


def _of_lists(column: pa.ChunkedArray) -> ListCells:
    lengths = pc.list_value_length(column).to_numpy(zero_copy_only=False)
    missing = np.isnan(lengths) if lengths.dtype.kind == "f" else np.zeros(len(lengths), bool)
    flat = pc.list_flatten(column)
    return ListCells(
        np.where(missing, MISSING, LIST).astype(np.int8),
        np.where(missing, 0, lengths).astype(np.int64),
        _array(flat).cast(pa.large_string()),
        lambda i: str(column[i].as_py()),
        np.zeros(len(lengths), bool),
    )


def _of_texts(column: pa.ChunkedArray, separator: str | None) -> ListCells:
    if not (_is_text(column.type) or pa.types.is_dictionary(column.type)):
        column = pa.chunked_array([pa.array([as_text(v) for v in column.to_pylist()], pa.large_string())])
    encoded = _array(column.dictionary_encode())
    texts: list[str | None] = encoded.dictionary.to_pylist()
    codes = pc.fill_null(encoded.indices, len(texts)).to_numpy(zero_copy_only=False).astype(np.int64)
    read = [diagnoses_in(text, separator) if text is not None and not is_blank(text) else MISSING for text in texts]
    status = np.array(
        [*(MISSING if found == MISSING else UNREAD if found is None else LIST for found in read), MISSING], np.int8
    )
    words = [
        found is None or (isinstance(found, list) and says_more(text or "", found))
        for found, text in zip(read, texts, strict=True)
    ]
    lists = [found if isinstance(found, list) else [] for found in read]
    sizes = np.array([*map(len, lists), 0], np.int64)
    starts = np.cumsum(sizes) - sizes
    pool = pa.array([name or None for found in lists for name in found], pa.large_string())
    lengths = sizes[codes]
    places = np.repeat(starts[codes] - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
    return ListCells(
        status[codes],
        lengths,
        pool.take(pa.array(places)),
        lambda i: texts[codes[i]] or "",
        np.array([*words, False])[codes],
        np.array(
            [
                *(
                    "," in (text or "") and found == [(text or "").strip()]
                    for text, found in zip(texts, lists, strict=True)
                ),
                False,
            ]
        )[codes],
    )


def _array(column: Any) -> Any:
    """One array of a chunked one."""
    made = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return made.chunk(0) if isinstance(made, pa.ChunkedArray) else made


def is_blank(text: str) -> bool:
    return not text.strip() or text.strip().casefold() in _BLANKS


def diagnoses_in(text: str, separator: str | None = None) -> list[str] | None:
    """The diagnoses in a cell, likeliest first; None where no list can be read from it.

    A list in JSON or in Python's form; "a; b; c" and "a | b" on one line; else as an answer in words, by `ranked_diagnoses`.
    A word for no diagnosis is a list of that word.

    >>> diagnoses_in("gout; sepsis"), diagnoses_in("['gout', 'sepsis']")
    (['gout', 'sepsis'], ['gout', 'sepsis'])
    """
    text = text.strip()
    if separator and separator != NO_SEPARATOR and "\n" not in text and not text.startswith(("{", "[", "<")):
        parts = [part.strip() for part in text.split(separator) if part.strip()]
        if len(parts) > 1 and not any(says(part) or ":" in part for part in parts):
            return parts
    if says_nothing(text) and not text.startswith(("[", "{")):
        return [text]
    if (names := _names_listed(text)) is not None:
        return names
    if "\n" not in text and not text.startswith(("{", "[", "<")):
        parts = [part for part in _MARKS.split(text) if part.strip()]
        whole = all(len(part.split()) <= MOST_WORDS and not says(part) and ":" not in part for part in parts)
        if (len(parts) > 1 or _TORN.search(text)) and whole and not re.match(r"\(?\d{1,2}[.)]\s", text):
            return parts
    return ranked_diagnoses(text)


def _names_listed(text: str) -> list[str] | None:
    """The names in a list, each perhaps with its probability; None where the text holds none."""
    values = listed(text)
    if values is None:
        return None
    values = [v[0] if isinstance(v, list | tuple) and v and isinstance(v[0], str) else v for v in values]
    if not all(isinstance(v, str | int | float) or v is None for v in values):
        return None
    return ["" if v is None else str(v).strip() for v in values]
