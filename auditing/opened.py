"""What the audit sees of a match function beyond its scores: members, combination, calibration, kinds of its features."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import MissingExtra
from ..features.feature_set import FeatureSpec
from ..features.registry import KINDS
from ..matcher.match_function import MatchFunction
from ..models.ensemble import Combination

_LIBRARIES = ("shap", "altair", "vl_convert")
_WIDEST = 500.0
_FAMILIES = {
    "vote": "votes", "vote_spread": "votes", "icd_pick": "icd", "icd_nearest": "icd", "icd_kinship": "icd", "icd_overlap": "icd", "cosine": "cosines", "alignment": "alignments",
    "ratio": "ratios",
}  # fmt: skip

_LABELS = {
    "vote": "vote of {model}",
    "vote_spread": "how far the votes of {model} differ",
    "icd_pick": "same ICD-10 category, picked by {model}",
    "icd_nearest": "same nearest ICD-10 category",
    "icd_kinship": "how near the nearest ICD-10 entries stand in the tree",
    "icd_overlap": "ICD-10 categories in common among the 15 nearest codes",
    "alignment": "how near each word finds one on the other side, the {side} side",
    "contrast": "opposed qualifiers (acute and chronic, type 1 and type 2)",
    "cosine": "closeness in meaning (encoder {encoder})",
    "ratio": "share of {view} in common",
    "levenshtein": "share of letters to change",
}
_VIEWS = {
    "unigram": "words",
    "bigram": "neighbouring words",
    "stem": "stems",
    "lemma": "dictionary forms",
    "tags": "parts of speech",
}


class Opened:
    """A match function, opened up."""

    def __init__(self, matcher: MatchFunction) -> None:
        self.matcher = matcher
        self.names = matcher.features.names
        self.parts = matcher.parts

    @property
    def combination(self) -> Combination:
        """How the members' raw log-odds become M's."""
        return self.parts.manifest.ensemble

    @cached_property
    def boosters(self) -> Sequence[Any]:
        import lightgbm

        return [lightgbm.Booster(model_str=text) for text in self.parts.trees]

    def calibrated(self, raw: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.parts.manifest.calibration(raw)

    @cached_property
    def raw_threshold(self) -> float:
        """The raw log-odds from which a pair is a match: where the calibrated probability reaches the threshold."""
        low, high = -_WIDEST, _WIDEST
        for _ in range(60):
            middle = (low + high) / 2
            if self.calibrated(np.array([middle]))[0] >= self.matcher.threshold:
                high = middle
            else:
                low = middle
        return high

    @cached_property
    def families(self) -> dict[str, list[int]]:
        """Columns by family: kinds of feature that say the same sort of thing."""
        found: dict[str, list[int]] = {}
        for column, feature in enumerate(self.matcher.features.features):
            found.setdefault(family_of(feature), []).append(column)
        return found


def family_of(feature: FeatureSpec) -> str:
    """`ratios`, `cosines`, `icd`, `votes`, or the kind's own name."""
    return _FAMILIES.get(feature.kind, feature.kind)


def label_of(feature: FeatureSpec) -> str:
    """What a feature says, in a few words; of a kind without such, its meaning and the options that tell it from its siblings."""
    if label := _LABELS.get(feature.kind):
        view = _VIEWS.get(feature.options.get("view", ""), "")
        return label.format(**{**feature.options, "view": view})
    own = [str(feature.options[key]) for key in ("model", "view", "encoder") if feature.options.get(key)]
    return KINDS[feature.kind].meaning + (f" ({', '.join(own)})" if own else "")


def check_installed(what: str) -> None:
    """Errors: `MissingExtra` where a library of the extra `explain` is absent, before any long work begins."""
    if any(find_spec(library) is None for library in _LIBRARIES):
        raise MissingExtra(what, "explain")
