"""Every string once, every unordered pair once: the work is done on these and gathered back to the rows."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..terms.icd.naming import Naming
from ..terms.text.scripts import mixed_scripts
from .readings import RowReadings, TextReadings

if TYPE_CHECKING:
    import pyarrow as pa

    Strings = Sequence[str] | pa.Array | pa.ChunkedArray

T = TypeVar("T", bound=Hashable)

_SIDES = ("a", "b")


@dataclass(frozen=True)
class InternedPairs:
    """n rows of two diagnoses, as m unique unordered pairs of u unique normalised strings.

    Attributes
    ----------
    names : the u normalised strings, in order of first appearance.
    first, second : int32[m], indices into `names`, `first <= second`; sorted by (first, second), so that pairs
        that share a string lie together.
    pair_of_row : int64[n], the unique pair of each row.
    turned : bool[n], rows whose `a` is the second of their pair.
    said : what was made of the texts of the rows; None where all are understood as they are.
    mixed : words of the texts that mix scripts.
    """

    names: list[str]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    pair_of_row: NDArray[np.int64]
    turned: NDArray[np.bool_]
    said: RowReadings | None = None
    mixed: tuple[str, ...] = ()

    @property
    def not_understood(self) -> NDArray[np.bool_]:
        """bool[n]: a side of the row is not understood, and the two are not the same string."""
        if self.said is None:
            return np.zeros(len(self.pair_of_row), bool)
        return self.said.not_understood & ~self.equal[self.pair_of_row]

    @property
    def equal(self) -> NDArray[np.bool_]:
        """bool[m]: both sides are the same string after normalisation."""
        return self.first == self.second


def intern_strings(columns: Sequence[Strings]) -> tuple[list[str], list[NDArray[np.int32]]]:
    """Unique raw strings over all columns, and each column as int32 codes into them. No value may be null.

    Raises
    ------
    InputError
        Where a column holds anything but texts, with the place in the column.
    """
    if all(isinstance(column, list | tuple) for column in columns):
        for side, column in zip(_SIDES, columns, strict=False):
            _check_texts(column, side)
        index: dict[str, int] = {}
        codes = [np.array([index.setdefault(text, len(index)) for text in column], np.int32) for column in columns]
        return list(index), codes
    import pyarrow as pa

    chunks: list[pa.Array] = []
    for column in columns:
        chunks.append(_texts(column, _SIDES[len(chunks)]).cast(pa.large_string()).combine_chunks())
    encoded = pa.chunked_array(chunks, pa.large_string()).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    ends = np.cumsum([len(chunk) for chunk in chunks])[:-1]
    return encoded.dictionary.to_pylist(), list(np.split(codes, ends))


def _check_texts(values: Sequence[object], side: str) -> None:
    for row, text in enumerate(values):
        if not isinstance(text, str):
            raise _no_text(text, row, side)


def _texts(column: Strings, side: str) -> pa.ChunkedArray:
    """A column of texts, none null: an Arrow array, or a series or array of pandas, polars or numpy."""
    import pyarrow as pa

    if not isinstance(column, pa.Array | pa.ChunkedArray):
        values = list(column)
        _check_texts(values, side)
        return pa.chunked_array([pa.array(values, pa.large_string())])
    arrow = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    kind = arrow.type.value_type if pa.types.is_dictionary(arrow.type) else arrow.type
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if arrow.null_count or not is_text:
        row = arrow.is_null().index(True).as_py() if arrow.null_count else 0
        if len(arrow):
            raise _no_text(arrow[row].as_py(), row, side)
    return arrow


def _no_text(got: object, row: int, side: str) -> InputError:
    return InputError("not a text", row=row, column=side, allowed="a diagnosis in words", got=got)


def intern_pairs(a: Strings, b: Strings, naming: Callable[[list[str]], list[str]]) -> InternedPairs:
    """Interns two columns of n raw diagnoses.

    Parameters
    ----------
    a, b : n texts each: a list, or an Arrow array.
    naming : gives the name of each unique raw text; a `Naming` with a vocabulary also says which are not understood.

    Raises
    ------
    InputError
        Where the columns differ in length or a text holds no letter or digit.
    """
    for side, column in zip(_SIDES, (a, b), strict=True):
        several = isinstance(column, Mapping | Set) or hasattr(type(column), "columns")
        if several or isinstance(column, str | bytes) or not hasattr(column, "__len__"):
            allowed = "a list or a column of texts; `probability` takes a single pair"
            raise InputError("not a list of diagnoses", column=side, allowed=allowed, got=column)
    if len(a) != len(b):
        raise InputError("the two sides differ in length", allowed="one b for each a", got=(len(a), len(b)))
    raw, (codes_a, codes_b) = intern_strings([a, b])
    mixed = tuple(dict.fromkeys(word for text in raw for word in mixed_scripts(text)))
    said = None
    if isinstance(naming, Naming) and naming.vocabulary is not None:
        readings = naming.read(raw)
        texts = TextReadings.of(raw, readings)
        said = RowReadings(texts, codes_a, codes_b) if texts else None
        named = [reading.name for reading in readings]
    else:
        named = naming(raw)
    names, name_of_raw = numbered(named)
    of_a, of_b = name_of_raw[codes_a], name_of_raw[codes_b]
    return InternedPairs(names, *unordered_pairs(of_a, of_b, len(names)), of_a > of_b, said, mixed)


def numbered(values: Sequence[T]) -> tuple[list[T], NDArray[np.int32]]:
    """The different values in order of first appearance, and int32[n], where each of `values` is among them."""
    index: dict[T, int] = {}
    places = np.fromiter((index.setdefault(value, len(index)) for value in values), np.int32, len(values))
    return list(index), places


def unordered_pairs(
    a: NDArray[np.int32], b: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """`first`, `second` and `pair_of_row` of `InternedPairs`, for n rows of two codes in [0, count)."""
    bits = max(count - 1, 0).bit_length()
    keys = np.minimum(a, b).astype(np.int64) << bits | np.maximum(a, b)
    unique, pair_of_row = np.unique(keys, return_inverse=True)
    first, second = unique >> bits, unique & ((1 << bits) - 1)
    return first.astype(np.int32), second.astype(np.int32), pair_of_row.astype(np.int64, copy=False)


def by_first_appearance(codes: NDArray[np.int32], count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Codes in [0, count), or -1, numbered anew in the order in which they appear, and the old code of each new one."""
    rows = np.flatnonzero(codes >= 0)[::-1]
    first_row = np.full(count, -1, np.int64)
    first_row[codes[rows]] = rows  # of several rows with one code, the last one assigned stays: the first of all
    used = np.flatnonzero(first_row >= 0)
    old = used[np.argsort(first_row[used])].astype(np.int32)
    new = np.full(count + 1, -1, np.int32)
    new[old] = np.arange(len(old))
    return new[codes], old
