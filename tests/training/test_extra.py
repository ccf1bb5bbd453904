"""Extra pairs are learned from, and tell nothing of what is measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines import lightgbm_engine
from dxmatch.training.engines.fitted import Ensemble, ExtraRows, Rows
from dxmatch.training.examples import ExtraExamples
from dxmatch.training.options import Extra, LabelRules, Split
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.train import train

pytestmark = pytest.mark.usefixtures("few_rounds")


def table(*rows: tuple[str, str, int]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["a", "b", "label"])


def two_references(pairs: pd.DataFrame) -> tuple[str, str]:
    """A held-out reference and one that is trained on."""
    groups = Groups.of([Normalizer()(text) for text in pairs["a"]])
    test = held_out(groups, 0.2, seed=0)
    assert test.any()
    return pairs["a"][test].iloc[0], pairs["a"][~test].iloc[0]


NEUTRAL = [(f"pain{i} here", f"there pain{i}", i % 2) for i in range(40)]


def test_a_pair_that_names_a_held_out_reference_is_not_learned_from(
    toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    unseen, seen = two_references(toy_pairs)
    poison = [(unseen.upper(), f"nothing alike {i}", 1) for i in range(40)]
    poison += [(f"else {i}", f" {unseen}", 0) for i in range(40)]  # on either side, in any writing

    def leaves(rows: list[tuple[str, str, int]], split: Split = Split()) -> list[float]:
        labels = LabelRules(extra=Extra(pairs=table(*rows)))
        return train(toy_pairs, features=strings_only, labels=labels, split=split).parts.trees.leaf_value.tolist()

    plain = leaves(NEUTRAL)
    assert leaves(NEUTRAL + poison) == plain
    assert leaves(NEUTRAL + poison, Split(test_share=0)) != leaves(NEUTRAL, Split(test_share=0))
    assert leaves([*NEUTRAL, *((seen, b, y) for _, b, y in poison[:40])]) != plain


def test_nothing_is_measured_on_extra_pairs(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    labels = LabelRules(extra=[Extra(pairs=table(*NEUTRAL), weight=0.5)])
    m = train(toy_pairs, features=strings_only, labels=labels, split=Split(refit=True))
    metrics, data = m.metrics, m.data
    assert metrics["held_out"]["pairs"] + metrics["cross_validated"]["pairs"] == len(toy_pairs) == data["rows"]
    assert data["extra"] == [{"source": "data frame", "rows": 40, "pairs": 40, "matches": 20, "weight": 0.5}]


def rng_rows(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    label = (np.arange(n) % 2).astype(np.int8)
    return (label[:, None] + rng.normal(0, 0.7, (n, 2))).astype(np.float32), label


def test_a_row_of_a_fold_is_hidden_from_its_member(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)  # one choice, so that trees differ for one reason alone
    features, label = rng_rows(300, 0)
    fold = np.arange(300) // 2 % 3
    more, labels = rng_rows(100, 1)

    def trained(of: int, labels: np.ndarray, weight: float = 1.0) -> Ensemble:
        extra = ExtraRows(more, labels, np.full(100, weight), np.full(100, of))
        leaves = ({"num_leaves": 7, "min_data_in_leaf": 20},)
        return lightgbm_engine.fit(Rows(features, label, np.ones(300), fold, [0, 0], [extra]), candidates=leaves)

    def alike(a: Ensemble, b: Ensemble) -> list[bool]:
        """Whether the two have the same leaves, by member."""
        leaves = [np.split(each.trees.leaf_value, each.trees._first_leaf[1:-1]) for each in (a, b)]
        return [np.array_equal(x, y) for x, y in zip(*leaves, strict=True)]

    right, wrong = trained(1, labels), trained(1, 1 - labels)
    assert alike(right, wrong) == [False, True, False]
    assert [np.array_equal(right.out_of_fold[fold == k], wrong.out_of_fold[fold == k]) for k in range(3)] == [
        False, True, False,
    ]  # fmt: skip
    assert len(right.out_of_fold) == 300
    to_all = trained(-1, labels), trained(-1, 1 - labels)
    assert alike(*to_all) == [False] * 3 == alike(trained(-1, labels, weight=0.1), to_all[0])


def test_the_fold_of_an_extra_pair() -> None:
    names = [("x", "y"), ("r0", "y"), ("x", "r1"), ("r0", "r1"), ("r0", "r2"), ("gone", "x"), ("r1", "gone")]
    extra = ExtraExamples(
        np.zeros((7, 1), np.float32),
        np.arange(7, dtype=np.int8) % 2,
        np.arange(1.0, 8.0),
        np.array(names, object),
        {},
    )
    rows = extra.rows({"r0": {0}, "r1": {1}, "r2": {0}}, {"gone"})
    # of no reference: every fold; r0 and r1 lie in two folds, so no fold may learn it; "gone" is held out
    assert rows.weight.tolist() == [1, 2, 3, 5]
    assert rows.fold.tolist() == [-1, 0, 1, 0]
    assert extra.rows({"r0": {0, 3}}, set()).weight.tolist() == [1, 3, 6, 7]


def test_what_is_no_news_is_left_out(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """The experts' own pairs, pairs that are equal after normalisation, repeats, and two labels for one pair."""
    first = toy_pairs.iloc[0]
    rows = [(first.b.upper(), first.a, 1 - first.label), ("Mumps!", "mumps", 1), ("x y", "x z", 1), ("x z", "X Y", 1)]
    rows += [("mumps", "Parotitis", 1), ("parotitis!", "mumps", 0)]
    (told,) = train(toy_pairs, features=strings_only, labels=LabelRules(extra=Extra(pairs=table(*rows)))).data["extra"]
    assert (told["rows"], told["pairs"], told["matches"]) == (6, 1, 1)


@pytest.mark.parametrize("weight", [0, -1, float("nan")])
def test_weights_that_cannot_be(weight: float) -> None:
    with pytest.raises(OptionError, match="'weight' parameter must be a number above 0"):
        Extra(pairs="x.csv", weight=weight)


def test_files_that_cannot_be(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    with pytest.raises(InputError, match="the column 'label' .* is missing"):
        train(toy_pairs, features=strings_only, labels=LabelRules(extra=Extra(pairs=toy_pairs[["a", "b"]])))
    with pytest.raises(InputError, match=r"silver\.csv: no such file"):
        train(toy_pairs, features=strings_only, labels=LabelRules(extra="silver.csv"))
