"""The kinds of feature, each declared once; how each is computed stands in `columns.py`, under the same name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..votes.voters import PICK_CHOICES, PICK_OPTIONS, VOTE_CHOICES, VOTE_OPTIONS
from .contrast import MAX_CONFLICTS
from .tokens import VIEWS

Options = Mapping[str, Any]

REQUIRED = object()
EXCLUSION = "exclusion"
"""The kind of the column that is decisive: where it is 1, M's probability is 0."""
SIDES = ("better", "worse")
"""Of both directions of an alignment, the higher mean and the lower."""
DISEASE_COLUMNS = ("same", "line", "closeness", "lin", "certainty")


@dataclass(frozen=True, kw_only=True)
class FeatureKind:
    """What a feature means, apart from which names it is asked about and from how it is computed.

    Attributes
    ----------
    missing : when the value is NaN.
    range : the lowest and the highest value.
    alike : the value of two equal strings.
    monotone : whether M may only rise as the value nears `alike`. Measured: it helps for cosines, costs nothing for
        contrasts and ICD-10, and costs average precision for overlaps and alignments, where a shared word means less in
        a long name than in a short one.
    options : what the TOML may set, with the default, whose type it must have; `REQUIRED` is a text without default.
    choices : the allowed values of an option that has a closed list.
    asked : the values were asked of a language model, which may have given none; so their coverage has a limit.
    """

    meaning: str
    missing: str = "never"
    range: tuple[float, float] = (0.0, 1.0)
    alike: float = 1.0
    options: Options = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    monotone: bool = False
    asked: bool = False


_ICD: dict[str, Any] = {
    "missing": "one of the strings has no nearest entry", "options": {"source": "icd10cm", "encoder": "shipped"},
}  # fmt: skip

KINDS: dict[str, FeatureKind] = {
    "vote": FeatureKind(
        meaning="a language model's vote: 1 match, 0 no match, between them where several answers are averaged or it is soft",
        missing="the pair was not asked, or no answer holds a verdict",
        options={"model": REQUIRED, **VOTE_OPTIONS},
        choices=VOTE_CHOICES,
        asked=True,
    ),
    "icd_pick": FeatureKind(
        meaning="1 if the ICD-10 entries of both strings, a direct match or else a language model's pick among the k nearest, "
        "share their first three characters, else 0",
        missing="one of the strings has neither a direct match nor a pick",
        options={"model": REQUIRED, **PICK_OPTIONS},
        choices=PICK_CHOICES,
        asked=True,
    ),
    "icd_nearest": FeatureKind(
        meaning="1 if the nearest ICD-10 entries of both strings share their first three characters, else 0", **_ICD
    ),
    "icd_kinship": FeatureKind(
        meaning="codes above the nearest ICD-10 entries of both strings, themselves included, that they share, over the mean "
        "of their numbers (Wu and Palmer 1994)",
        monotone=True,
        **_ICD,
    ),
    "icd_overlap": FeatureKind(
        meaning="what two strings share of the ICD-10 categories of their 15 nearest codes, weighted by a softmax of the cosines",
        monotone=True,
        **_ICD,
    ),
    "cosine": FeatureKind(
        meaning="cosine of the two embeddings", range=(-1.0, 1.0), options={"encoder": "shipped"}, monotone=True
    ),
    "alignment": FeatureKind(
        meaning="mean over the words of one string of the cosine to the nearest word of the other; the side of the higher mean "
        "(better) or of the lower (worse)",
        options={"encoder": "shipped", "side": REQUIRED},
        choices={"side": SIDES},
    ),
    "contrast": FeatureKind(
        meaning=f"opposed qualifiers (acute and chronic, type 1 and type 2), counted up to {MAX_CONFLICTS}",
        missing="the language has no table of contrasts",
        range=(0.0, float(MAX_CONFLICTS)),
        alike=0.0,
        monotone=True,
    ),
    EXCLUSION: FeatureKind(
        meaning="1 where what is said of two diagnoses excludes a match, whatever the diagnoses are: one is negated, past, of the family, or no "
        "disease of the patient and the other is not, or one denies a word of the other (small cell, non-small cell); else 0",
        alike=0.0,
        monotone=True,
    ),
    "disease": FeatureKind(
        meaning="what the diseases that two strings are nearest to have in common in the graph of diseases: same (the certainty that they "
        "are one), line (that they are one, or one is a kind of the other), closeness (1 / (1 + steps from one to the other), 0 where neither "
        "is above the other), lin (Lin's similarity), certainty (of the less certain link)",
        missing="one of the strings is near no disease",
        options={"encoder": "shipped", "column": REQUIRED},
        choices={"column": DISEASE_COLUMNS},
    ),
    "ratio": FeatureKind(
        meaning="size of the intersection of two token sets over the size of the smaller",
        missing="one of the sets is empty (a single word has no bigram)",
        options={"view": REQUIRED},
        choices={"view": VIEWS},
    ),
    "levenshtein": FeatureKind(meaning="edits from one string to the other over the length of the longer", alike=0.0),
}
