"""The encoder that finds ICD-10's nearest names, by a word: of the model, of a feature set, of a hub or folder, of an endpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..errors import OptionError
from ..features.feature_set import FeatureSet
from ..features.providers import SENTENCE_TRANSFORMERS, SHIPPED, undeclared
from ..files.wording import hint
from ..terms.encoders.declared import EncoderSpec

ENDPOINT = "endpoint:"
"""What precedes NAME:MODEL to ask for an embedding model of an endpoint."""


def declaring(features: FeatureSet, encoder: str) -> FeatureSet:
    """The same set, which knows an encoder of the form "endpoint:NAME:MODEL", too, or "sentence-transformers:FOLDER".

    Raises
    ------
    OptionError
        For a word that is none of the forms, and for an endpoint that the set lacks.
    """
    if encoder in (SHIPPED, *features.declared_encoders):
        return features
    if (loaded := undeclared(encoder)) is not None:
        folder = loaded.folder_beside(Path())
        return features if folder is None else replace(features, folders={**features.folders, encoder: folder})
    endpoint, _, model = encoder.removeprefix(ENDPOINT).partition(":")
    if not encoder.startswith(ENDPOINT) or not model.strip():
        known = (SHIPPED, *features.declared_encoders)
        forms = f"{SENTENCE_TRANSFORMERS}NAME, {ENDPOINT}NAME:MODEL, or one of {', '.join(known)}{hint(encoder, known)}"
        raise OptionError("encoder", forms, encoder)
    if endpoint not in features.endpoints:
        allowed = f"{ENDPOINT}NAME:MODEL with an endpoint of the option 'endpoints' ({', '.join(features.endpoints) or 'none'})"
        raise OptionError("encoder", allowed, encoder)
    spec = EncoderSpec(encoder, model, endpoint)
    return replace(features, declared_encoders={**features.declared_encoders, encoder: spec})
