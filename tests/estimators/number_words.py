"""The checks of scikit-learn fit estimators on random numbers; here each number is a word, so that they reach beyond the first cell."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.utils.validation import validate_data


def pairs_of_numbers(
    estimator: Any, X: Any, *, reset: bool, blanks: bool = False
) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Stands in for `estimators.pairs_of.pairs_of`: n pairs of the numbers of n rows, which those of one row share."""
    array = validate_data(estimator, X, dtype=np.float64, ensure_all_finite=not blanks, reset=reset)
    words = [
        ["".join("abcdefghij"[int(d)] for d in f"{abs(x):.2f}" if d.isdigit()) or "nan" for x in row] for row in array
    ]
    a = [None if np.isnan(row).any() else " ".join(said) for row, said in zip(array, words, strict=True)]
    b = [" ".join(["of", *row[: 1 + (row[0] < "c")]]) for row in words]
    return pa.chunked_array([pa.array(a, pa.large_string())]), pa.chunked_array([pa.array(b, pa.large_string())])
