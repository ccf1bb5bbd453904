"""Texts and names, each once; what is made of names once: from several threads, ahead of the pairs, and through a pickle."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.features.compute import feature_table, prepare
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.names import Names, different_texts, unordered_pairs
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

KINDS = {
    "better": {"kind": "alignment", "side": "better"}, "contrast": {"kind": "contrast"}, "cosine": {"kind": "cosine"},
    "lemmas": {"kind": "ratio", "view": "lemma"}, "edits": {"kind": "levenshtein"}, "worse": {"kind": "alignment", "side": "worse"},
}  # fmt: skip
FEATURES = FeatureSet.from_dict({"feature": [{"name": name, **kind} for name, kind in KINDS.items()]})
_WORDS = "acute chronic renal failure failures of left right bronchi type 1 2 kidney"
WORDS = _WORDS.split()


class HashedEncoder:
    """Counts what it is asked, so that a test can tell work that is done twice."""

    identity, dimensions = "hashed", 16

    def __init__(self) -> None:
        self.asked = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.asked += 1
        rows = np.array([np.random.default_rng(list(text.encode())).standard_normal(16) for text in texts], np.float32)
        return rows.reshape(-1, 16) / np.linalg.norm(rows.reshape(-1, 16), axis=1, keepdims=True)


def providers() -> Providers:
    return Providers(Naming(Normalizer()), {SHIPPED: HashedEncoder()})


def some_pairs(count: int = 90) -> tuple[list[str], np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    names = list(dict.fromkeys(" ".join(random.choice(WORDS, random.integers(1, 6))) for _ in range(count)))
    first, second = np.triu_indices(len(names))
    return names, first.astype(np.int32), second.astype(np.int32)


@pytest.mark.parametrize("prepared", [True, False])
def test_many_threads_make_each_thing_once(prepared: bool) -> None:
    (names, *pairs), encoder, reported = some_pairs(), HashedEncoder(), []
    texts = Names(names, Providers(Naming(Normalizer()), {SHIPPED: encoder}))
    if prepared:
        prepare(texts, FEATURES, progress=lambda done, total: reported.append((done, total)))
        assert reported == [(len(names), len(names))] and encoder.asked == 2, "the names once, and their words once"
    start = threading.Barrier(8)

    def table() -> np.ndarray:
        start.wait()
        return feature_table(texts, *pairs, FEATURES, threads=1)

    with ThreadPoolExecutor(8) as pool:
        tables = [future.result() for future in [pool.submit(table) for _ in range(8)]]
    assert encoder.asked == 2
    for other in tables:
        np.testing.assert_array_equal(other, feature_table(Names(names, providers()), *pairs, FEATURES))


def test_through_a_pickle() -> None:
    """Arrays go out of band; what comes back needs no encoder and gives the same table, and says what it cannot do."""
    names, *pairs = some_pairs()
    texts = Names(names, providers())
    prepare(texts, FEATURES)
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(texts, protocol=5, buffer_callback=buffers.append)
    assert sum(buffer.raw().nbytes for buffer in buffers) >= texts.vectors(SHIPPED).nbytes
    back = pickle.loads(packed, buffers=buffers)
    assert back.names == names
    table = feature_table(back, *pairs, FEATURES, threads=2)
    np.testing.assert_array_equal(table, feature_table(texts, *pairs, FEATURES))


@given(st.data())
def test_unordered_pairs_as_in_plain_python(data: st.DataObject) -> None:
    count = data.draw(st.sampled_from([1, 2, 3, 5, 2048, 2049, 70_000, 2**31 - 1]))
    code = st.integers(0, count - 1)
    rows = data.draw(st.lists(st.tuples(code, code), min_size=1, max_size=60))
    a, b = (np.array(side, np.int32) for side in zip(*rows, strict=True))
    first, second, pair_of_row = unordered_pairs(a, b, count)
    keys = list(map(tuple, np.sort(np.stack([a, b], axis=1)).tolist()))
    found = list(zip(first.tolist(), second.tolist(), strict=True))
    assert found == sorted(set(keys)) and [found[pair] for pair in pair_of_row] == keys
    assert (first.dtype, second.dtype, pair_of_row.dtype) == (np.int32, np.int32, np.int64)


def test_texts_of_two_columns() -> None:
    a, b = ["Flu", "gout", "é"], ["gout", "Flu", "flu"]
    for sides in ((a, b), (pa.array(a), pa.chunked_array([b[:1], b[1:]])), (np.array(a), np.array(b, object))):
        texts, at_a, at_b = different_texts(*sides)
        assert texts == ["Flu", "gout", "é", "flu"]
        assert at_a.tolist() == [0, 1, 2] and at_b.tolist() == [1, 0, 3]
    with pytest.raises(InputError, match="differ in length"):
        different_texts(["x"], [])
    for value in (None, 3, ["x"]):
        with pytest.raises(InputError, match="not a text.*Got: "):
            different_texts(["x"], [value])


def test_names_of_texts() -> None:
    names = Names.read(["Flu", "FLU", "gout"], providers())
    assert names.names == ["influenza", "gout"] and names.name_of.tolist() == [0, 0, 1]
    with pytest.raises(InputError, match="without a letter or digit"):
        Names.read(["Flu", "?"], providers())
