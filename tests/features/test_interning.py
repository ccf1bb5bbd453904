from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.features import interning
from dxmatch.features.interning import intern_pairs, numbered, unordered_pairs


def plainly(a: list[int], b: list[int]) -> tuple[list[tuple[int, int]], list[int]]:
    keys = [(min(pair), max(pair)) for pair in zip(a, b, strict=True)]
    unique = sorted(set(keys))
    return unique, [unique.index(key) for key in keys]


@given(st.data())
def test_unordered_pairs_as_in_plain_python(data: st.DataObject) -> None:
    count = data.draw(st.sampled_from([1, 2, 3, 5, 2048, 2049, 70_000, 2**31 - 1]))
    code = st.integers(0, count - 1)
    rows = data.draw(st.lists(st.tuples(code, code), min_size=1, max_size=60))
    a, b = (np.array(side, np.int32) for side in zip(*rows, strict=True))
    first, second, pair_of_row = unordered_pairs(a, b, count)
    unique, places = plainly(a.tolist(), b.tolist())
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == unique
    assert pair_of_row.tolist() == places
    assert (first.dtype, second.dtype, pair_of_row.dtype) == (np.int32, np.int32, np.int64)


def test_numbered() -> None:
    names, places = numbered(["b", "a", "b"])
    assert names == ["b", "a"]
    assert places.tolist() == [0, 1, 0]


def test_intern_pairs_by_hand() -> None:
    pairs = intern_pairs(["Flu", "gout", "FLU"], ["gout", "flu", "flu"], lambda texts: [t.lower() for t in texts])
    assert pairs.names == ["flu", "gout"]
    assert pairs.first.tolist() == [0, 0]
    assert pairs.second.tolist() == [0, 1]
    assert pairs.pair_of_row.tolist() == [1, 1, 0]
    assert pairs.equal.tolist() == [True, False]
    with pytest.raises(InputError, match="differ in length"):
        intern_pairs(["x"], [], list)
    for value in (None, 3, ["x"]):
        with pytest.raises(InputError, match="not a text.*Got: "):
            intern_pairs(["x"], [value], list)


def test_lists_and_arrow_intern_alike() -> None:
    a, b = ["Flu", "gout", "é"], ["gout", "Flu", "flu"]
    plain, arrow = (intern_pairs(*sides, list) for sides in ((a, b), (pa.array(a), pa.chunked_array([b[:1], b[1:]]))))
    assert plain.names == arrow.names == ["Flu", "gout", "é", "flu"]
    for name in ("first", "second", "pair_of_row"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(arrow, name))


@given(st.lists(st.integers(-1, 9), max_size=30))
def test_numbers_by_first_appearance(codes: list[int]) -> None:
    new, old = interning.by_first_appearance(np.array(codes, np.int32), 10)
    assert old.tolist() == list(dict.fromkeys(code for code in codes if code >= 0))
    assert [old[code] if code >= 0 else -1 for code in new.tolist()] == codes
