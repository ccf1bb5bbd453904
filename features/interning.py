"""Every string once, every unordered pair once: the work is done on these and gathered back to the rows."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    Strings = Sequence[str] | pa.Array | pa.ChunkedArray

T = TypeVar("T", bound=Hashable)


@dataclass(frozen=True)
class InternedPairs:
    """n rows of two diagnoses, as m unique unordered pairs of u unique normalised strings.

    Attributes
    ----------
    names : the u normalised strings, in order of first appearance.
    first, second : int32[m], indices into `names`, `first <= second`; sorted by (first, second), so that pairs
        that share a string lie together.
    pair_of_row : int64[n], the unique pair of each row.
    """

    names: list[str]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    pair_of_row: NDArray[np.int64]

    @property
    def equal(self) -> NDArray[np.bool_]:
        """bool[m]: both sides are the same string after normalisation."""
        return self.first == self.second


def intern_strings(columns: Sequence[Strings]) -> tuple[list[str], list[NDArray[np.int32]]]:
    """Unique raw strings over all columns, and each column as int32 codes into them. No value may be null.

    Raises
    ------
    InputError
        Where a list holds anything but texts.
    """
    if all(isinstance(column, list | tuple) for column in columns):
        for text in chain(*columns):
            if not isinstance(text, str):
                raise InputError("not a text", allowed="a diagnosis in words", got=text)
        index: dict[str, int] = {}
        codes = [np.array([index.setdefault(text, len(index)) for text in column], np.int32) for column in columns]
        return list(index), codes
    import pyarrow as pa

    chunks: list[pa.Array] = []
    for column in columns:
        arrow = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([pa.array(column)])
        chunks.append(arrow.cast(pa.large_string()).combine_chunks())
    encoded = pa.chunked_array(chunks, pa.large_string()).dictionary_encode().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    codes = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False)
    ends = np.cumsum([len(chunk) for chunk in chunks])[:-1]
    return encoded.dictionary.to_pylist(), list(np.split(codes, ends))


def intern_pairs(a: Strings, b: Strings, naming: Callable[[list[str]], list[str]]) -> InternedPairs:
    """Interns two columns of n raw diagnoses.

    Parameters
    ----------
    a, b : n texts each: a list, or an Arrow array.
    naming : gives the name of each unique raw text (see `Naming`).

    Raises
    ------
    InputError
        Where the columns differ in length or a text holds no letter or digit.
    """
    if len(a) != len(b):
        raise InputError("the two sides differ in length", allowed="one b for each a", got=(len(a), len(b)))
    raw, (codes_a, codes_b) = intern_strings([a, b])
    names, name_of_raw = numbered(naming(raw))
    return InternedPairs(names, *unordered_pairs(name_of_raw[codes_a], name_of_raw[codes_b], len(names)))


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
