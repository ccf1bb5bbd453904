"""Every string once, every unordered pair once: the work is done on these and gathered back to the rows."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .errors import InputError


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


Strings = Sequence[str] | pa.Array | pa.ChunkedArray


def intern_strings(columns: Sequence[Strings]) -> tuple[list[str], list[NDArray[np.int32]]]:
    """Unique raw strings over all columns, and each column as codes into them. No value may be null."""
    chunks: list[pa.Array] = []
    for column in columns:
        arrow = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([pa.array(column)])
        chunks.append(arrow.cast(pa.large_string()).combine_chunks())
    encoded = pc.dictionary_encode(pa.chunked_array(chunks, pa.large_string())).combine_chunks()
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
    index: dict[str, int] = {}
    name_of_raw = np.fromiter((index.setdefault(name, len(index)) for name in naming(raw)), np.int32, len(raw))
    codes_a, codes_b = name_of_raw[codes_a], name_of_raw[codes_b]
    count = max(len(index), 1)
    keys = np.minimum(codes_a, codes_b).astype(np.int64) * count + np.maximum(codes_a, codes_b)
    unique, pair_of_row = np.unique(keys, return_inverse=True)
    return InternedPairs(
        list(index),
        (unique // count).astype(np.int32),
        (unique % count).astype(np.int32),
        pair_of_row.astype(np.int64, copy=False),
    )
