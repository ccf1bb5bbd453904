"""The kinds of feature, each declared once. A new kind is one declaration here and one function of a pair of strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .cosine import cosine
from .levenshtein import normalized_levenshtein
from .linguistic import VIEWS, overlap_ratio
from .representations import Representations

Index = NDArray[np.int32]
Column = NDArray[np.float32]


@dataclass(frozen=True)
class FeatureKind:
    """What a feature means, apart from which strings it is asked about.

    compute : (representations, options, first, second, out) fills float32[m] for the m pairs of names
        (first[p], second[p]). It is symmetric, and gives a pair alone the same value as in a batch.
    range : the lowest and the highest value.
    alike : the value of two equal strings.
    missing : when the value is NaN.
    monotone : whether M may only rise as the value nears `alike`. Measured: it helps for cosines, and costs average
        precision for the overlaps, where a shared word means less in a long name than in a short one.
    options : what the TOML may set, with the default; `required` means that there is none.
    choices : the allowed values of an option that has a closed list.

    """

    name: str
    meaning: str
    range: tuple[float, float]
    alike: float
    missing: str
    compute: Callable[[Representations, Mapping[str, Any], Index, Index, Column], None]
    options: Mapping[str, Any] = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    monotone: bool = False


REQUIRED = object()


def _icd_nearest(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    category = texts.icd_categories(options["source"], options["encoder"])
    a, b = category[first], category[second]
    out[:] = np.where((a < 0) | (b < 0), np.nan, a == b)


def _cosine(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    cosine(texts.vectors(options["encoder"]), first, second, out)


def _ratio(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    overlap_ratio(texts.token_sets(options["view"]), first, second, out)


def _levenshtein(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    normalized_levenshtein(texts.spelling, first, second, out)


KINDS: dict[str, FeatureKind] = {
    kind.name: kind
    for kind in (
        FeatureKind(
            "icd_nearest",
            "1 if the nearest ICD-10 entries of both strings share their first three characters, else 0",
            (0.0, 1.0),
            1.0,
            "one of the strings has no nearest entry",
            _icd_nearest,
            {"source": "icd10cm", "encoder": "shipped"},
        ),
        FeatureKind(
            "cosine",
            "cosine of the two embeddings",
            (-1.0, 1.0),
            1.0,
            "never",
            _cosine,
            {"encoder": "shipped"},
            monotone=True,
        ),
        FeatureKind(
            "ratio",
            "size of the intersection of two token sets over the size of the smaller",
            (0.0, 1.0),
            1.0,
            "one of the sets is empty (a single word has no bigram; a language without a tagger has no tags)",
            _ratio,
            {"view": REQUIRED},
            {"view": VIEWS},
        ),
        FeatureKind(
            "levenshtein",
            "edits from one string to the other over the length of the longer",
            (0.0, 1.0),
            0.0,
            "never",
            _levenshtein,
        ),
    )
}
