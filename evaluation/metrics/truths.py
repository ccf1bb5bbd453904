"""True and False, as they come."""

from __future__ import annotations

from typing import Any

import numpy as np


def truths(values: Any) -> Any:
    """Whole numbers that are all 0 or 1 as bool; anything else as it is, for whoever takes it to refuse.

    >>> truths([[1, 0]]).tolist()
    [[True, False]]
    """
    if isinstance(values, np.ndarray | list | tuple):
        try:
            array = np.asarray(values)
        except ValueError:
            return values
        if array.dtype.kind in "iu" and array.size and ((array == 0) | (array == 1)).all():
            return array.astype(bool)
    return values
