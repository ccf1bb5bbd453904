"""In which kind of data frame an evaluation gives its tables back."""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Any


def frame_like(source: Any) -> Any:
    """An empty narwhals frame of the kind that came; None, which is Arrow, for a file.

    What came as lists or as a dict comes back in pandas, where that is installed.
    """
    import narwhals as nw

    if source is None or isinstance(source, str | os.PathLike):
        return None
    try:
        return nw.from_native(source, eager_only=True).head(0)
    except TypeError:
        pass
    if isinstance(source, dict | list | tuple) and find_spec("pandas"):
        if all(isinstance(one, str | os.PathLike) for one in source) and not isinstance(source, dict):
            return None
        import pandas as pd

        return nw.from_native(pd.DataFrame(), eager_only=True)
    return None
