"""The training of a match function as a classifier of scikit-learn: it is the training of `dxmatch.train`."""

from __future__ import annotations

import pickle
import warnings
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import dxmatch
from dxmatch.estimators.match_classifier import MatchClassifier, _match_label

pytestmark = [
    pytest.mark.usefixtures("few_rounds"),
    pytest.mark.filterwarnings("ignore:Of .* pairs in which one side"),
]


@pytest.fixture
def X(toy_pairs: pd.DataFrame) -> pd.DataFrame:
    return toy_pairs[["a", "b"]]


@pytest.fixture
def y(toy_pairs: pd.DataFrame) -> pd.Series:
    return toy_pairs["label"]


@pytest.fixture(scope="module")
def fitted(toy_rows: pd.DataFrame, strings_only: Path) -> MatchClassifier:
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setattr("dxmatch.training.engines.lightgbm_engine.MAX_ROUNDS", 40)
        return MatchClassifier(strings_only, folds=3).fit(toy_rows[["a", "b"]], toy_rows["label"])


def decision(made: Any) -> tuple[Any, ...]:
    """The trees of a match function or a classifier, and what it makes of them."""
    parts = getattr(made, "match_function_", made).parts
    return parts.manifest.decision, parts.trees.leaf_value.tolist(), parts.trees.threshold.tolist()


def test_it_is_the_training_of_train(
    X: pd.DataFrame, y: pd.Series, toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    flat = {
        "test_share": 0.2,
        "folds": 3,
        "prevalence": 0.1,
        "threshold_rule": "half",
        "name": "mine",
        "random_state": 7,
    }
    classifier = MatchClassifier(strings_only, **flat).fit(X, y)
    split, threshold = dxmatch.Split(folds=3, seed=7), dxmatch.Threshold(rule="half", prevalence=0.1)
    m = dxmatch.train(
        toy_pairs, features=strings_only, split=split, threshold=threshold, about=dxmatch.About(name="mine")
    )
    assert classifier.match_function_.identity == m.identity
    np.testing.assert_array_equal(classifier.predict_proba(X)[:, 1], m.probabilities(X["a"], X["b"]))
    np.testing.assert_array_equal(classifier.predict(X), m.score(X)["match"].to_numpy().astype(int))
    assert classifier.score(X, y) > 0.8


def test_weights_and_references_are_those_of_train(
    X: pd.DataFrame, y: pd.Series, toy_pairs: pd.DataFrame, strings_only: Path
) -> None:
    rng = np.random.default_rng(0)
    weight, reference = rng.uniform(0.5, 2, len(y)), [f"system {i % 15}" for i in range(len(y))]
    table = toy_pairs.assign(weight=weight, reference=reference)
    columns = dxmatch.PairColumns(weight="weight", group="reference")
    m = dxmatch.train(table, features=strings_only, columns=columns, split=dxmatch.Split(test_share=0))
    by_argument = MatchClassifier(strings_only).fit(X, y, sample_weight=weight, groups=reference)
    by_column = MatchClassifier(strings_only, group="reference").fit(table, y, sample_weight=weight)
    assert decision(m) == decision(by_argument) == decision(by_column)
    lazy = pl.from_pandas(table).lazy()
    assert decision(m) == decision(by_column.fit(lazy, y, sample_weight=weight))
    assert decision(m) != decision(MatchClassifier(strings_only).fit(X, y, sample_weight=weight))
    weight[::7] = 0  # leaves a pair out
    kept, some = weight > 0, clone(by_column).fit(table, y, weight)
    assert decision(some) == decision(by_column.fit(table[kept], y[kept], weight[kept]))


@pytest.mark.parametrize(
    ("labels", "match"),
    [
        ((0, 1), 1), ((False, True), True), ((-1, 1), 1), (("0", "1"), "1"), (("no match", "match"), "match"), (("no", "yes"), "yes"),
        (("different", "same"), "same"), ((0.0, 1.0), 1.0),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("error:The label")
def test_which_label_means_a_match(labels: tuple[Any, Any], match: Any) -> None:
    assert _match_label(np.unique(np.array(labels)), None) == match


def test_labels_that_do_not_say_which_is_a_match(X: pd.DataFrame, y: pd.Series, strings_only: Path) -> None:
    said = np.array(["b", "a"])[y.to_numpy()]
    assert MatchClassifier(strings_only, match_label="a").fit(X, said).match_label_ == "a"
    with (
        pytest.warns(UserWarning, match="'b' is taken for a match, the last of .*match_label"),
        pytest.raises(dxmatch.InputError, match="the labels look swapped"),
    ):
        MatchClassifier(strings_only).fit(X, said)
    with pytest.raises(dxmatch.OptionError, match="option 'match_label' must be one of the labels"):
        MatchClassifier(strings_only, match_label="c").fit(X, said)


@pytest.mark.parametrize(
    ("changed", "error", "match"),
    [
        ({"y": [0, 1]}, ValueError, "inconsistent numbers of samples"),
        ({"sample_weight": [-1.0] * 300}, ValueError, "[Nn]egative"),
        ({"X": [["flu", None]] * 300}, dxmatch.InputError, "row 0, column 'b': the diagnosis is blank"),
        ({"groups": [None] * 300}, dxmatch.InputError, "groups"),
    ],
)
def test_what_cannot_be_learned_from(
    X: pd.DataFrame, y: pd.Series, strings_only: Path, changed: dict[str, Any], error: type[Exception], match: str
) -> None:
    """Beside what scikit-learn's own checks try."""
    with pytest.raises(error, match=match):
        MatchClassifier(strings_only).fit(**{"X": X, "y": y, **changed})


def test_cloned_pickled_saved_and_not_fitted(
    fitted: MatchClassifier, X: pd.DataFrame, y: pd.Series, tmp_path: Path
) -> None:
    expected, again = fitted.predict_proba(X), clone(fitted)
    with pytest.raises(NotFittedError):
        again.predict(X)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(fitted)).predict_proba(X), expected)
    np.testing.assert_array_equal(again.fit(X, y).predict_proba(X), expected)
    m = dxmatch.load(fitted.match_function_.save(tmp_path / "m"))
    np.testing.assert_array_equal(m.probabilities(X["a"], X["b"]), expected[:, 1])


def test_every_row_has_a_prediction(fitted: MatchClassifier) -> None:
    classifier = copy(fitted)
    classifier.match_function_ = dxmatch.load()
    unknown = pd.DataFrame({"a": ["инфаркт миокарда", "flu"], "b": ["heart attack", "influenza"]})
    assert np.isfinite(classifier.predict_proba(unknown)).all()
    classifier.set_params(judge_all=False)
    with pytest.warns(dxmatch.NotUnderstoodWarning):
        assert np.isnan(classifier.predict_proba(unknown)[:, 1]).tolist() == [True, False]
    with pytest.warns(dxmatch.NotUnderstoodWarning), pytest.raises(dxmatch.OptionError, match="judge_all"):
        classifier.predict(unknown)
