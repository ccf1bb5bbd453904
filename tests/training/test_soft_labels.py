"""Vote shares as labels: from the file to what the members learn."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dxmatch import PairColumns, train
from dxmatch.files.pairs import read_pairs
from dxmatch.training.fold_fit import MIN_WEIGHT, soft_rows


def test_a_divided_pair_is_two_rows() -> None:
    """Shares 1, 0.8 and 0.3 for labels 1, 1, 0; one that is unknown; and one that its adjudication turned round."""
    weight, label, share = np.array([1, 1, 2, 1, 1]), np.array([1, 1, 0, 1, 1]), np.array([1.0, 0.8, 0.3, np.nan, 0.0])
    voted: Any = SimpleNamespace(table=np.arange(5)[:, None], label=label, weight=weight, soft=share)
    own, opposite = soft_rows(voted, np.arange(5))
    assert own == pytest.approx([1, 0.8, 2 * 0.7, 1, MIN_WEIGHT])
    assert opposite.features.ravel().tolist() == opposite.fold.tolist() == [1, 2, 4]
    assert opposite.label.tolist() == [0, 1, 0] and opposite.weight == pytest.approx([0.2, 2 * 0.3, 1])


def test_shares_from_a_column_or_from_the_panel() -> None:
    data = pd.DataFrame({"a": ["x", "y"], "b": ["v", "w"], "label": [1, 0], "share": ["0.75", " 0 "]})
    soft = read_pairs(data, label="label", soft="share").soft
    assert soft is not None and soft.tolist() == [0.75, 0]
    panel = pd.DataFrame(
        {"a": ["x", "y", "z"], "b": ["v"] * 3, "l_1": [1, None, None], "l_2": [1, 0, None], "l_3": [0, None, None],
         "adjudicated": [None, 0, 1]}
    )  # fmt: skip
    read = read_pairs(panel, label="l", soft="l")
    assert read.soft is not None and read.ballots is not None and read.label is not None
    np.testing.assert_array_equal(read.soft, [2 / 3, 0, np.nan])
    assert read.ballots.tolist() == [[1, 1, 0], [-1, 0, -1], [-1, -1, -1]] and read.label.tolist() == [1, 0, 1]


@pytest.mark.usefixtures("few_rounds")
def test_a_training_learns_from_shares_and_measures_on_labels(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    def trained(low: float, high: float):
        shares = toy_pairs.assign(share=toy_pairs["label"].map({0: low, 1: high}))
        return train(shares, features=strings_only, columns=PairColumns(soft="share"))

    plain, sure, doubtful = train(toy_pairs, features=strings_only), trained(0.0, 1.0), trained(0.3, 0.7)
    assert sure.metrics == plain.metrics, "shares of 0 and 1 are the labels"
    assert doubtful.metrics["held_out"]["matches"] == plain.metrics["held_out"]["matches"]
    assert doubtful.identity != plain.identity and doubtful.data["soft"] == "share"
