"""scikit-learn's own checks of estimators.

They fit on random numbers, of which no pair of diagnoses is made. So they run twice: as they are, where every check that needs a
fit on numbers is named as one that must fail; and with each number taken for a word.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sklearn
from packaging.version import Version
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

import dxmatch
from dxmatch.estimators import match_classifier, pair_features

from .number_words import pairs_of_numbers

NUMBERS = "X is random numbers, where the estimator takes pairs of texts"
FIT_ON_NUMBERS = [
    "check_fit_score_takes_y",
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_complex_data",
    "check_dtype_object",
    "check_pipeline_consistency",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
]
OF_TRANSFORMERS = ["check_transformer_data_not_an_array", "check_transformer_general"]
OF_CLASSIFIERS = [
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_estimators_nan_inf",
    "check_classifier_data_not_an_array",
    "check_classifiers_one_label",
    "check_classifiers_one_label_sample_weights",
    "check_classifiers_classes",
    "check_classifiers_train",
    "check_classifiers_regression_target",
    "check_supervised_y_2d",
    "check_classifier_not_supporting_multiclass",
    "check_requires_y_none",
]


@pytest.mark.parametrize(
    ("kind", "more"), [(dxmatch.PairFeatures, OF_TRANSFORMERS), (dxmatch.MatchClassifier, OF_CLASSIFIERS)]
)
def test_all_checks_but_those_that_fit_on_numbers(kind: type, more: list[str], strings_only: Path) -> None:
    named = dict.fromkeys([*FIT_ON_NUMBERS, *more], NUMBERS)
    found = check_estimator(kind(strings_only), expected_failed_checks=named, on_skip=None, on_fail=None)
    assert [one["check_name"] for one in found if one["status"] == "failed"] == []
    assert {one["check_name"] for one in found if one["status"] == "passed"}.isdisjoint(named), "named, and passes"
    assert sum(one["status"] == "passed" for one in found) >= 18


def test_features_pass_every_check_on_words_for_numbers(strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pair_features, "pairs_of", pairs_of_numbers)
    found = check_estimator(dxmatch.PairFeatures(strings_only), on_skip=None, on_fail=None)
    assert [(one["check_name"], one["exception"]) for one in found if one["status"] == "failed"] == []
    assert sum(one["status"] == "passed" for one in found) >= 40


@pytest.mark.skipif(Version(sklearn.__version__) < Version("1.8"), reason="its checks have labels that follow nothing")
@pytest.mark.usefixtures("few_rounds")
@pytest.mark.parametrize(
    "check",
    [
        "check_fit_score_takes_y",
        "check_dont_overwrite_parameters",
        "check_estimators_fit_returns_self",
        "check_dict_unchanged",
        "check_fit_idempotent",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_classifiers_one_label",
        "check_classifier_not_supporting_multiclass",
        "check_classifiers_regression_target",
        "check_supervised_y_2d",
        "check_all_zero_sample_weights_error",
        "check_requires_y_none",
    ],
)
def test_the_classifier_on_words_for_numbers(check: str, strings_only: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those whose labels follow the numbers: no match function is made of labels that follow nothing."""
    monkeypatch.setattr(match_classifier, "pairs_of", pairs_of_numbers)
    run: Any = getattr(estimator_checks, check, None)
    if run is None:
        pytest.skip("this scikit-learn has no such check")
    run("MatchClassifier", dxmatch.MatchClassifier(strings_only, folds=2))
