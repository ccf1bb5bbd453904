"""What bad labelled pairs get: an error or a warning that names what is wrong."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.training.data_checks import check_examples

from .made import examples

SET = FeatureSet.from_dict(
    {
        "feature": [
            {"name": "words", "kind": "ratio", "view": "unigram"},
            {"name": "bigrams", "kind": "ratio", "view": "bigram"},
            {"name": "edits", "kind": "levenshtein"},
            {"name": "excluded", "kind": "exclusion"},
        ]
    }
)


def like_labels(n: int = 100, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    """Ratios rise and edits fall with the label; nothing is excluded."""
    rng = np.random.default_rng(0)
    label = np.arange(n) % 2
    alike = label + rng.normal(0, noise, n)
    return np.stack([alike, alike + rng.normal(0, noise, n), 1 - alike, 0 * alike], axis=1), label


def test_one_label() -> None:
    table, label = like_labels()
    with pytest.raises(InputError, match=r"only one label among the pairs\. Allowed: both .* Got: \[1\]"):
        check_examples(examples(table, np.ones(100)), SET)
    names = [("same", "same") if y else (f"x{i}", f"y{i}") for i, y in enumerate(label)]
    with pytest.raises(InputError, match=r"only one label among the pairs that differ .* Got: \[0\]"):
        check_examples(examples(table, label, names), SET)


def test_few_pairs_and_equal_ones_that_are_no_match() -> None:
    (warning,) = check_examples(examples(*like_labels(49)), SET)
    assert warning.startswith("Only 49 labelled pairs that differ, 24 of them matches")
    table, label = like_labels()
    label[np.flatnonzero(label)[9:]] = 0  # nine matches are left
    names = [("mumps", "mumps"), *((f"x{i}", f"y{i}") for i in range(99))]
    assert [one.partition(":")[0] for one in check_examples(examples(table, label, names), SET)] == [
        "Only 99 labelled pairs that differ, 9 of them matches",
        "Pairs labelled 0 that are equal after normalisation, which M calls a match",
    ]


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
    table[:, 1:3] = np.nan
    with pytest.raises(InputError, match=r"no feature tells one pair from another.* Got: \['words', 'bigrams', 'edits"):
        check_examples(examples(table, label), SET)


def test_swapped_labels_and_hard_ones_that_are_not() -> None:
    """Where one feature is with the labels, or none is against them beyond chance, they stand."""
    table, label = like_labels(noise=0.6)
    with pytest.raises(InputError, match=r"the labels look swapped: .* \(by (words|bigrams|edits) in [89]\d% of the"):
        check_examples(examples(table, 1 - label), SET)
    table[:, 0] = 1 - table[:, 0]
    assert check_examples(examples(table, 1 - label), SET) == []
    rng = np.random.default_rng(1)
    for _ in range(40):
        check_examples(examples(rng.random((24, 4)), rng.permutation(np.arange(24) % 2)), SET)
