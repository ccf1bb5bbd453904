"""Every string once, every unordered pair once: the work is done on these and gathered back to the rows."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..compiled import compiled
from ..errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    Strings = Sequence[str] | pa.Array | pa.ChunkedArray

FEW_ROWS = 4096
"""Up to so many rows, numpy's sort is done before a compiled kernel is loaded."""
_FEW_STRINGS = 64
"""Up to so many strings in lists, Python interns them: pyarrow imports pandas, which takes far longer, to read a list."""
_DIGIT = 11
_MASK = (1 << _DIGIT) - 1


@dataclass(frozen=True)
class InternedPairs:
    """n rows of two diagnoses, as m unique unordered pairs of u unique normalised strings.

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
    """Unique raw strings over all columns, and each column as codes into them. No value may be null."""
    if sum(map(len, columns)) <= _FEW_STRINGS and all(
        isinstance(column, list | tuple) and all(type(text) is str for text in column) for column in columns
    ):
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
    """Interns two columns of n raw diagnoses; `naming` gives the name of each unique raw text (see `Naming`).

    Errors: `InputError` where the columns differ in length or a text holds no letter or digit.
    """
    if len(a) != len(b):
        raise InputError("the two sides differ in length", allowed="one b for each a", got=(len(a), len(b)))
    raw, (codes_a, codes_b) = intern_strings([a, b])
    names, name_of_raw = unique_names(naming(raw))
    return InternedPairs(names, *unordered_pairs(name_of_raw[codes_a], name_of_raw[codes_b], len(names)))


def unique_names(names: Sequence[str]) -> tuple[list[str], NDArray[np.int32]]:
    """The different names in order of first appearance, and int32[n], where each of `names` is among them."""
    index: dict[str, int] = {}
    places = np.fromiter((index.setdefault(name, len(index)) for name in names), np.int32, len(names))
    return list(index), places


def unordered_pairs(
    a: NDArray[np.int32], b: NDArray[np.int32], count: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """`first`, `second` and `pair_of_row` of `InternedPairs`, for n rows of two codes in [0, count)."""
    n = len(a)
    code_bits, row_bits = max(count - 1, 0).bit_length(), max(n - 1, 0).bit_length()
    if n > FEW_ROWS and 2 * code_bits + row_bits <= 63:
        return _by_radix(a, b, code_bits, row_bits)
    keys = np.minimum(a, b).astype(np.int64) << code_bits | np.maximum(a, b)
    unique, pair_of_row = np.unique(keys, return_inverse=True)
    first, second = unique >> code_bits, unique & ((1 << code_bits) - 1)
    return first.astype(np.int32), second.astype(np.int32), pair_of_row.astype(np.int64, copy=False)


@compiled()
def by_first_appearance(codes: NDArray[np.int32], count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Codes in [0, count), or -1, numbered anew in the order in which they appear, and the old code of each new one."""
    new = np.full(count, -1, np.int32)
    old = np.empty(count, np.int32)
    out = np.empty(len(codes), np.int32)
    used = 0
    for row in range(len(codes)):
        code = codes[row]
        if code >= 0 and new[code] < 0:
            new[code] = used
            old[used] = code
            used += 1
        out[row] = new[code] if code >= 0 else -1
    return out, old[:used].copy()


@compiled()
def _by_radix(
    a: NDArray[np.int32], b: NDArray[np.int32], code_bits: int, row_bits: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Lesser code, greater code and row in one number each, sorted by the codes, eleven bits at a time."""
    n = len(a)
    keys = np.empty(n, np.int64)
    for row in range(n):
        lesser, greater = np.int64(min(a[row], b[row])), np.int64(max(a[row], b[row]))
        keys[row] = (lesser << code_bits | greater) << row_bits | row
    other = np.empty(n, np.int64)
    place = np.empty(1 << _DIGIT, np.int64)
    for shift in range(row_bits, row_bits + 2 * code_bits, _DIGIT):
        place[:] = 0
        for key in keys:
            place[key >> shift & _MASK] += 1
        before = 0
        for digit in range(len(place)):
            before, place[digit] = before + place[digit], before
        for key in keys:
            digit = key >> shift & _MASK
            other[place[digit]] = key
            place[digit] += 1
        keys, other = other, keys
    first = np.empty(n, np.int32)
    second = np.empty(n, np.int32)
    pair_of_row = np.empty(n, np.int64)
    pair = np.int64(-1)
    last = np.int64(-1)
    for key in keys:
        if key >> row_bits != last:
            last = key >> row_bits
            pair += 1
            first[pair] = last >> code_bits
            second[pair] = last & ((1 << code_bits) - 1)
        pair_of_row[key & ((1 << row_bits) - 1)] = pair
    return first[: pair + 1].copy(), second[: pair + 1].copy(), pair_of_row
