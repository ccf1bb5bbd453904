"""Encoders as a feature set declares them: `[encoder.NAME]` of a TOML file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import asdict

from ...errors import InputError
from ...files.toml import table_as
from . import Encoder

if TYPE_CHECKING:
    from ...endpoints.endpoint import Endpoint

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_LOADED_ONLY, _SERVED_ONLY = ("device", "pooling"), ("dimensions",)
Text = Annotated[str, Meta(pattern=r"\S", description="text that is not blank")]
Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]


class EncoderSpec(Struct, frozen=True):
    """A sentence-transformers model that is loaded here, or a model that an endpoint serves.

    Parameters
    ----------
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
    model: Text
    endpoint: Text | None = None
    revision: Text | None = None
    prompt: Text | None = None
    dimensions: Count | None = None
    device: Text | None = None
    pooling: Text | None = None

    @classmethod
    def from_table(cls, name: str, table: Any, source: str) -> EncoderSpec:
        """`[encoder.NAME]` of a TOML file. Raises `InputError`, also for a key of the other kind of encoder."""
        place = f"encoder {name}"
        if not _NAME.fullmatch(name) or name == "shipped":
            raise InputError(
                f"{place}: a name that cannot be used", source=source, allowed="letters, digits, _ and -; not 'shipped'"
            )
        spec = table_as(cls, table, source, place, name=name)
        kind, misplaced = "loaded here, without an endpoint", _SERVED_ONLY
        if spec.endpoint is not None:
            kind, misplaced = "served by an endpoint", _LOADED_ONLY
        for key in misplaced:
            if getattr(spec, key) is not None:
                allowed = ", ".join(f for f in cls.__struct_fields__ if f not in ("name", *misplaced))
                raise InputError(f"{place}: no {key!r} for a model that is {kind}", source=source, allowed=allowed)
        return spec

    def to_dict(self) -> dict[str, Any]:
        """What was declared, as `from_table` reads it."""
        return {key: value for key, value in asdict(self).items() if key != "name" and value is not None}

    def open(self, endpoints: Mapping[str, Endpoint], unit: bool = True) -> Encoder:
        """The encoder, with its vectors kept on disk: of unit length, or of their own.

        Raises `InputError` where its endpoint is not among `endpoints`; those of `SentenceEncoder` and `EndpointEncoder`.
        """
        from .cached import CachedEncoder

        if self.endpoint is None:
            from .sentence import SentenceEncoder

            return CachedEncoder(
                SentenceEncoder(self.model, self.revision, self.prompt, self.device, pooling=self.pooling, unit=unit)
            )
        if self.endpoint not in endpoints:
            raise InputError(
                f"the model's encoder {self.name!r} is served by the endpoint {self.endpoint!r}; a model folder never says "
                f"where requests go: give a TOML file with [endpoint.{self.endpoint}] (--endpoints FILE)"
            )
        from .endpoint import EndpointEncoder

        served = endpoints[self.endpoint]
        return CachedEncoder(
            EndpointEncoder(served, self.model, self.revision, self.dimensions, self.prompt, unit=unit)
        )
