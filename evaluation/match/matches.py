"""Everything that any judge says of the answers of one evaluation; M is asked here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...matcher.protocol import Matcher
from ...progress import Progress
from ..lists.lists import ALGORITHM, NO_CATEGORY, Lists, Panel
from ..lists.text_codes import TextCodes
from ..read.findings import Finding
from .pairs import Codes, ReferenceMatches, pair_codes

if TYPE_CHECKING:
    from .cases import CaseTable
    from .codes import CodedAnswers
    from .judge import HumanLabels, Judgements, Judging

RANKED = 10
"""Ranks that MRR and nDCG look at."""
_SIDE_BY_SIDE, _MOST_CELLS, _MOST_CODES = 50, 50_000_000, 10_000_000
_CELLS_PER_BLOCK = 2_000_000

Entries = NDArray[np.int32]
Raters = NDArray[np.intp]


@dataclass(frozen=True)
class Categories:
    """Classes of first diagnoses, as kappa needs them.

    M is a relation between two strings. Two first diagnoses are in one category when a chain of matches leads from one to the
    other, each link being two first diagnoses of one case that M matches; strings that differ only in case or white space are one.
    A word for no diagnosis is in no category.

    of : int64 [n, raters], the category of each first diagnosis; -1 is none. count : how many there are.
    agreements : of two raters in a case. chained : those of them that hold only through a chain.
    """

    of: NDArray[np.int64]
    count: int
    agreements: int
    chained: int


@dataclass(frozen=True)
class PeerMatches:
    """M between raters in each of n cases, as verdicts on u unordered pairs of `strings`.

    entries : int32 [n, raters, K], indices of strings; negative where there is no diagnosis.
    first, second : int [m], the raters of each pair that is compared, the smaller first.
    strings : of the answers, ascending. codes : int64 [u], ascending; the pair (i, j), i <= j, has the code i * len(strings) + j.
    verdicts : bool [u]. probabilities : float32 [u]. Of a policy that looks one way, either direction counts.
    """

    entries: Entries
    first: Raters
    second: Raters
    strings: list[str]
    codes: Codes
    verdicts: NDArray[np.bool_]
    probabilities: NDArray[np.float32]

    def top(self, k: int) -> PeerMatches:
        """Cuts lists to k."""
        return replace(self, entries=self.entries[:, :, :k])

    def compared(self, values: NDArray[Any] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yields blocks of cases, and for each pair of lists, place by place, what M says: bool [c, m, K, K].

        values : [u], what to give instead of the verdicts; 0 where nothing is said.
        """
        given = self.verdicts if values is None else values
        for block in _blocks(self.entries, self.first, self.second):
            names = block.names
            i, j = np.triu_indices(names.shape[1])
            codes = pair_codes(names[:, i], names[:, j], len(self.strings))
            at = np.minimum(np.searchsorted(self.codes, codes), max(len(self.codes) - 1, 0))
            matched = np.zeros((len(names), block.width, block.width), given.dtype)
            if len(self.codes):
                matched[:, i, j] = matched[:, j, i] = np.where(self.codes[at] == codes, given[at], given.dtype.type(0))
            yield block.cases, matched.reshape(-1)[block.compared]

    def categories(self) -> Categories:
        """Sorts the first diagnoses into categories, by the pairs that are compared."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        entries = self.entries[:, :, 0]
        folded: dict[str, int] = {}
        spelling = np.array(
            [folded.setdefault(" ".join(s.casefold().split()), len(folded)) for s in self.strings] or [0]
        )
        left, right = entries[:, self.first], entries[:, self.second]
        direct = np.concatenate([matched[:, :, 0, 0] for _, matched in self.top(1).compared()])
        edges = (spelling[left[direct]], spelling[right[direct]])
        graph = coo_array((np.ones(len(edges[0]), bool), edges), shape=(len(spelling), len(spelling)))
        _, component = connected_components(graph, directed=False)
        of = np.where(entries >= 0, component[spelling[entries]], NO_CATEGORY)
        used, number = np.unique(of, return_inverse=True)
        number = number.reshape(of.shape) - int(len(used) > 0 and used[0] == NO_CATEGORY)
        together = (number[:, self.first] == number[:, self.second]) & (number[:, self.first] != NO_CATEGORY)
        count = int(number.max(initial=NO_CATEGORY)) + 1
        return Categories(number.astype(np.int64), count, int(together.sum()), int((together & ~direct).sum()))


@dataclass(frozen=True)
class _Block:
    """Some cases, with the strings of each numbered within the case, so that a repeated pair is one pair.

    names : int32 [c, L], the strings of each case, ascending, then -1. width : L + 1, the last for no diagnosis.
    compared : int64 [c, m, K, K], for each pair of places its position in a flat [c, width, width], smaller number first.
    """

    cases: slice
    names: Entries
    width: int
    compared: NDArray[np.int64]


def _blocks(entries: Entries, first: Raters, second: Raters) -> Iterator[_Block]:
    n, raters, longest = entries.shape
    for cases in _steps(n, len(first) * longest * longest):
        flat = np.maximum(entries[cases].reshape(-1, raters * longest), -1)
        order = np.argsort(flat, axis=1)
        ascending = np.take_along_axis(flat, order, 1)
        new = ascending >= 0
        new[:, 1:] &= ascending[:, 1:] != ascending[:, :-1]
        number = new.cumsum(1) - 1
        count = int(number.max()) + 1
        number[ascending < 0] = count
        names = np.full((len(flat), count + 1), -1, np.int32)
        np.put_along_axis(names, number, ascending, 1)
        local = np.empty_like(number)
        np.put_along_axis(local, order, number, 1)
        local, width = local.reshape(-1, raters, longest), count + 1
        left, right = local[:, first][:, :, :, None], local[:, second][:, :, None, :]
        start = (np.arange(len(flat)) * width * width)[:, None, None, None]
        yield _Block(cases, names[:, :count], width, start + np.minimum(left, right) * width + np.maximum(left, right))


def _steps(n: int, cells: int) -> Iterator[slice]:
    """Cuts n cases of so many cells into blocks of bounded memory."""
    step = max(1, _CELLS_PER_BLOCK // max(1, cells))
    yield from (slice(start, min(n, start + step)) for start in range(0, n, step))


@dataclass(frozen=True)
class CrossCasePairs:
    """Pairs of first diagnoses, each of any case and rater, that M tells apart.

    one, other : int, flat places (case * raters + rater), cases in the order of the answers. asked : how many pairs they were
    found among. all : of how many. None of them where M was not asked about diagnoses of different cases.
    """

    one: NDArray[np.int64]
    other: NDArray[np.int64]
    asked: int
    all: int


@dataclass(frozen=True)
class FirstAnswers:
    """The first diagnosis of each of r raters in n cases, all raters with each other.

    entries : int32 [n, r], indices of the answers' strings; negative is none. categories : of them, by M on all pairs of raters.
    apart : bool [n, r, r], whether M tells two raters' first diagnoses apart.
    """

    entries: Entries
    categories: Categories
    apart: NDArray[np.bool_]
    cross_case: CrossCasePairs


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What the wanted families must know.

    references, depth, whole : M between the first `depth` of each list and the right answers; whether also past them.
    relations : M's relations of the first ten ranks to the right answers, for nDCG.
    max_k : how much of the lists of a panel is compared.
    first, across_cases : the first diagnoses of all raters with each other; also of different cases.
    codes, code_depth : ICD-10 codes of the first of each list, and of the right answers.
    """

    references: bool = True
    depth: int = RANKED
    whole: bool = True
    relations: bool = True
    max_k: int = 3
    first: bool = True
    across_cases: bool = True
    codes: bool = True
    code_depth: int = RANKED

    @classmethod
    def of(
        cls, answers: Lists, families: Collection[str], k: Mapping[str, int | None], max_k: int, across_cases: bool
    ) -> Needs:
        """Finds what families need of these answers.

        k : family -> how many diagnoses of each list count; None is all of them.
        """
        longest = max(1, int(answers.lengths.max(initial=0)))
        cells = max(1, answers.lengths.size)
        room = _MOST_CELLS // (cells * max(map(len, answers.reference), default=1))
        counted = [count for family in ("ranking", "recall", "hierarchical") if (count := k[family]) is not None]
        whole = k["recall"] is None
        depth = max(*counted, min(longest, _SIDE_BY_SIDE, room) if whole else 1, min(RANKED, longest))
        code_depth = depth if k["hierarchical"] is not None else max(depth, min(longest, _MOST_CODES // cells))
        experts = [role for role in answers.roles or [""] * len(answers.raters) if role != ALGORITHM]
        against_right = not {"ranking", "recall", "hierarchical"}.isdisjoint(families)
        return cls(
            references=against_right,
            depth=depth,
            whole=whole and "recall" in families,
            relations="ranking" in families,
            max_k=max_k,
            first="agreement" in families and len(experts) - (len(experts) == len(answers.raters)) >= 2,
            across_cases=across_cases,
            codes=not {"ranking", "hierarchical"}.isdisjoint(families),
            code_depth=code_depth,
        )


@dataclass(frozen=True)
class Matches:
    """What all judges say of the answers.

    answers : with the columns relation and severity filled, where these were asked for.
    panels : who is judged by whom; () without a panel, and `no_panel` says why.
    references : against the right answers; None where no case has one. of_final : the same answers against the final
        diagnoses, where these are told apart: its references, codes and no_codes alone are filled.
    peers : raters with each other, of lists cut to max_k; None without panels. first : the first diagnoses; None where nobody needs them.
    codes : of ICD-10; None where nobody needs them, or, as `no_codes` says, something is missing.
    judged, humans : what a judge of whole answers and people say; None without them.
    threshold, policy, identity, rests_on_votes, tells_relations : of M. icd_tree : "icd10cm", "icd10", or a path.
    case_table : what was matched with what; None without references.
    """

    answers: Lists
    panels: tuple[Panel, ...]
    no_panel: str
    references: ReferenceMatches | None
    of_final: Matches | None
    peers: PeerMatches | None
    first: FirstAnswers | None
    codes: CodedAnswers | None
    no_codes: str
    judged: Judgements | None
    humans: HumanLabels | None
    threshold: float
    policy: str
    identity: str
    rests_on_votes: bool
    tells_relations: bool
    icd_tree: str
    findings: tuple[Finding, ...]
    case_table: CaseTable | None


def match(
    answers: Lists,
    matcher: Matcher,
    needs: Needs,
    *,
    panels: Sequence[Panel] = (),
    no_panel: str = "",
    codes: TextCodes = TextCodes(),
    icd_tree: str = "icd10cm",
    judge: Judging | None = None,
    humans: Any = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Matches:
    """Asks every judge about the answers, M about each pair of strings once.

    Parameters
    ----------
    answers : Lists
        With what is right, as far as anybody knows it.
    matcher : Matcher
        M.
    needs : Needs
        What the wanted families must know: nothing else is asked.
    panels, no_panel
        Who is judged by whom; why there is none.
    codes, icd_tree
        Where the codes of texts come from; the tree that they are of.
    judge : Judging, optional
        Language models, or M in their place, that judge whole answers, and fill the columns relation and severity.
    humans : path or table, optional
        Labels by people, as `read_human` takes them.
    seed : int
        Of the pairs of different cases, where these are too many to ask.
    progress : callable, optional
        Called with (done, in all).

    Raises
    ------
    InputError
        For codes, labels or answers of a judge that cannot be right.
    ModelError
        Where M gives something other than one value per pair.
    """
    raise NotImplementedError


def pairs_needed(
    answers: Lists, needs: Needs, *, panels: Sequence[Panel] = (), humans: Any = None, seed: int = 0
) -> pa.Table:
    """Lists the pairs that `match` asks M about, each once, in the columns a and b; asks nobody."""
    raise NotImplementedError
