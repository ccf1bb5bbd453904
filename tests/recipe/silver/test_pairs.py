"""Silver pairs as a table: folds, and the checks of every pair."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from dxmatch.recipe.silver.pairs import SILVER, silver_pairs
from dxmatch.recipe.silver.pool import Pool
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.text.normalizer import Normalizer


def keys(pairs: pa.Table) -> list[frozenset[str]]:
    normalizer = Normalizer()
    return [
        frozenset(map(normalizer, pair)) for pair in zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True)
    ]


def check(pairs: pa.Table) -> None:
    assert pairs.column_names == ["a", "b", "label", "kind"]
    apart = {kind.name: kind.apart for kind in SILVER}
    assert all(apart[row["kind"]] == (row["label"] == 0) for row in pairs.to_pylist())
    found = keys(pairs)
    assert all(len(key) == 2 and "" not in key for key in found)
    assert len(set(found)) == len(found)


def test_the_same_again_and_another_seed(toy_pool: Pool) -> None:
    seen: list[tuple[int, int]] = []
    pairs = silver_pairs(toy_pool, 300, 1, lambda done, total: seen.append((done, total)))
    check(pairs)
    negatives = [row for row in pairs.to_pylist() if not row["label"]]
    assert all(toy_pool.vocabulary.may_differ((row["a"],), (row["b"],)) for row in negatives)
    assert seen == [(i, 300) for i in range(1, len(pairs) + 1)]
    assert pairs.equals(silver_pairs(toy_pool, 300, 1))
    assert not pairs.equals(silver_pairs(toy_pool, 300, 2))


def test_a_fold_has_names_of_that_fold_alone(toy_sources: Path, toy_vocabulary: Vocabulary) -> None:
    fold_of = {t: toy_vocabulary._fold_of[d] for t, d in toy_vocabulary.disease_of.items() if d >= 0}
    sizes = []
    for fold in range(5):
        pairs = silver_pairs(Pool(Vocabulary(toy_sources, Normalizer(), fold)), 200)
        check(pairs)
        for key in keys(pairs):
            assert {fold_of[name] for name in key if name in fold_of} <= {fold}
        sizes.append(len(pairs))
    assert min(sizes) > 0
