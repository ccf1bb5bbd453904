"""A feature set as a model folder records it: encoders in folders by the folder's name, and not by its place on one machine."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec

from .feature_set import FeatureSet
from .providers import SENTENCE_TRANSFORMERS


def without_paths(features: FeatureSet) -> FeatureSet:
    """The same columns and folders; an encoder at /home/me/minilm is "./minilm", which is no hub's name and opens nothing by itself.

    One that a feature names by its path ("sentence-transformers:/home/me/minilm") has that name, "sentence-transformers:./minilm"; where two
    folders have one name, the second is "./minilm-2".
    """
    called: dict[str, str] = {}
    for name, folder in features.folders.items():
        base = new = f"./{Path(folder).resolve().name}"
        number = 1
        while new in called.values():
            number += 1
            new = f"{base}-{number}"
        called[name] = new
    names = {
        name: f"{SENTENCE_TRANSFORMERS}{new}" if name not in features.declared_encoders else name
        for name, new in called.items()
    }
    return replace(
        features,
        features=tuple(
            replace(one, options={**one.options, "encoder": names.get(one.options["encoder"], one.options["encoder"])})
            if "encoder" in one.options
            else one
            for one in features.features
        ),
        declared_encoders={
            name: msgspec.structs.replace(spec, model=called.get(name, spec.model))
            for name, spec in features.declared_encoders.items()
        },
        folders={names[name]: folder for name, folder in features.folders.items()},
    )
