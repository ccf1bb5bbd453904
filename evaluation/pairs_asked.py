"""Which pairs an evaluation asks M about: to have votes on them before M, which never asks for votes, needs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .evaluate import evaluate


class _Recorder:
    """An M that notes what it is asked and finds no match."""

    threshold = 0.5
    rests_on_votes = True

    def __init__(self) -> None:
        self.asked: dict[tuple[str, str], None] = {}

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> NDArray[np.float64]:
        self.asked.update(dict.fromkeys(zip(a, b, strict=True)))
        return np.zeros(len(a))


def pairs_asked(lists: Any, **options: Any) -> pa.Table:
    """The table a, b of the pairs that `evaluate(lists, matcher, **options)` asks M about, each once.

    Errors: those of `evaluate`.
    """
    recorder = _Recorder()
    evaluate(lists, recorder, bootstrap=0, **options)
    a, b = zip(*recorder.asked, strict=True) if recorder.asked else ((), ())
    return pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.string())})
