"""Any model behind an OpenAI-compatible `/v1/embeddings` as an encoder. Needs the extra `llm`."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...endpoints.client import EndpointClient, run
from ...endpoints.endpoint import Endpoint
from ...errors import ModelError
from . import OWN_LENGTH, checked_texts, rows_of

ROWS = 32
"""The most that text-embeddings-inference takes in one call by default."""


@dataclass
class EndpointEncoder:
    """Strings -> unit vectors of a model that a server holds.

    Parameters
    ----------
    endpoint : where the model is served.
    model : the name by which the endpoint knows it.
    revision : what is served under that name, in the user's words. It is sent to no server; another one is another encoder.
    dimensions : the width that is asked for, of models whose vectors can be cut; None for the model's own.
    prompt : put before every text, for models that were trained with one.
    unit : vectors of unit length; else of the length that the server gives them, for Euclidean distances.

    Nothing can be known of the server's weights: who changes the model behind a name changes `revision` as well.
    A text gets the same bits alone and in a batch only if the server computes them so; many do not.
    """

    endpoint: Endpoint
    model: str
    revision: str | None = None
    dimensions: int | None = None
    prompt: str | None = None
    unit: bool = True
    _width: int | None = None

    @property
    def identity(self) -> str:
        """The hash of model, revision, dimensions asked for and prompt, and the first two as they are. The address is no part of it."""
        parts = json.dumps([self.model, self.revision, self.dimensions, self.prompt])
        digest = hashlib.sha256(parts.encode()).hexdigest()[:12]
        return f"endpoint-{digest}-{self.model}@{self.revision or 'unpinned'}{'' if self.unit else OWN_LENGTH}"

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """float32[len(texts), dimensions], unit rows. It may be called where an event loop runs (in a notebook).

        Raises `InputError` for a text without a character; `ModelError` for vectors of another width than before or than
        asked for, or of zeros; `EndpointError` where the server gives none, or none that can be read.
        """
        texts = checked_texts(texts)
        if not texts:
            return np.empty((0, self._width or self.dimensions or 0), np.float32)
        parts = [texts[start : start + ROWS] for start in range(0, len(texts), ROWS)]
        return np.concatenate([self._unit_rows(*part) for part in zip(parts, run(self._given(parts)), strict=True)])

    async def _given(self, parts: list[list[str]]) -> list[NDArray[np.float32]]:
        """The vectors as they come. The client says how many calls are under way at once."""
        try:
            async with EndpointClient(self.endpoint) as client, asyncio.TaskGroup() as group:
                sent = ([(self.prompt or "") + text for text in part] for part in parts)
                calls = [group.create_task(client.embed(self.model, texts, self.dimensions)) for texts in sent]
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        return [call.result() for call in calls]

    def _unit_rows(self, texts: list[str], vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        who = f"The encoder {self.model!r} at the endpoint {self.endpoint.name!r}"
        self._width = self._width or self.dimensions or vectors.shape[1]
        if vectors.shape[1] != self._width:
            raise ModelError(f"{who} gives vectors of {vectors.shape[1]} numbers, not of {self._width}.")
        return rows_of(vectors, texts, self.unit, who)
