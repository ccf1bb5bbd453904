"""Encoders as a feature set declares them: `[encoder.NAME]` of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...files.did_you_mean import check_keys
from . import Encoder

if TYPE_CHECKING:
    from ...endpoints.endpoint import Endpoint

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_LOADED_ONLY, _SERVED_ONLY = ("device", "pooling"), ("dimensions",)


@dataclass(frozen=True)
class EncoderSpec:
    """A sentence-transformers model that is loaded here, or a model that an endpoint serves.

    model : the hub name or folder of a sentence-transformers model; with `endpoint`, the name that the server knows.
    endpoint : the name of the `[endpoint.NAME]` table that serves it; None for a model that is loaded here.
    revision : loaded: the branch, tag or commit of a hub name. Served: a word of the user's own for what is served; no
        server is asked for it, but vectors of another revision are never taken for these.
    prompt : put before every string, as text (not the name of a prompt).
    dimensions : served only: the width that is asked for, of models that can be cut.
    device : loaded only: "cpu", "cuda", "cuda:1", "mps"; None for the fastest there is.
    pooling : loaded only: "cls", "mean", "max" or "lasttoken", of a plain transformer, which does not say so itself.
    """

    name: str
    model: str
    endpoint: str | None = None
    revision: str | None = None
    prompt: str | None = None
    dimensions: int | None = None
    device: str | None = None
    pooling: str | None = None

    @classmethod
    def from_table(cls, name: str, table: Any, source: str) -> EncoderSpec:
        """Errors: `InputError` for a key that is unknown (with the nearest right word) or of another kind of encoder, a
        value of another type, no model."""
        place = f"encoder {name}"
        if not _NAME.fullmatch(name) or name == "shipped":
            raise InputError(
                f"{place}: a name that cannot be used", source=source, allowed="letters, digits, _ and -; not 'shipped'"
            )
        if not isinstance(table, Mapping):
            raise InputError(f"{place}: not a table", source=source, allowed=f'[encoder.{name}] with model = "…"')
        keys = [field.name for field in fields(cls) if field.name != "name"]
        check_keys(table, keys, source, place)
        for key in keys:
            if key == "dimensions" or (key not in table and key != "model"):
                continue
            value = table.get(key)
            if not isinstance(value, str) or not value.strip():
                raise InputError(f"{place}: no usable {key!r}", source=source, allowed=f'{key} = "…"', got=value)
        width = table.get("dimensions", 1)
        if type(width) is not int or width < 1:
            raise InputError(
                f"{place}: no usable 'dimensions'", source=source, allowed="a whole number from 1", got=width
            )
        misplaced = _LOADED_ONLY if "endpoint" in table else _SERVED_ONLY
        for key in misplaced:
            if key in table:
                kind = "served by an endpoint" if "endpoint" in table else "loaded here, without an endpoint"
                allowed = ", ".join(key for key in keys if key not in misplaced)
                raise InputError(f"{place}: no {key!r} for a model that is {kind}", source=source, allowed=allowed)
        return cls(name, **table)

    def to_dict(self) -> dict[str, Any]:
        """What was declared, as `from_table` reads it."""
        declared = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "name"}
        return {key: value for key, value in declared.items() if value is not None}

    def open(self, endpoints: Mapping[str, Endpoint]) -> Encoder:
        """The encoder, with its vectors kept on disk.

        Errors: `InputError` where its endpoint is not among `endpoints`; those of `SentenceEncoder` and `EndpointEncoder`.
        """
        from .cached import CachedEncoder

        if self.endpoint is None:
            from .sentence import SentenceEncoder

            return CachedEncoder(
                SentenceEncoder(self.model, self.revision, self.prompt, self.device, pooling=self.pooling)
            )
        if self.endpoint not in endpoints:
            raise InputError(
                f"the model's encoder {self.name!r} is served by the endpoint {self.endpoint!r}; a model folder never says "
                f"where requests go: give a TOML file with [endpoint.{self.endpoint}] (--endpoints FILE)"
            )
        from .endpoint import EndpointEncoder

        served = endpoints[self.endpoint]
        return CachedEncoder(EndpointEncoder(served, self.model, self.revision, self.dimensions, self.prompt))
