"""The kinds of feature, each declared once: what it says of two names (its docstring), and how it is computed. Each is symmetric."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..votes.voters import PICK_CHOICES, PICK_OPTIONS, VOTE_CHOICES, VOTE_OPTIONS, Picker, Voter
from .contrast import MAX_CONFLICTS
from .names import IcdPlaces
from .pairs import DISEASE_COLUMNS, Column, Pairs
from .tokens import VIEWS

Options = Mapping[str, Any]
Compute = Callable[[Pairs, Options], Column]

REQUIRED = object()
SIDES = ("better", "worse")
"""Of both directions of an alignment, the higher mean and the lower."""


@dataclass(frozen=True, kw_only=True)
class FeatureKind:
    """What a feature means, apart from which names it is asked about.

    Attributes
    ----------
    compute : (pairs, options) -> float32[m].
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

    compute: Compute
    missing: str = "never"
    range: tuple[float, float] = (0.0, 1.0)
    alike: float = 1.0
    options: Options = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    monotone: bool = False
    asked: bool = False


KINDS: dict[str, FeatureKind] = {}
"""By the names of the functions that compute them."""


def _kind(**declared: Any) -> Callable[[Compute], Compute]:
    def kept(compute: Compute) -> Compute:
        KINDS[compute.__name__] = FeatureKind(compute=compute, **declared)
        return compute

    return kept


_ICD = {"missing": "one has no nearest entry", "options": {"source": "icd10cm", "encoder": "shipped"}}


def _places(pairs: Pairs, options: Options) -> IcdPlaces:
    return pairs.names.icd(options["source"], options["encoder"])


@_kind(
    missing="the pair was not asked, or no answer holds a verdict",
    options={"model": REQUIRED, **VOTE_OPTIONS},
    choices=VOTE_CHOICES,
    asked=True,
)
def vote(pairs: Pairs, options: Options) -> Column:
    """A language model's vote: 1 match, 0 no match, between them where several answers are averaged or it is soft."""
    return pairs.filled(pairs.names.votes(Voter.of(options)).mean)


@_kind(
    missing="one has neither a direct match nor a pick",
    options={"model": REQUIRED, **PICK_OPTIONS},
    choices=PICK_CHOICES,
    asked=True,
)
def icd_pick(pairs: Pairs, options: Options) -> Column:
    """1 if the ICD-10 entries of both, a direct match or else a language model's pick among the k nearest, share their first three characters, else 0."""
    same = pairs.same(pairs.names.picked_categories(Picker.of(options)))
    return np.where(pairs.first == pairs.second, np.float32(1), same)


@_kind(**_ICD)
def icd_nearest(pairs: Pairs, options: Options) -> Column:
    """1 if the nearest ICD-10 entries of both share their first three characters, else 0."""
    return pairs.same(_places(pairs, options).categories)


@_kind(monotone=True, **_ICD)
def icd_kinship(pairs: Pairs, options: Options) -> Column:
    """Codes above the nearest ICD-10 entries of both, themselves included, that they share, over the mean of their numbers (Wu and Palmer 1994)."""
    from ..terms.icd.kernels import wu_palmer  # imports numba

    return pairs.filled(wu_palmer, _places(pairs, options).paths)


@_kind(monotone=True, **_ICD)
def icd_overlap(pairs: Pairs, options: Options) -> Column:
    """What two strings share of the ICD-10 categories of their 15 nearest codes, weighted by a softmax of the cosines."""
    from ..terms.icd.kernels import overlap  # imports numba

    return pairs.filled(overlap, *_places(pairs, options).distribution)


@_kind(range=(-1.0, 1.0), options={"encoder": "shipped"}, monotone=True)
def cosine(pairs: Pairs, options: Options) -> Column:
    """Cosine of the two embeddings."""
    return pairs.filled("cosine", pairs.names.vectors(options["encoder"]))


@_kind(options={"encoder": "shipped", "side": REQUIRED}, choices={"side": SIDES})
def alignment(pairs: Pairs, options: Options) -> Column:
    """Mean over the words of one of the cosine to the nearest word of the other; the side of the higher mean (better) or of the lower (worse)."""
    of_both = np.maximum if options["side"] == SIDES[0] else np.minimum
    return of_both(*pairs.found(options["encoder"])).astype(np.float32)


@_kind(missing="the language has no table of contrasts", range=(0.0, float(MAX_CONFLICTS)), alike=0.0, monotone=True)
def contrast(pairs: Pairs, options: Options) -> Column:
    """Opposed qualifiers (acute and chronic, type 1 and type 2), counted up to `MAX_CONFLICTS`."""
    return pairs.conflicts()[0]


@_kind(alike=0.0, monotone=True)
def exclusion(pairs: Pairs, options: Options) -> Column:
    """1 where what is said of two diagnoses excludes a match, whatever the diagnoses are, else 0. There M's probability is 0.

    One is negated, past, of the family, or no disease of the patient and the other is not, or one denies a word of the other
    (small cell, non-small cell).
    """
    claims = pairs.names.claims
    return np.fmax(claims[pairs.first] != claims[pairs.second], pairs.conflicts()[1])


@_kind(
    missing="one is near no disease",
    options={"encoder": "shipped", "column": REQUIRED},
    choices={"column": DISEASE_COLUMNS},
)
def disease(pairs: Pairs, options: Options) -> Column:
    """What the diseases that two strings are nearest to have in common in the graph of diseases, as `Pairs.diseases` says."""
    return pairs.diseases(options["encoder"])[DISEASE_COLUMNS.index(options["column"])]


@_kind(
    missing="one of the sets is empty (a single word has no bigram)",
    options={"view": REQUIRED},
    choices={"view": VIEWS},
)
def ratio(pairs: Pairs, options: Options) -> Column:
    """Size of the intersection of two token sets over the size of the smaller."""
    return pairs.filled("overlap", *pairs.names.token_sets(options["view"]))


@_kind(alike=0.0)
def levenshtein(pairs: Pairs, options: Options) -> Column:
    """Edits from one string to the other over the length of the longer, by rapidfuzz."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    sides = ([pairs.names.cores[name] for name in side.tolist()] for side in (pairs.first, pairs.second))
    return cpdist(*sides, scorer=Levenshtein.normalized_distance, dtype=np.float32, workers=1)


EXCLUSION = exclusion.__name__
"""The kind of the column that is decisive: where it is 1, M's probability is 0."""
