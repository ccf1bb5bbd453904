"""What a frame of pandas says beside its columns: its index names the cases, where no column does."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from .names import columns_by_name

CASE = "case_id"


def with_index(value: Any, given: Mapping[str, Any]) -> Any:
    """A frame of pandas with its index as the column of cases, a series as {case: value}, an array as a list; anything else as it came.

    The index is that of the cases where it is not the plain 0, 1, 2, … of rows and no column is known to hold the cases.

    given : the option `columns`.
    """
    if isinstance(value, np.ndarray):
        return value.tolist()
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return value
    if isinstance(value, pandas.Series):
        return {str(case): one for case, one in value.items()} if not _is_plain(value.index, pandas) else value.tolist()
    if not isinstance(value, pandas.DataFrame) or _is_plain(value.index, pandas) or value.index.nlevels > 1:
        return value
    named = columns_by_name([str(name) for name in value.columns], {}, "data frame")
    if CASE in given or CASE in named:
        return value
    return value.reset_index(names=value.index.name or CASE)


def _is_plain(index: Any, pandas: Any) -> bool:
    return isinstance(index, pandas.RangeIndex) and index.start == 0 and index.step == 1 and index.name is None
