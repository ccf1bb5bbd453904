"""What is made of names once: from several threads, ahead of the pairs, and through a pickle."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dxmatch.errors import OptionError
from dxmatch.features.compute import feature_table, prepare, steps
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.interning import InternedPairs
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.features.representations import Representations
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

FEATURES = FeatureSet.from_dict(
    {
        "feature": [
            {"name": "better", "kind": "alignment", "side": "better"},
            {"name": "contrast", "kind": "contrast"},
            {"name": "cosine", "kind": "cosine"},
            {"name": "lemmas", "kind": "ratio", "view": "lemma"},
            {"name": "bigrams", "kind": "ratio", "view": "bigram"},
            {"name": "edits", "kind": "levenshtein"},
            {"name": "worse", "kind": "alignment", "side": "worse"},
            {"name": "better_again", "kind": "alignment", "side": "better"},
        ]
    }
)
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


def some_pairs(count: int = 90) -> InternedPairs:
    random = np.random.default_rng(1)
    names = list(dict.fromkeys(" ".join(random.choice(WORDS, random.integers(1, 6))) for _ in range(count)))
    first, second = np.triu_indices(len(names))
    return InternedPairs(
        names, first.astype(np.int32), second.astype(np.int32), np.arange(len(first)), np.zeros(len(first), bool)
    )


def test_one_step_for_what_is_compared_together() -> None:
    """The two sides of one alignment share a step; the same side once more has its own."""
    found = [(one.kind.name, sorted(one.columns.values())) for one in steps(FEATURES)]
    assert ("alignment", [0, 6]) in found and ("alignment", [7]) in found
    assert sorted(column for _, columns in found for column in columns) == list(range(8))
    table = feature_table(some_pairs(), FEATURES, providers())
    np.testing.assert_array_equal(table[:, 0], table[:, 7])
    assert (table[:, 0] >= table[:, 6]).all() and (table[:, 0] > table[:, 6]).any()


def test_prepared_names_are_not_asked_about_again() -> None:
    pairs, encoder, reported = some_pairs(), HashedEncoder(), []
    behind = Providers(Naming(Normalizer()), {SHIPPED: encoder})
    texts = Representations(pairs.names, behind)
    prepare(texts, FEATURES, progress=lambda done, total: reported.append((done, total)))
    assert reported == [(len(pairs.names), len(pairs.names))]
    asked = encoder.asked
    prepare(texts, FEATURES)
    table = feature_table(pairs, FEATURES, behind, texts=texts, threads=1)
    assert encoder.asked == asked == 2, "the names once, and their words once"
    np.testing.assert_array_equal(table, feature_table(pairs, FEATURES, providers()))


@pytest.mark.parametrize("prepared", [True, False])
def test_many_threads_make_each_thing_once(prepared: bool) -> None:
    pairs, encoder = some_pairs(), HashedEncoder()
    behind = Providers(Naming(Normalizer()), {SHIPPED: encoder})
    texts = Representations(pairs.names, behind)
    if prepared:
        prepare(texts, FEATURES)
    start = threading.Barrier(8)

    def table() -> np.ndarray:
        start.wait()
        return feature_table(pairs, FEATURES, behind, texts=texts, threads=1)

    with ThreadPoolExecutor(8) as pool:
        tables = [future.result() for future in [pool.submit(table) for _ in range(8)]]
    assert encoder.asked == 2
    for other in tables[1:]:
        np.testing.assert_array_equal(tables[0], other)


def test_through_a_pickle() -> None:
    """Arrays go out of band; what comes back needs no encoder and gives the same table, and says what it cannot do."""
    pairs, behind = some_pairs(), providers()
    texts = Representations(pairs.names, behind)
    prepare(texts, FEATURES)
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(texts, protocol=5, buffer_callback=buffers.append)
    assert sum(buffer.raw().nbytes for buffer in buffers) >= texts.vectors(SHIPPED).nbytes
    back = pickle.loads(packed, buffers=buffers)
    assert back.names == pairs.names
    table = feature_table(pairs, FEATURES, Providers(Naming(Normalizer())), texts=back, threads=2)
    np.testing.assert_array_equal(table, feature_table(pairs, FEATURES, behind, texts=texts))
    with pytest.raises(OptionError, match="prepared for these features before they were pickled"):
        back.token_sets("stem")
