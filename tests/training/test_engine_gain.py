"""What an engine gains over the plain one, out of fold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from dxmatch.training.engines.lightgbm_engine import LightGBM
from dxmatch.training.fold_fit import fit_folds
from dxmatch.training.options import Split
from dxmatch.training.statistics.threshold import Threshold
from dxmatch.training.train import gain_over_plain

from .made import examples


@pytest.mark.usefixtures("few_rounds")
def test_a_gain_out_of_fold() -> None:
    """Ten pairs a group, a third of them matches, which the first feature tells apart, though not well."""
    random = np.random.default_rng(0)
    label = (random.random(400) < 1 / 3).astype(np.int8)
    table = random.random((400, 2)).astype(np.float32)
    table[:, 0] += 0.5 * label
    seen = examples(table, label, [(f"group {i // 10}", "") for i in range(400)], np.arange(400) % 10 == 0)
    fitted = fit_folds(seen, LightGBM(), Split(folds=3), Threshold(rule="half"), [0, 0])
    differ = seen.take(~seen.identical)
    plain = average_precision_score(differ.label, fitted.ensemble.out_of_fold)
    perfect = replace(fitted, ensemble=replace(fitted.ensemble, out_of_fold=differ.label.astype(float)))
    gain = gain_over_plain(perfect, fitted, seen, seen.take(np.zeros(400, bool)), 0)
    assert gain["measured_on"] == "cross_validated" and gain["pairs"] == len(differ)
    assert gain["average_precision"] == 1.0 and gain["gain"]["value"] == pytest.approx(1 - plain)
    assert 0 < gain["gain"]["low"] < 1 - plain < gain["gain"]["high"] < 1
