"""The features of pairs for scikit-learn. In its pipelines: its own checks, and docs/scikit-learn.md."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import dxmatch

PAIRS = [["mild flu", "flu"], ["organ pain", "pain of organs"], ["flu", "gout"]]
FRAME = pd.DataFrame(PAIRS, columns=["a", "b"])
KINDS = {
    "pandas": FRAME,
    "polars": pl.from_pandas(FRAME),
    "lazy": pl.from_pandas(FRAME.assign(id=[1, 2, 3])).lazy(),
    "arrow": pl.from_pandas(FRAME).to_arrow(),
    "categories": FRAME.astype("category"),
    "beside others": FRAME.assign(id=[1, 2, 3])[["id", "b", "a"]],
    "list": PAIRS,
    "tuples": [tuple(pair) for pair in PAIRS],
    "array": np.array(PAIRS),
    "objects": np.array(PAIRS, object),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_features_of_m(kind: str, strings_only: Path) -> None:
    """Whatever holds the pairs; "flu" is read as influenza."""
    found = dxmatch.PairFeatures(strings_only).fit_transform(KINDS[kind])
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[1, 5 / 14], [1 / 2, 12 / 14], [0, 8 / 9]], rtol=1e-6)


def test_the_offline_features_are_those_of_a_score(m: dxmatch.MatchFunction) -> None:
    made = dxmatch.PairFeatures().set_output(transform="pandas").fit_transform(FRAME)
    expected = m.score(FRAME, add=["features"])[list(m.features.names)]
    pd.testing.assert_frame_equal(made, expected.astype(np.float64))


def test_a_missing_diagnosis_is_nan(strings_only: Path) -> None:
    features, missing = dxmatch.PairFeatures(strings_only), [None, float("nan"), pd.NA, "", "  "]
    column = ["flu", *missing]
    for pairs in ([["flu", text] for text in column], pd.DataFrame({"a": column, "b": "flu"})):
        with pytest.warns(UserWarning, match="missing in 5 of 6 pairs; their features are NaN"):
            found = features.fit(pairs).transform(pairs)
        assert np.isnan(found).tolist() == [[False] * 2, *[[True] * 2] * 5]


@pytest.mark.parametrize(
    ("pairs", "error", "match"),
    [
        ([["flu", 5]], dxmatch.InputError, "row 0, column 'b'.*text.*Got: 5"),
        (pd.DataFrame({"a": ["flu", "?"], "b": ["x", "x"]}), dxmatch.InputError, "row 1, column 'a': a diagnosis without a letter"),
        (pd.DataFrame({"dx1": ["flu"], "dx2": ["x"]}), dxmatch.InputError, "the column 'a'.*missing.*Got: .*dx1.*Or: the option 'a'"),
        ([["flu", "gout", "asthma"]], ValueError, "X has 3 features, but PairFeatures is expecting 2"),
        (["flu", "gout"], ValueError, "Expected 2D array, got 1D array"),
        (np.zeros((3, 2)), dxmatch.InputError, "a value that is not text"),
    ],
)  # fmt: skip
def test_what_is_no_pair(pairs: Any, error: type[Exception], match: str, strings_only: Path) -> None:
    with pytest.raises(error, match=match):
        dxmatch.PairFeatures(strings_only).fit(pairs)


def test_not_fitted_cloned_and_pickled(strings_only: Path, tmp_path: Path) -> None:
    copied = tmp_path / "set.toml"
    copied.write_text(strings_only.read_text())
    features = dxmatch.PairFeatures(copied, abbreviations={"FL": "flu"})
    with pytest.raises(NotFittedError):
        features.transform(FRAME)
    features.fit(FRAME)
    assert clone(features).get_params() == features.get_params()
    sent = pickle.dumps(features)
    copied.unlink()
    assert len(sent) < 5_000
    pairs = [["FL", "flu"]]
    np.testing.assert_array_equal(pickle.loads(sent).transform(pairs), features.transform(pairs))
