"""Extra pairs are learned from, and tell nothing of what is measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dxmatch import Extra, LabelRules, MatchFunction, Split, train
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.engines.fitted import Ensemble, ExtraRows, Rows
from dxmatch.training.examples import ExtraExamples
from dxmatch.training.statistics.split import Groups, held_out

pytestmark = pytest.mark.usefixtures("few_rounds")
NEUTRAL = [(f"pain{i} here", f"there pain{i}", i % 2) for i in range(40)]


def trained(pairs: pd.DataFrame, features: Path, rows: Sequence[tuple[str, str, int]], **split: bool) -> MatchFunction:
    extra = Extra(pairs=pd.DataFrame(rows, columns=["a", "b", "label"]), weight=0.5)
    return train(pairs, features=features, labels=LabelRules(extra=extra), split=Split(**split))


def test_a_pair_that_names_a_held_out_reference_is_not_learned_from(
    toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    test = held_out(Groups.of([Normalizer()(text) for text in toy_pairs["a"]]), 0.2, seed=0)
    unseen, seen = toy_pairs["a"][test].iloc[0], toy_pairs["a"][~test].iloc[0]
    poison = [(unseen.upper(), f"nothing alike {i}", 1) for i in range(40)]
    poison += [(f"else {i}", f" {unseen}", 0) for i in range(40)]  # on either side, in any writing

    def leaves(more: Sequence[tuple[str, str, int]], **split: bool) -> list[float]:
        return trained(toy_pairs, strings_only, [*NEUTRAL, *more], **split).parts.trees.leaf_value.tolist()

    plain = leaves([])
    assert leaves(poison) == plain
    assert leaves(poison, refit=True) != leaves([], refit=True)
    assert leaves([(seen, b, y) for _, b, y in poison[:40]]) != plain


def test_nothing_is_measured_on_extra_pairs_and_only_news_is_learned(
    toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    """No news: the experts' own pairs, pairs that are equal after normalisation, repeats, and two labels for one pair."""
    first = toy_pairs.iloc[0]
    rows = [(first.b.upper(), first.a, 1 - first.label), ("Mumps!", "mumps", 1), ("x y", "x z", 1), ("x z", "X Y", 1)]
    m = trained(toy_pairs, strings_only, [*NEUTRAL, *rows, ("mumps", "Parotitis", 1), ("parotitis!", "mumps", 0)])
    pairs = [m.metrics[part]["pairs"] for part in ("held_out", "cross_validated")]
    assert sum(pairs) == len(toy_pairs) == m.data["rows"]
    assert m.data["extra"] == [{"source": "data frame", "rows": 46, "pairs": 41, "matches": 21, "weight": 0.5}]


def test_a_row_of_a_fold_is_hidden_from_its_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)  # one choice, so that trees differ for one reason alone
    rng = np.random.default_rng(0)
    label = (np.arange(400) % 2).astype(np.int8)
    features = (label[:, None] + rng.normal(0, 0.7, (400, 2))).astype(np.float32)
    fold = np.arange(300) // 2 % 3

    def grown(of: int, labels: np.ndarray, weight: float = 1.0) -> Ensemble:
        extra = ExtraRows(features[300:], labels, np.full(100, weight), np.full(100, of))
        rows = Rows(features[:300], label[:300], np.ones(300), fold, [0, 0], [extra])
        return lightgbm_engine.fit(rows, candidates=({"num_leaves": 7, "min_data_in_leaf": 20},))

    def alike(a: Ensemble, b: Ensemble) -> list[bool]:
        """Whether the two have the same leaves, by member."""
        leaves = [np.split(each.trees.leaf_value, each.trees._first_leaf[1:-1]) for each in (a, b)]
        return [np.array_equal(x, y) for x, y in zip(*leaves, strict=True)]

    right, wrong, to_all = grown(1, label[300:]), grown(1, 1 - label[300:]), grown(-1, label[300:])
    assert alike(right, wrong) == [False, True, False] and len(right.out_of_fold) == 300
    same = right.out_of_fold == wrong.out_of_fold
    assert [bool(same[fold == k].all()) for k in range(3)] == [False, True, False]
    assert alike(to_all, grown(-1, 1 - label[300:])) == [False] * 3
    assert alike(to_all, grown(-1, label[300:], weight=0.1)) == [False] * 3


def test_the_fold_of_an_extra_pair() -> None:
    names = [("x", "y"), ("r0", "y"), ("x", "r1"), ("r0", "r1"), ("r0", "r2"), ("gone", "x"), ("r1", "gone")]
    label, weight = np.arange(7, dtype=np.int8) % 2, np.arange(1.0, 8.0)
    extra = ExtraExamples(np.zeros((7, 1), np.float32), label, weight, np.array(names, object), {})
    rows = extra.rows({"r0": {0}, "r1": {1}, "r2": {0}}, {"gone"})
    # of no reference: every fold; r0 and r1 lie in two folds, so no fold may learn it; "gone" is held out
    assert rows.weight.tolist() == [1, 2, 3, 5] and rows.fold.tolist() == [-1, 0, 1, 0]
    assert extra.rows({"r0": {0, 3}}, set()).weight.tolist() == [1, 3, 6, 7]
