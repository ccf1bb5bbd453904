"""The kinds of feature, each declared once: what it says of two names (its docstring), and how it is computed. Each is symmetric.

Every comparison depends on the two names alone, so a pair alone has the value that it has in a batch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..votes.voters import PICK_CHOICES, PICK_OPTIONS, VOTE_CHOICES, VOTE_OPTIONS, Picker, Voter
from .contrast import MAX_CONFLICTS
from .names import Index, Names
from .providers import Lazy, once
from .tokens import VIEWS

Column = NDArray[np.float32]

DISEASE_COLUMNS = ("same", "line", "closeness", "lin", "certainty")


class Pairs(Lazy):
    """m pairs of names, and what several columns read of them, computed once.

    Parameters
    ----------
    first, second : int32[m], places among the names; quickest where sorted, since what belongs to a name then comes from the
        processor's caches.
    """

    def __init__(self, names: Names, first: Index, second: Index) -> None:
        self.names, self.first, self.second = names, first, second

    def filled(self, loop: str | Callable[..., None], *of_names: object, rows: int | None = None) -> Column:
        """float32[m], or float32[rows, m], as a loop, one of `kernels` by its name, fills it from what is known of the names."""
        from . import kernels  # imports numba

        out = np.empty(len(self.first) if rows is None else (rows, len(self.first)), np.float32)
        (getattr(kernels, loop) if isinstance(loop, str) else loop)(*of_names, self.first, self.second, out)
        return out

    def same(self, category: Index) -> Column:
        """1 where both names have one category, int32[u], else 0; NaN where one has none, -1."""
        a, b = category[self.first], category[self.second]
        return np.where((a < 0) | (b < 0), np.float32(np.nan), (a == b).astype(np.float32))

    @once
    def found(self, encoder: str) -> NDArray[np.float64]:
        """float64[2, m]: how well the words of the first are found in the second, and the reverse, from 0 to 1.

        The mean over the words of the one of the cosine to the nearest word of the other, after the greedy matching of BERTScore
        (Zhang et al. 2020, §3), over vectors of single words in place of words in context. The similarity of two words of one
        stem is 1; a cosine below 0 counts as 0.
        """
        from . import kernels

        out, words = np.empty((2, len(self.first))), self.names.words(encoder)
        kernels.found(*words, self.first, self.second, out)
        return out

    @once
    def diseases(self, encoder: str) -> Column:
        """float32[6, m]: the `DISEASE_COLUMNS`, NaN where a name has no link, and the line with a sign, as in `directions`.

        A link of one name and a link of the other are as sure as the less sure of the two. same : of links to one disease the surest; the
        certainty that both are one. line : also of links to a disease and a kind of it; a class that is too broad counts for nothing.
        closeness : 1 / (1 + steps from the one to the other) by the surest of these links, by the closest of equally sure ones; 0 where there
        is none. lin : Lin's similarity (Lin 1998, §3) of the two nearest diseases. certainty : of the less certain link.
        """
        return self.filled("diseases", *self.names.diseases(encoder), rows=len(DISEASE_COLUMNS) + 1)

    @once
    def conflicts(self) -> Column:
        """float32[2, m]: the axes on which two names conflict, up to `MAX_CONFLICTS`, and 1 where one affirms what the other denies.

        NaN in a language without a table of contrasts.
        """
        if (attributes := self.names.attributes) is None:
            return np.full((2, len(self.first)), np.nan, np.float32)
        return self.filled("conflicts", *attributes, MAX_CONFLICTS, rows=2)

    def directions(self, source: str, encoder: str) -> Column:
        """float32[m, 5], the `DIRECTIONS`: what speaks for the first being a kind of the second; 0 where something is unknown.

        Every column is antisymmetric: turned round, a pair has the same numbers below zero.

        line : the certainty of the surest links, by which the second disease lies above the first in the graph; with a minus where it lies
        below, 0 where both are one disease, neither is above the other, the upper one is too broad, or links that are equally sure disagree.
        information : by how much the first disease says more (`DiseaseGraph.information`). covered : how well the words of the second are found
        in the first, less the reverse. length : logarithm of the number of words of the first over that of the second. icd : 1 where the ICD-10
        code of the second lies above that of the first, -1 where it lies below.

        Parameters
        ----------
        source, encoder : the ICD-10 and the encoder of the names' codes and diseases.
        """
        links, paths = self.names.diseases(encoder), self.names.icd(source, encoder).paths
        nodes = links.nodes[[self.first, self.second], 0]
        says = np.where(nodes >= 0, links.information[nodes], 0)
        of_first, of_second = self.found(encoder)
        counts = np.log(np.diff(self.names.words(encoder).offsets))
        a, b = paths[self.first], paths[self.second]
        apart = ((a != b) & (a >= 0) & (b >= 0)).any(axis=1) | (a[:, 0] < 0) | (b[:, 0] < 0)
        return np.column_stack([
            self.diseases(encoder)[-1],
            np.where((nodes >= 0).all(axis=0), says[0] - says[1], 0),
            of_second - of_first,
            counts[self.first] - counts[self.second],
            np.where(apart, 0, np.sign((a >= 0).sum(axis=1) - (b >= 0).sum(axis=1))),
        ]).astype(np.float32)  # fmt: skip


Compute = Callable[..., Column]
REQUIRED = Parameter.empty


@dataclass(frozen=True, kw_only=True)
class FeatureKind:
    """What a feature means, apart from which names it is asked about.

    Attributes
    ----------
    compute : (pairs, **options) -> float32[m].
    missing : when the value is NaN.
    range : the lowest and the highest value.
    alike : the value of two equal strings.
    monotone : whether M may only rise as the value nears `alike`. Measured: it helps for cosines, costs nothing for
        contrasts and ICD-10, and costs average precision for overlaps and alignments, where a shared word means less in
        a long name than in a short one.
    options : what the TOML may set: the function's own options, with the default, whose type it must have; `REQUIRED` is a text
        without default.
    choices : the allowed values of an option that has a closed list.
    asked : the values were asked of a language model, which may have given none; so their coverage has a limit.
    """

    compute: Compute
    missing: str = "never"
    range: tuple[float, float] = (0.0, 1.0)
    alike: float = 1.0
    options: Mapping[str, Any]
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    monotone: bool = False
    asked: bool = False


KINDS: dict[str, FeatureKind] = {}
"""By the names of the functions that compute them."""


def _kind(**declared: Any) -> Callable[[Compute], Compute]:
    def kept(compute: Compute) -> Compute:
        _, *own = signature(compute).parameters.values()
        options = {option.name: option.default for option in own}
        KINDS[compute.__name__] = FeatureKind(**{"compute": compute, "options": options, **declared})
        return compute

    return kept


_NO_ENTRY = "one has no nearest entry"


@_kind(
    missing="the pair was not asked, or no answer holds a verdict",
    options={"model": REQUIRED, **VOTE_OPTIONS},
    choices=VOTE_CHOICES,
    asked=True,
)
def vote(pairs: Pairs, **options: Any) -> Column:
    """A language model's vote: 1 match, 0 no match, between them where several answers are averaged or it is soft."""
    votes, sides = pairs.names.votes(Voter.of(options)), np.sort(np.column_stack([pairs.first, pairs.second]))
    return np.array([1.0 if a == b else votes.get((a, b), np.nan) for a, b in sides.tolist()], np.float32)


@_kind(
    missing="one has neither a direct match nor a pick",
    options={"model": REQUIRED, **PICK_OPTIONS},
    choices=PICK_CHOICES,
    asked=True,
)
def icd_pick(pairs: Pairs, **options: Any) -> Column:
    """1 if the ICD-10 entries of both, a direct match or else a language model's pick among the k nearest, share their first three characters, else 0."""
    same = pairs.same(pairs.names.picked_categories(Picker.of(options)))
    return np.where(pairs.first == pairs.second, np.float32(1), same)


@_kind(missing=_NO_ENTRY)
def icd_nearest(pairs: Pairs, *, source: str = "icd10cm", encoder: str = "shipped") -> Column:
    """1 if the nearest ICD-10 entries of both share their first three characters, else 0."""
    return pairs.same(pairs.names.icd(source, encoder).categories)


@_kind(monotone=True, missing=_NO_ENTRY)
def icd_kinship(pairs: Pairs, *, source: str = "icd10cm", encoder: str = "shipped") -> Column:
    """Codes above the nearest ICD-10 entries of both, themselves included, that they share, over the mean of their numbers (Wu and Palmer 1994)."""
    paths = pairs.names.icd(source, encoder).paths
    a, b = paths[pairs.first], paths[pairs.second]
    shared, codes = ((a == b) & (a >= 0)).sum(axis=1), (a >= 0).sum(axis=1) + (b >= 0).sum(axis=1)
    known = (a[:, 0] >= 0) & (b[:, 0] >= 0)
    return np.where(known, 2 * shared / np.maximum(codes, 1), np.nan).astype(np.float32)


@_kind(monotone=True, missing=_NO_ENTRY)
def icd_overlap(pairs: Pairs, *, source: str = "icd10cm", encoder: str = "shipped") -> Column:
    """What two strings share of the ICD-10 categories of their 15 nearest codes, weighted by a softmax of the cosines."""
    from ..terms.icd.kernels import overlap  # imports numba

    return pairs.filled(overlap, *pairs.names.icd(source, encoder).distribution)


@_kind(range=(-1.0, 1.0), monotone=True)
def cosine(pairs: Pairs, *, encoder: str = "shipped") -> Column:
    """Cosine of the two embeddings."""
    return pairs.filled("cosine", pairs.names.vectors(encoder))


@_kind(choices={"side": ("better", "worse")})
def alignment(pairs: Pairs, *, encoder: str = "shipped", side: str) -> Column:
    """Mean over the words of one of the cosine to the nearest word of the other; the side of the higher mean (better) or of the lower (worse)."""
    of_both = np.maximum if side == "better" else np.minimum
    return of_both(*pairs.found(encoder)).astype(np.float32)


@_kind(missing="the language has no table of contrasts", range=(0.0, float(MAX_CONFLICTS)), alike=0.0, monotone=True)
def contrast(pairs: Pairs) -> Column:
    """Opposed qualifiers (acute and chronic, type 1 and type 2), counted up to `MAX_CONFLICTS`."""
    return pairs.conflicts()[0]


@_kind(alike=0.0, monotone=True)
def exclusion(pairs: Pairs) -> Column:
    """1 where what is said of two diagnoses excludes a match, whatever the diagnoses are, else 0. There M's probability is 0.

    One is negated, past, of the family, or no disease of the patient and the other is not, or one denies a word of the other
    (small cell, non-small cell).
    """
    claims = pairs.names.claims
    return np.fmax(claims[pairs.first] != claims[pairs.second], pairs.conflicts()[1])


@_kind(missing="one is near no disease", choices={"column": DISEASE_COLUMNS})
def disease(pairs: Pairs, *, encoder: str = "shipped", column: str) -> Column:
    """What the diseases that two strings are nearest to have in common in the graph of diseases, as `Pairs.diseases` says."""
    return pairs.diseases(encoder)[DISEASE_COLUMNS.index(column)]


@_kind(missing="one of the sets is empty (a single word has no bigram)", choices={"view": VIEWS})
def ratio(pairs: Pairs, *, view: str) -> Column:
    """Size of the intersection of two token sets over the size of the smaller."""
    return pairs.filled("overlap", *pairs.names.token_sets(view))


@_kind(alike=0.0)
def levenshtein(pairs: Pairs) -> Column:
    """Edits from one string to the other over the length of the longer, by rapidfuzz."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cpdist

    sides = ([pairs.names.cores[name] for name in side.tolist()] for side in (pairs.first, pairs.second))
    return cpdist(*sides, scorer=Levenshtein.normalized_distance, dtype=np.float32, workers=1)


EXCLUSION, CONTRAST = EXCLUDING = (exclusion.__name__, contrast.__name__)
"""The kinds of column that are decisive: where one is above 0, M's probability is 0."""
