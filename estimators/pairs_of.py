"""What scikit-learn passes as X, as two columns of diagnoses."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pyarrow as pa
from sklearn.utils.validation import validate_data

from ..errors import InputError
from ..files.pairs import check_text
from ..files.table import of_columns
from ..files.tables import Table, read_table


def as_frame(X: Any) -> Any:
    """X as a frame of narwhals, a lazy one collected; X itself where it is none."""
    frame = nw.from_native(X, pass_through=True)
    return frame.collect() if isinstance(frame, nw.LazyFrame) else frame


def pairs_of(estimator: Any, X: Any, *, reset: bool, blanks: bool = False) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """The two diagnoses of n pairs; null where one is blank.

    X : a frame with the columns `estimator.a` and `estimator.b`, others are let be; or array-like of shape (n, 2).
    reset : notes `n_features_in_` and `feature_names_in_` (in `fit`); else X is held against them.
    blanks : whether a diagnosis may be missing.

    Raises
    ------
    InputError
        For a frame without the two columns, and for a value that is no text or no diagnosis, with its row.
    ValueError
        As scikit-learn's, for what is no table of two columns.
    """
    a, b = estimator.a, estimator.b
    frame = as_frame(X)
    if isinstance(frame, nw.DataFrame):
        named = Table(pa.table({str(name): pa.nulls(0) for name in frame.columns}), "X", 0)
        for option, name in (("a", a), ("b", b)):
            named.require(name, "a diagnosis", option=option)
        two = validate_data(estimator, frame.select(a, b).to_native(), skip_check_array=True, reset=reset)
        table = read_table(two)
    else:
        array: Any = validate_data(estimator, X, dtype=object, ensure_all_finite=False, reset=reset)
        if array.shape[1] != 2:
            raise ValueError(
                f"X has {array.shape[1]} features, but {type(estimator).__name__} is expecting 2 features as input: "
                "the two diagnoses of a pair."
            )
        table = Table(of_columns({a: array[:, 0], b: array[:, 1]}, "X"), "X", 0)
    texts, problems = [table.text(name) for name in (a, b)], dict[int, InputError]()
    for name, column in zip((a, b), texts, strict=True):
        found = dict[int, InputError]()
        check_text(table, name, column, found)
        problems |= {row: error for row, error in found.items() if not (blanks and not column[row].is_valid)}
    if problems:
        raise problems[min(problems)]
    return texts[0], texts[1]
