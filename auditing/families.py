"""The features of a match function by family, and what each says in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..features.feature_set import FeatureSpec

_FAMILIES = {
    "vote": "votes", "icd_pick": "icd", "icd_nearest": "icd", "icd_kinship": "icd", "icd_overlap": "icd",
    "cosine": "cosines", "alignment": "alignments", "ratio": "ratios", "disease": "diseases",
}  # fmt: skip
_LABELS = {
    "vote": "vote of {model}",
    "icd_pick": "same ICD-10 category, picked by {model}",
    "icd_nearest": "same nearest ICD-10 category",
    "icd_kinship": "how near the nearest ICD-10 entries stand in the tree",
    "icd_overlap": "ICD-10 categories in common among the 15 nearest codes",
    "alignment": "how near each word finds one on the other side, the {side} side",
    "contrast": "opposed qualifiers (acute and chronic, type 1 and type 2)",
    "cosine": "closeness in meaning (encoder {encoder})",
    "ratio": "share of {view} in common",
    "levenshtein": "share of letters to change",
    "disease": "{column} in the graph of diseases",
    "exclusion": "what is said of one excludes the other (negated, past, the family's; small cell, non-small cell); decisive",
}
_OPTIONS = {
    "same": "how sure it is that both are one disease",
    "line": "how sure it is that both are one disease, or one a kind of the other,",
    "closeness": "how few steps lead from one disease to the other, upwards,",
    "lin": "how much of what the two diseases say is said by a class above both,",
    "certainty": "how near the less certain of the two is to a name",
    "unigram": "words",
    "bigram": "neighbouring words",
    "stem": "stems",
    "lemma": "dictionary forms",
    "tags": "parts of speech",
}
"""Views of words and columns of diseases, in words."""


def families(features: Sequence[FeatureSpec]) -> dict[str, list[int]]:
    """Gives the columns by family: kinds of feature that say the same sort of thing."""
    found: dict[str, list[int]] = {}
    for column, feature in enumerate(features):
        found.setdefault(family_of(feature), []).append(column)
    return found


def family_of(feature: FeatureSpec) -> str:
    """Names the family: `ratios`, `cosines`, `icd`, `diseases`, `votes`, or the kind's own name."""
    return _FAMILIES.get(feature.kind, feature.kind)


def label_of(feature: FeatureSpec) -> str:
    """Says in a few words what a feature tells."""
    said = {key: _OPTIONS.get(feature.options.get(key, ""), "") for key in ("view", "column")}
    return _LABELS.get(feature.kind, feature.kind).format(**{**feature.options, **said})
