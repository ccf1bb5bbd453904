"""The kinds of feature, each declared once: what it needs of every name, and how it compares two of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..terms.icd.similarity import overlap, wu_palmer
from ..votes.voters import PICK_CHOICES, PICK_OPTIONS, VOTE_CHOICES, VOTE_OPTIONS, Picker, Voter, problem_of
from .alignment import SIDES, alignment
from .contrast import MAX_CONFLICTS, count_conflicts
from .cosine import cosine
from .disease import COLUMNS as DISEASE_COLUMNS
from .disease import compare_diseases
from .exclusion import exclusion
from .levenshtein import normalized_levenshtein
from .names import Names
from .tokens import VIEWS, overlap_ratio

Index = NDArray[np.int32]
Column = NDArray[np.float32]
Options = Mapping[str, Any]

REQUIRED = object()
EXCLUSION = "exclusion"
"""The kind of the column that is decisive: where it is 1, M's probability is 0."""


@dataclass(frozen=True, kw_only=True)
class FeatureKind:
    """What a feature means, apart from which names it is asked about.

    Attributes
    ----------
    range : the lowest and the highest value.
    alike : the value of two equal strings.
    missing : when the value is NaN.
    needs : (names, options) what is computed of all names, once.
    compare : (what `needs` gave, first, second, out) fills float32[m] for the m pairs of names (first[p], second[p]).
        It is symmetric, and gives a pair alone the same value as in a batch.
    monotone : whether M may only rise as the value nears `alike`. Measured: it helps for cosines, costs nothing for
        contrasts and ICD-10, and costs average precision for overlaps and alignments, where a shared word means less in
        a long name than in a short one.
    options : what the TOML may set, with the default, whose type it must have; `REQUIRED` is a text without default.
    choices : the allowed values of an option that has a closed list.
    problem_of : (options) what is wrong with them beyond their types, or None.
    output : the option that names one of several columns which one comparison gives; `out` is then a mapping of columns by
        its value. None where a comparison gives one column.
    asked : the values were asked of a language model, which may have given none; so their coverage has a limit.
    """

    name: str
    meaning: str
    range: tuple[float, float]
    alike: float
    missing: str
    needs: Callable[[Names, Options], Any]
    compare: Callable[[Any, Index, Index, Any], None]
    options: Options = field(default_factory=dict)
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    monotone: bool = False
    problem_of: Callable[[Options], str | None] = lambda options: None
    output: str | None = None
    asked: bool = False


def _same_category(category: Index, first: Index, second: Index, out: Column) -> None:
    a, b = category[first], category[second]
    out[:] = np.where((a < 0) | (b < 0), np.nan, a == b)


def _same_pick(category: Index, first: Index, second: Index, out: Column) -> None:
    _same_category(category, first, second, out)
    out[first == second] = 1.0


_ICD_OPTIONS = {"source": "icd10cm", "encoder": "shipped"}
_OF_VOTES: dict[str, Any] = {
    "options": {"model": REQUIRED, **VOTE_OPTIONS}, "choices": VOTE_CHOICES, "problem_of": problem_of, "asked": True,
}  # fmt: skip
_NO_NEAREST = "one of the strings has no nearest entry"

KINDS: dict[str, FeatureKind] = {
    kind.name: kind
    for kind in (
        FeatureKind(
            name="vote",
            meaning="a language model's vote: 1 match, 0 no match, between them where several answers are averaged or it is soft",
            range=(0.0, 1.0),
            alike=1.0,
            missing="the pair was not asked, or no answer holds a verdict",
            needs=lambda names, options: names.votes(Voter.of(options)),
            compare=lambda votes, first, second, out: votes.mean(first, second, out),
            **_OF_VOTES,
        ),
        FeatureKind(
            name="vote_spread",
            meaning="standard deviation (n - 1) of a language model's votes on one pair, over orders and repeats",
            range=(0.0, 0.5**0.5),
            alike=0.0,
            missing="fewer than two answers hold a verdict",
            needs=lambda names, options: names.votes(Voter.of(options)),
            compare=lambda votes, first, second, out: votes.spread(first, second, out),
            **_OF_VOTES,
        ),
        FeatureKind(
            name="icd_pick",
            meaning="1 if the ICD-10 entries of both strings, a direct match or else a language model's pick among the k nearest, "
            "share their first three characters, else 0",
            range=(0.0, 1.0),
            alike=1.0,
            missing="one of the strings has neither a direct match nor a pick",
            needs=lambda names, options: names.picked_categories(Picker.of(options)),
            compare=_same_pick,
            options={"model": REQUIRED, **PICK_OPTIONS},
            choices=PICK_CHOICES,
            problem_of=problem_of,
            asked=True,
        ),
        FeatureKind(
            name="icd_nearest",
            meaning="1 if the nearest ICD-10 entries of both strings share their first three characters, else 0",
            range=(0.0, 1.0),
            alike=1.0,
            missing=_NO_NEAREST,
            needs=lambda names, options: names.icd_categories(options["source"], options["encoder"]),
            compare=_same_category,
            options=_ICD_OPTIONS,
        ),
        FeatureKind(
            name="icd_kinship",
            meaning="codes above the nearest ICD-10 entries of both strings, themselves included, that they share, over the mean "
            "of their numbers (Wu and Palmer 1994)",
            range=(0.0, 1.0),
            alike=1.0,
            missing=_NO_NEAREST,
            needs=lambda names, options: names.icd_paths(options["source"], options["encoder"]),
            compare=wu_palmer,
            options=_ICD_OPTIONS,
            monotone=True,
        ),
        FeatureKind(
            name="icd_overlap",
            meaning="what two strings share of the ICD-10 categories of their 15 nearest codes, weighted by a softmax of the cosines",
            range=(0.0, 1.0),
            alike=1.0,
            missing=_NO_NEAREST,
            needs=lambda names, options: names.icd_distribution(options["source"], options["encoder"]),
            compare=overlap,
            options=_ICD_OPTIONS,
            monotone=True,
        ),
        FeatureKind(
            name="cosine",
            meaning="cosine of the two embeddings",
            range=(-1.0, 1.0),
            alike=1.0,
            missing="never",
            needs=lambda names, options: names.vectors(options["encoder"]),
            compare=cosine,
            options={"encoder": "shipped"},
            monotone=True,
        ),
        FeatureKind(
            name="alignment",
            meaning="mean over the words of one string of the cosine to the nearest word of the other; the side of the higher mean "
            "(better) or of the lower (worse)",
            range=(0.0, 1.0),
            alike=1.0,
            missing="never",
            needs=lambda names, options: names.words(options["encoder"]),
            compare=alignment,
            options={"encoder": "shipped", "side": REQUIRED},
            choices={"side": SIDES},
            output="side",
        ),
        FeatureKind(
            name="contrast",
            meaning=f"opposed qualifiers (acute and chronic, type 1 and type 2), counted up to {MAX_CONFLICTS}",
            range=(0.0, float(MAX_CONFLICTS)),
            alike=0.0,
            missing="the language has no table of contrasts",
            needs=lambda names, options: names.attributes,
            compare=count_conflicts,
            monotone=True,
        ),
        FeatureKind(
            name=EXCLUSION,
            meaning="1 where what is said of two diagnoses excludes a match, whatever the diagnoses are: one is negated, past, of the family, or no "
            "disease of the patient and the other is not, or one denies a word of the other (small cell, non-small cell); else 0",
            range=(0.0, 1.0),
            alike=0.0,
            missing="never",
            needs=lambda names, options: names.claims,
            compare=exclusion,
            monotone=True,
        ),
        FeatureKind(
            name="disease",
            meaning="what the diseases that two strings are nearest to have in common in the graph of diseases: same (the certainty that they "
            "are one), line (that they are one, or one is a kind of the other), closeness (1 / (1 + steps from one to the other), 0 where neither "
            "is above the other), lin (Lin's similarity), certainty (of the less certain link)",
            range=(0.0, 1.0),
            alike=1.0,
            missing="one of the strings is near no disease",
            needs=lambda names, options: names.diseases(options["encoder"]),
            compare=compare_diseases,
            options={"encoder": "shipped", "column": REQUIRED},
            choices={"column": DISEASE_COLUMNS},
            output="column",
        ),
        FeatureKind(
            name="ratio",
            meaning="size of the intersection of two token sets over the size of the smaller",
            range=(0.0, 1.0),
            alike=1.0,
            missing="one of the sets is empty (a single word has no bigram)",
            needs=lambda names, options: names.token_sets(options["view"]),
            compare=overlap_ratio,
            options={"view": REQUIRED},
            choices={"view": VIEWS},
        ),
        FeatureKind(
            name="levenshtein",
            meaning="edits from one string to the other over the length of the longer",
            range=(0.0, 1.0),
            alike=0.0,
            missing="never",
            needs=lambda names, options: names.core_array,
            compare=normalized_levenshtein,
        ),
    )
}
