"""Encoders as a feature set declares them: `[encoder.NAME]` of a TOML file."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict, replace

from ...errors import InputError, quoted, warn
from ...files.toml import table_as
from . import POOLINGS, Encoder
from .folders import COMMIT, is_hub_name

if TYPE_CHECKING:
    from ...endpoints.endpoint import Endpoint

_NAME = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN = re.compile(r"[\w:./~-]{1,100}")
"""Names that an error may show for copying."""
_LOADED_ONLY, _SERVED_ONLY = ("device", "pooling"), ("dimensions",)
Text = Annotated[str, Meta(pattern=r"\S", description="text that is not blank")]
Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]


class EncoderSpec(Struct, frozen=True):
    """A sentence-transformers model that is loaded here, or a model that an endpoint serves.

    Parameters
    ----------
    model : the hub name or folder of a sentence-transformers model; with `endpoint`, the name that the server knows. A folder is
        found from the user's own file or word alone: see `folder_beside`, and `folders` of `open`.
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
    pooling: Literal[POOLINGS] | None = None  # type: ignore[valid-type]

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

    def where(self) -> str:
        """Where its model is, and whose word is needed, in words."""
        model = quoted(self.model)
        if self.endpoint is not None:
            return f"{model}, served by the endpoint {quoted(self.endpoint)}, which you name"
        if is_hub_name(self.model):
            return f"{model} of the Hugging Face hub, from its cache on this machine, or fetched where you allow it"
        return f"{model}, a folder, which you name"

    def folder_beside(self, place: Path) -> Path | None:
        """The folder that `model` names, from the folder `place` of the user's file; None where it names none."""
        if self.endpoint is not None or self.revision is not None:
            return None
        folder = place / os.path.expanduser(self.model)  # noqa: PTH111 (which raises for an unknown user)
        return folder if folder.is_dir() else None

    def pinned(self, identity: str | None) -> EncoderSpec:
        """The same at the commit of a hub's model that `identity`, of a `SentenceEncoder`, was of."""
        commit = (identity or "").removeprefix(f"{self.model}@")[:40]
        if self.endpoint is not None or self.revision is not None or not COMMIT.fullmatch(commit):
            return self
        return replace(self, revision=commit)

    def open(
        self,
        endpoints: Mapping[str, Endpoint],
        unit: bool = True,
        *,
        folders: Mapping[str, str | os.PathLike[str]] | None = None,
        allow_download: bool = False,
    ) -> Encoder:
        """The encoder, with its vectors kept on disk: of unit length, or of their own.

        Parameters
        ----------
        endpoints : where encoders may be served, by name.
        folders : by the name of an encoder, the folder of its model on this machine. No other path is ever opened.
        allow_download : the hub may be asked for a model by its name, as in `SentenceEncoder`.

        All three are the user's word, and never a model folder's.

        Raises
        ------
        InputError
            Where it is served and its endpoint is not among `endpoints`, or is a folder that is not among `folders`; those of
            `SentenceEncoder` and `EndpointEncoder`.
        """
        from .cached import CachedEncoder

        if self.endpoint is None:
            return CachedEncoder(self._loaded((folders or {}).get(self.name), unit, allow_download))
        if self.endpoint not in endpoints:
            raise InputError(
                f"the encoder {self.name!r} is served by the endpoint {quoted(self.endpoint)}; a model folder never says where "
                f"requests go",
                allowed="a TOML file with a table of that name, [endpoint.NAME]",
                remedy="the option 'endpoints' (FILE) says it",
            )
        from .endpoint import EndpointEncoder

        asked = self.model, self.revision, self.dimensions, self.prompt
        return CachedEncoder(EndpointEncoder(endpoints[self.endpoint], *asked, unit=unit))

    def _loaded(self, folder: str | os.PathLike[str] | None, unit: bool, allow_download: bool) -> Encoder:
        if folder is None and not is_hub_name(self.model):
            raise InputError(
                f"the encoder {quoted(self.name)} is at {quoted(self.model)}: no such folder beside a feature set of yours, and a model folder never says what is read beside it",
                allowed="the folder of the encoder's model, by your own word",
                remedy=f"the option 'encoders' ({self.name if _PLAIN.fullmatch(self.name) else 'NAME'}=FOLDER) says it",
            )
        from .sentence import SentenceEncoder

        where, revision = (self.model, self.revision) if folder is None else (Path(folder), None)
        opened = SentenceEncoder(
            where, revision, self.prompt, self.device, pooling=self.pooling, unit=unit, allow_download=allow_download
        )
        if folder is None and revision is None:
            warn(
                f'Encoder {self.name}: {self.model} without a revision may be another model tomorrow; this one is revision = "{opened.revision}".'
            )
        return opened
