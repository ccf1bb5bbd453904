"""Cells that hold whole lists -> their diagnoses, each unlike cell read once."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ...files.json_records import as_text
from ...terms.text.sentences import says_nothing
from .entry_names import names_of, says
from .raw_answers import ranked_diagnoses, says_more
from .structured_answers import listed

LIST, MISSING, UNREAD = 0, 1, 2
COMMAS_ASK = 10
"""From one cell in so many up with a comma that may part it, whether it does is asked."""
NO_SEPARATOR = "none"
SEPARATORS = 'the option \'separator\': "," where commas part diagnoses, or "none" where they belong to names ("pneumonia, viral")'
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
    blank = [text is None or is_blank(text) for text in texts]
    of = [("" if none else text or "") for text, none in zip(texts, blank, strict=True)]
    read = [[] if none else diagnoses_in(text, separator) for text, none in zip(of, blank, strict=True)]
    status = np.where([*blank, True], MISSING, np.where([*(found is None for found in read), False], UNREAD, LIST))
    words = [bool(text) and (found is None or says_more(text, found)) for text, found in zip(of, read, strict=True)]
    commas = [_has_open_commas(text, found) for text, found in zip(of, read, strict=True)]
    lists = [found or [] for found in read]
    sizes = np.array([*map(len, lists), 0], np.int64)
    starts = np.cumsum(sizes) - sizes
    pool = pa.array([name or None for found in lists for name in found], pa.large_string())
    lengths = sizes[codes]
    places = np.repeat(starts[codes] - (np.cumsum(lengths) - lengths), lengths) + np.arange(int(lengths.sum()))
    return ListCells(
        status.astype(np.int8)[codes],
        lengths,
        pool.take(pa.array(places)),
        lambda i: texts[codes[i]] or "",
        np.array([*words, False])[codes],
        np.array([*commas, False])[codes],
    )


def _array(column: Any) -> Any:
    """One array of a chunked one."""
    made = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    return made.chunk(0) if isinstance(made, pa.ChunkedArray) else made


def is_blank(text: str) -> bool:
    return not text.strip() or text.strip().casefold() in _BLANKS


def diagnoses_in(text: str, separator: str | None = None) -> list[str] | None:
    """The diagnoses in a cell, likeliest first; None where no list can be read from it.

    A list in JSON or in Python's form; parts between `separator`, or between ";" or "|"; else as an answer in words, by `ranked_diagnoses`.
    A word for no diagnosis is a list of that word.

    >>> diagnoses_in("gout; sepsis"), diagnoses_in("['gout', 'sepsis']")
    (['gout', 'sepsis'], ['gout', 'sepsis'])
    """
    text = text.strip()
    if (values := listed(text)) is not None and all(isinstance(one, str) or one is None for one in values):
        return [(one or "").strip() for one in values]
    if says_nothing(text) and not text.startswith(("[", "{")):
        return [text]
    if not _is_one_line(text):
        return ranked_diagnoses(text)
    parts = [part.strip() for part in text.split(separator) if part.strip()] if separator else []
    if len(parts) > 1 and separator != NO_SEPARATOR and not any(says(part) or ":" in part for part in parts):
        return parts
    found = ranked_diagnoses(text)
    return names_of([text]) if found is None and separator == NO_SEPARATOR else found


def _is_one_line(text: str) -> bool:
    return "\n" not in text and not text.startswith(("{", "[", "<"))


def _has_open_commas(text: str, found: list[str] | None) -> bool:
    """Whether it is one diagnosis with a comma, or several between commas: nothing tells."""
    if "," not in text or not _is_one_line(text):
        return False
    return found == [text.strip()] or (found is None and names_of([text]) is not None)
