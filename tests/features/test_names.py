"""Names and pairs, each once; what is made of names once, from several threads and ahead of the pairs."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.features.compute import feature_table, prepare
from dxmatch.features.names import Names, unordered_pairs
from dxmatch.features.providers import SHIPPED

from .made import feature_set, providers

FEATURES = feature_set(
    {"kind": "alignment", "side": "better"}, {"kind": "contrast"}, {"kind": "cosine"}, {"kind": "ratio", "view": "lemma"},
    {"kind": "levenshtein"}, {"kind": "alignment", "side": "worse"},
)  # fmt: skip
_WORDS = "acute chronic renal failure failures of left right bronchi type 1 2 kidney"
WORDS = _WORDS.split()
RANDOM = np.random.default_rng(1)
NAMES = list(dict.fromkeys(" ".join(RANDOM.choice(WORDS, RANDOM.integers(1, 6))) for _ in range(90)))
PAIRS = np.stack(np.triu_indices(len(NAMES))).astype(np.int32)
TABLE = feature_table(Names(NAMES, providers()), *PAIRS, FEATURES)


@pytest.mark.parametrize("prepared", [True, False])
def test_many_threads_make_each_thing_once(prepared: bool) -> None:
    opened, reported = providers(), []
    names, encoder = Names(NAMES, opened), opened.encoders[SHIPPED]
    if prepared:
        prepare(names, FEATURES, progress=lambda done, total: reported.append((done, total)))
        assert reported == [(len(NAMES), len(NAMES))]
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: feature_table(names, *PAIRS, FEATURES, threads=1), range(8)))
    assert sorted(encoder.asked) == sorted([*NAMES, *WORDS]), "each name once, and each word"  # type: ignore[attr-defined]
    for table in tables:
        np.testing.assert_array_equal(table, TABLE)


@given(st.data())
def test_unordered_pairs_as_in_plain_python(data: st.DataObject) -> None:
    """Also of so many names that the square of their number is beyond 32 or 64 bits."""
    count = data.draw(st.sampled_from([1, 2, 5, 2049, 70_000, 2**31 - 1]))
    code = st.integers(0, count - 1)
    rows = data.draw(st.lists(st.tuples(code, code), min_size=1, max_size=60))
    a, b = (np.array(side, np.int32) for side in zip(*rows, strict=True))
    first, second, pair_of_row = unordered_pairs(a, b, count)
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    keys = [(min(row), max(row)) for row in rows]
    assert found == sorted(set(keys)) and [found[pair] for pair in pair_of_row] == keys
