"""Encoders: normalised strings -> unit vectors whose cosine says how near two names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


@runtime_checkable
class Encoder(Protocol):
    """What every provider of embeddings offers."""

    @property
    def identity(self) -> str:
        """Changes whenever the vectors could; part of the key of every cache."""
        ...

    @property
    def dimensions(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`[len(texts), dimensions]`, rows of unit length in the order of `texts` (normalised strings).

        The row of a text does not depend on the other texts of the call.
        """
        ...
