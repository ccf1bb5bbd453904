"""Encoders: normalised strings -> unit vectors whose cosine says how near two names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, ModelError, OptionError, quoted

POOLINGS = ("cls", "mean", "max", "lasttoken")
"""How the vectors of tokens become one."""
OWN_LENGTH = "-own-length"
"""Ends the identity of an encoder whose vectors keep the length that the model gives them."""


@runtime_checkable
class Encoder(Protocol):
    """What every provider of embeddings offers."""

    @property
    def identity(self) -> str:
        """Changes whenever the vectors could; part of the key of every cache."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """`[len(texts), d]`, rows of unit length in the order of `texts` (normalised strings).

        The row of a text does not depend on the other texts of the call.
        """
        ...


def checked_texts(texts: Sequence[str]) -> list[str]:
    """`texts` as a list. Raises `OptionError` for one string, `InputError` for a text without a character."""
    if isinstance(texts, str):
        raise OptionError("texts", "a list of strings", texts)
    for text in texts:
        if not text.strip():
            raise InputError("a text without a character", allowed="a name in words", got=text)
    return list(texts)


def rows_of(vectors: NDArray[Any], texts: Sequence[str], unit: bool, who: str) -> NDArray[np.float32]:
    """The vectors of `texts` as an encoder gives them: of unit length, else of their own. Raises `ModelError` for one without a direction."""
    exact = np.asarray(vectors, np.float64)
    lengths = np.sqrt(np.square(exact).sum(axis=1, keepdims=True))
    if not (sound := np.isfinite(lengths) & (lengths > 0)).all():
        raise ModelError(
            f"{who} has no vector for {quoted(texts[int(np.argmin(sound))])}, but zeros or what is no number."
        )
    return (exact / lengths if unit else exact).astype(np.float32)
