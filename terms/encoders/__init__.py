"""Encoders: normalised strings -> unit vectors whose cosine says how near two names are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError

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
