"""What an engine gains over the plain one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from dxmatch.training.engines.lightgbm_engine import LightGBM
from dxmatch.training.examples import Examples
from dxmatch.training.fold_fit import Fitted, fit_folds
from dxmatch.training.options import Split
from dxmatch.training.statistics.threshold import Threshold
from dxmatch.training.train import gain_over_plain

from . import made

pytestmark = pytest.mark.usefixtures("few_rounds")


def examples(groups: int, seed: int) -> Examples:
    """Ten pairs a group, a third of them matches, which the first feature tells apart, though not well."""
    random = np.random.default_rng(seed)
    n = 10 * groups
    label = (random.random(n) < 1 / 3).astype(np.int8)
    table = random.random((n, 2)).astype(np.float32)
    table[:, 0] += 0.5 * label
    return made.examples(table, label, [(f"group {seed} {i // 10}", "") for i in range(n)], np.arange(n) % 10 == 0)


@pytest.fixture(scope="module")
def seen() -> Examples:
    return examples(40, seed=0)


@pytest.fixture(scope="module")
def nothing(seen: Examples) -> Examples:
    return seen.take(np.zeros(len(seen), bool))


def fit(seen: Examples) -> Fitted:
    return fit_folds(seen, LightGBM(), Split(folds=3), Threshold(rule="half"), [0, 0])


def test_a_gain_out_of_fold(seen: Examples, nothing: Examples) -> None:
    fitted = fit(seen)
    differ = seen.take(~seen.identical)
    plain = average_precision_score(differ.label, fitted.ensemble.out_of_fold)
    perfect = Fitted(
        replace(fitted.ensemble, out_of_fold=differ.label.astype(float)), fitted.calibration, 0.5, fitted.out_of_fold
    )
    gain = gain_over_plain(perfect, fitted, seen, nothing, 0)
    assert gain["measured_on"] == "cross_validated" and gain["pairs"] == len(differ)
    assert gain["average_precision"] == 1.0
    assert gain["gain"]["value"] == pytest.approx(1 - plain)
    assert 0 < gain["gain"]["low"] < 1 - plain < gain["gain"]["high"] < 1
