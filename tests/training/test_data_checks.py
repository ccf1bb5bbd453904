"""What bad labelled pairs get: an error or a warning that names what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.training.data_checks import check_examples
from dxmatch.training.train import train

from .made import examples

SET = FeatureSet.from_dict(
    {
        "feature": [
            {"name": "words", "kind": "ratio", "view": "unigram"},
            {"name": "bigrams", "kind": "ratio", "view": "bigram"},
            {"name": "edits", "kind": "levenshtein"},
        ]
    }
)


def like_labels(n: int = 100, noise: float = 0.3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Ratios rise and edits fall with the label."""
    rng = np.random.default_rng(seed)
    label = np.arange(n) % 2
    alike = label + rng.normal(0, noise, n)
    return np.stack([alike, alike + rng.normal(0, noise, n), 1 - alike], axis=1), label


def test_one_class() -> None:
    table, label = like_labels()
    with pytest.raises(InputError, match=r"only one label among the pairs\. Allowed: both .* Got: \[1\]"):
        check_examples(examples(table, np.ones(100)), SET)
    names = [("same", "same") if y else (f"x{i}", f"y{i}") for i, y in enumerate(label)]
    with pytest.raises(InputError, match=r"only one label among the pairs that differ .* Got: \[0\]"):
        check_examples(examples(table, label, names), SET)


def test_few_pairs() -> None:
    (warning,) = check_examples(examples(*like_labels(49)), SET)
    assert warning.startswith("Only 49 labelled pairs that differ, 24 of them matches")
    table, label = like_labels()
    label[np.flatnonzero(label)[9:]] = 0  # nine matches are left
    (warning,) = check_examples(examples(table, label), SET)
    assert warning.startswith("Only 100 labelled pairs that differ, 9 of them matches")


def test_constant_and_missing_features() -> None:
    table, label = like_labels()
    table[:, 0] = 0.5
    table[:, 1] = np.nan
    assert check_examples(examples(table, label), SET) == [
        "The feature words is 0.5 for every pair that differs, so nothing was learned from it.",
        "The feature bigrams is missing for every pair that differs, so nothing was learned from it.",
    ]
    table[3, 1] = 0.0  # known or not is two values
    assert len(check_examples(examples(table, label), SET)) == 1
    table[:, 1:] = np.nan
    with pytest.raises(
        InputError, match=r"no feature tells one pair from another.* Got: \['words', 'bigrams', 'edits'\]"
    ):
        check_examples(examples(table, label), SET)


def test_swapped_labels() -> None:
    table, label = like_labels(noise=0.6)
    with pytest.raises(
        InputError, match=r"the labels look swapped: .* \(by (words|bigrams|edits) in [89]\d% of the comparisons"
    ):
        check_examples(examples(table, 1 - label), SET)


def test_hard_pairs_are_not_called_swapped() -> None:
    """Where one feature is with the labels, or none is against them beyond chance, they stand."""
    table, label = like_labels()
    rng = np.random.default_rng(1)
    with_one = table.copy()
    with_one[:, 0] = 1 - with_one[:, 0]
    assert check_examples(examples(with_one, 1 - label), SET) == []
    for _ in range(40):
        few = rng.random((24, 3))
        check_examples(examples(few, rng.permutation(np.arange(24) % 2)), SET)


def test_from_the_pairs_on(toy_pairs: pd.DataFrame, strings_only: Path, few_rounds: None) -> None:
    with pytest.raises(InputError, match="the labels look swapped"):
        train(toy_pairs.assign(label=1 - toy_pairs["label"]), features=strings_only)
    wrong = pd.DataFrame([("Mumps!", "mumps", 0)], columns=["a", "b", "label"])
    pairs = pd.concat([toy_pairs, wrong])
    told = "Pairs labelled 0 that are equal after normalisation, which M calls a match: 1 ('mumps')."
    with pytest.warns(UserWarning, match="equal after normalisation"):
        m = train(pairs, features=strings_only)
    assert told in m.data["warnings"]
