"""scikit-learn's own checks of estimators, as they are, on random numbers, and with each number taken for a word."""

from __future__ import annotations

from pathlib import Path

import pytest
import sklearn
from packaging.version import Version
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import dxmatch
from dxmatch.estimators import match_classifier, pair_features

from .number_words import pairs_of_numbers


def test_features_pass_every_check_on_words_for_numbers(strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_features, "pairs_of", pairs_of_numbers)
    found = check_estimator(dxmatch.PairFeatures(strings_only), on_skip=None, on_fail=None)
    assert [(one["check_name"], one["exception"]) for one in found if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in found) >= 40


def test_the_classifier_passes_those_that_fit_on_no_numbers(strings_only: Path) -> None:
    """Of the others each fails, since random numbers are no pair of texts."""
    found = check_estimator(dxmatch.MatchClassifier(strings_only), on_skip=None, on_fail=None)
    assert sum(one["status"] == "passed" for one in found) >= 18


CHECKS = """
fit_score_takes_y dont_overwrite_parameters estimators_fit_returns_self dict_unchanged fit_idempotent methods_sample_order_invariance
methods_subset_invariance classifiers_one_label classifier_not_supporting_multiclass classifiers_regression_target supervised_y_2d
all_zero_sample_weights_error requires_y_none
"""


@pytest.mark.skipif(Version(sklearn.__version__) < Version("1.8"), reason="its checks have labels that follow nothing")
@pytest.mark.usefixtures("few_rounds")
@pytest.mark.parametrize("check", CHECKS.split())
def test_the_classifier_on_words_for_numbers(check: str, strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose labels follow the numbers: no match function is made of labels that follow nothing."""
    monkeypatch.setattr(match_classifier, "pairs_of", pairs_of_numbers)
    if (run := getattr(estimator_checks, f"check_{check}", None)) is None:
        pytest.skip("this scikit-learn has no such check")
    run("MatchClassifier", dxmatch.MatchClassifier(strings_only, folds=2))
