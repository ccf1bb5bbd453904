"""Pairs of known relation from made-up sources."""

from __future__ import annotations

from collections import Counter

from dxmatch.recipe.relation.pairs import CLOSE, FAR, KIND, NONE, SAME, relation_pairs
from dxmatch.recipe.silver.pool import Pool


def test_no_pair_twice_and_the_same_again(toy_pool: Pool) -> None:
    made = relation_pairs(toy_pool, 600)
    assert made.column_names == ["a", "b", "relation"]
    normalizer = toy_pool.vocabulary.normalizer
    keys = [frozenset(map(normalizer, pair)) for pair in zip(made["a"].to_pylist(), made["b"].to_pylist(), strict=True)]
    assert all(len(key) == 2 and "" not in key for key in keys) and len(set(keys)) == len(keys)
    assert {SAME, KIND, CLOSE} <= set(Counter(made["relation"].to_pylist()))
    assert made.equals(relation_pairs(toy_pool, 600))
    assert not made.equals(relation_pairs(toy_pool, 600, seed=1))


def test_of_a_kind_and_its_class_the_kind_comes_first(toy_pool: Pool) -> None:
    graph, normalizer = toy_pool.vocabulary.graph, toy_pool.vocabulary.normalizer
    checked = 0
    for row in relation_pairs(toy_pool, 2_000).to_pylist():
        a, b = (graph.disease_of.get(normalizer(row[side])) for side in "ab")
        if a is None or b is None or a == b:
            continue
        if row["relation"] == KIND:
            assert graph.steps_up(b, a) < 0, row
            checked += graph.steps_up(a, b) > 0
        elif row["relation"] in (CLOSE, FAR, NONE):
            assert not graph.in_line(a, b), row
    assert checked
