"""The kinds of feature, each declared once. A new kind is one declaration here and one function of a pair of strings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes.voters import PICK_CHOICES, PICK_OPTIONS, VOTE_CHOICES, VOTE_OPTIONS, Picker, Voter, problem_of
from .alignment import SIDES, alignment
from .contrast import MOST, count_contrasts
from .cosine import cosine
from .levenshtein import normalized_levenshtein
from .representations import Representations
from .tokens import VIEWS, overlap_ratio

Index = NDArray[np.int32]
Column = NDArray[np.float32]


@dataclass(frozen=True)
class Together:
    """One pass over the pairs for several features that differ in one option alone, where a pass for each would do all of
    the work again.

    option : its name. compute : as `FeatureKind.compute`, but for the columns by the option's value.
    """

    option: str
    compute: Callable[[Representations, Mapping[str, Any], Index, Index, Mapping[Any, Column]], None]


@dataclass(frozen=True)
class FeatureKind:
    """What a feature means, apart from which strings it is asked about.

    compute : (representations, options, first, second, out) fills float32[m] for the m pairs of names
        (first[p], second[p]). It is symmetric, and gives a pair alone the same value as in a batch.
    range : the lowest and the highest value.
    alike : the value of two equal strings.
    missing : when the value is NaN.
    monotone : whether M may only rise as the value nears `alike`. Measured: it helps for cosines, costs nothing for
        contrasts and ICD-10, and costs average precision for overlaps and alignments, where a shared word means less in
        a long name than in a short one.
    options : what the TOML may set, with the default, whose type it must have; `REQUIRED` is a text without default.
    choices : the allowed values of an option that has a closed list.
    problem_of : (options) what is wrong with them beyond their types, or None.
    together : how several features of the kind are computed at once; None where each is computed for itself.
    asked : the values were asked of a language model, which may have given none; so their coverage has a limit.

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
    problem_of: Callable[[Mapping[str, Any]], str | None] = lambda options: None
    together: Together | None = None
    asked: bool = False


REQUIRED = object()


def _vote(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    texts.votes(Voter.of(options)).mean(first, second, out)


def _vote_spread(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    texts.votes(Voter.of(options)).spread(first, second, out)


def _icd_pick(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    _same_category(texts.picked_categories(Picker.of(options)), first, second, out)
    out[first == second] = 1.0


def _icd_nearest(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    _same_category(texts.icd_categories(options["source"], options["encoder"]), first, second, out)


def _icd_kinship(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    from ..terms.icd.similarity import wu_palmer

    wu_palmer(texts.icd_paths(options["source"], options["encoder"]), first, second, out)


def _icd_overlap(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    from ..terms.icd.similarity import overlap

    overlap(texts.icd_distribution(options["source"], options["encoder"]), first, second, out)


def _same_category(category: Index, first: Index, second: Index, out: Column) -> None:
    a, b = category[first], category[second]
    out[:] = np.where((a < 0) | (b < 0), np.nan, a == b)


def _cosine(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    cosine(texts.vectors(options["encoder"]), first, second, out)


def _alignment(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    _alignments(texts, options, first, second, {options["side"]: out})


def _alignments(
    texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Mapping[str, Column]
) -> None:
    alignment(texts.words(options["encoder"]), first, second, out)


def _contrast(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    if (claims := texts.claims) is None:
        out[:] = np.nan
    else:
        count_contrasts(claims, first, second, out)


def _ratio(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    overlap_ratio(texts.token_sets(options["view"]), first, second, out)


def _levenshtein(texts: Representations, options: Mapping[str, Any], first: Index, second: Index, out: Column) -> None:
    normalized_levenshtein(texts.spelling, first, second, out)


KINDS: dict[str, FeatureKind] = {
    kind.name: kind
    for kind in (
        FeatureKind(
            "vote",
            "a language model's vote: 1 match, 0 no match, between them where several answers are averaged or it is soft",
            (0.0, 1.0),
            1.0,
            "the pair was not asked, or no answer holds a verdict",
            _vote,
            {"model": REQUIRED, **VOTE_OPTIONS},
            VOTE_CHOICES,
            problem_of=problem_of,
            asked=True,
        ),
        FeatureKind(
            "vote_spread",
            "standard deviation (n - 1) of a language model's votes on one pair, over orders and repeats",
            (0.0, 0.5**0.5),
            0.0,
            "fewer than two answers hold a verdict",
            _vote_spread,
            {"model": REQUIRED, **VOTE_OPTIONS},
            VOTE_CHOICES,
            problem_of=problem_of,
            asked=True,
        ),
        FeatureKind(
            "icd_pick",
            "1 if the ICD-10 entries of both strings, a direct match or else a language model's pick among the k nearest, "
            "share their first three characters, else 0",
            (0.0, 1.0),
            1.0,
            "one of the strings has neither a direct match nor a pick",
            _icd_pick,
            {"model": REQUIRED, **PICK_OPTIONS},
            PICK_CHOICES,
            problem_of=problem_of,
            asked=True,
        ),
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
            "icd_kinship",
            "codes above the nearest ICD-10 entries of both strings, themselves included, that they share, over the mean "
            "of their numbers (Wu and Palmer 1994)",
            (0.0, 1.0),
            1.0,
            "one of the strings has no nearest entry",
            _icd_kinship,
            {"source": "icd10cm", "encoder": "shipped"},
            monotone=True,
        ),
        FeatureKind(
            "icd_overlap",
            "what two strings share of the ICD-10 categories of their 15 nearest codes, weighted by a softmax of the cosines",
            (0.0, 1.0),
            1.0,
            "one of the strings has no nearest entry",
            _icd_overlap,
            {"source": "icd10cm", "encoder": "shipped"},
            monotone=True,
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
            "alignment",
            "mean over the words of one string of the cosine to the nearest word of the other; the side of the higher mean "
            "(better) or of the lower (worse)",
            (0.0, 1.0),
            1.0,
            "never",
            _alignment,
            {"encoder": "shipped", "side": REQUIRED},
            {"side": SIDES},
            together=Together("side", _alignments),
        ),
        FeatureKind(
            "contrast",
            f"opposed qualifiers (acute and chronic, type 1 and type 2, left and right), counted up to {MOST}",
            (0.0, float(MOST)),
            0.0,
            "the language has no table of contrasts",
            _contrast,
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
