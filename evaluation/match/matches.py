"""Everything that any judge says of the answers of one evaluation; M is asked here and nowhere else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import quoted
from ...matcher.protocol import Matcher, Profile, not_understood, read_as, tells_relations
from ...progress import Progress
from ...stats.resampling import by_name
from ...terms.icd.codes import padded
from ..read.findings import Finding
from ..read.lists import ABSENT, ALGORITHM, NO_CATEGORY, NO_DIAGNOSIS, JudgedBy, Lists
from .cases import CaseTable
from .codes import CodedAnswers, coded_answers
from .judge import HumanLabels, Judgements, Judging, read_human
from .pairs import Codes, Pairs, ReferenceMatches, distances, gathered, is_directed, pair_codes
from .text_codes import TextCodes

RANKED = 10
"""Ranks that MRR and nDCG look at."""
_SIDE_BY_SIDE, _MOST_CELLS, _MOST_CODES = 50, 50_000_000, 10_000_000
_CELLS_PER_BLOCK = 2_000_000
_MOST_ACROSS = 50_000
"""Pairs of first diagnoses of different cases."""
_SHOWN = 3

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
        given, last = np.append(given, given.dtype.type(0)), len(self.codes) - 1
        for cases, codes in _face_to_face(self.entries, self.first, self.second, len(self.strings)):
            yield cases, given[np.where(codes < 0, -1, np.minimum(np.searchsorted(self.codes, codes), last))]

    @cached_property
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


def _face_to_face(entries: Entries, first: Raters, second: Raters, n_strings: int) -> Iterator[tuple[slice, Codes]]:
    """Some cases, and the code of each two places of each two lists in them: [c, m, K, K]; -1 where either says no diagnosis."""
    for cases in _steps(len(entries), len(first) * entries.shape[2] ** 2):
        left, right = entries[cases][:, first], entries[cases][:, second]
        yield cases, pair_codes(left[..., :, None], right[..., None, :], n_strings)


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


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What the wanted families must know.

    references, depth, whole : M between the first `depth` of each list and the right answers; whether also past them.
    relations : M's relations of the first ten ranks to the right answers, for nDCG.
    k : how much of each list counts in the table of cases.
    max_k : how much of the lists of a panel is compared.
    first, across_cases : the first diagnoses of all raters with each other; also of different cases.
    codes, code_depth : ICD-10 codes of the first of each list, and of the right answers.
    """

    references: bool = True
    depth: int = RANKED
    whole: bool = True
    relations: bool = True
    k: int = 1
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
        room = _MOST_CELLS // (cells * max([1, *map(len, answers.reference)]))
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
            k=k["relative"] or 1,
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
    peers : raters with each other, of lists cut to max_k; None without panels. first, cross_case : the first diagnoses, all raters with
        each other in each case, and of different cases; None where nobody needs them.
    codes : of ICD-10; None where nobody needs them, or, as `no_codes` says, something is missing.
    judged, humans : what a judge of whole answers and people say; None without them.
    threshold, policy, identity, tells_relations : of M. icd_tree : "icd10cm", "icd10", or a path.
    case_table : what was matched with what; None without references.
    """

    answers: Lists
    panels: tuple[JudgedBy, ...]
    no_panel: str
    references: ReferenceMatches | None
    of_final: Matches | None
    peers: PeerMatches | None
    first: PeerMatches | None
    cross_case: CrossCasePairs | None
    codes: CodedAnswers | None
    no_codes: str
    judged: Judgements | None
    humans: HumanLabels | None
    threshold: float
    policy: str
    identity: str
    tells_relations: bool
    icd_tree: str
    findings: tuple[Finding, ...]
    case_table: CaseTable | None


def match(
    answers: Lists,
    matcher: Matcher,
    needs: Needs,
    *,
    panels: Sequence[JudgedBy] = (),
    no_panel: str = "",
    codes: TextCodes | None = None,
    judge: Judging | None = None,
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
    codes : TextCodes, optional
        Where the codes of texts come from.
    judge : Judging, optional
        Language models, or M in their place, that judge whole answers, and fill the columns relation and severity; and labels by people.
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
    codes, judge, profile = codes or TextCodes(), judge or Judging(), Profile.of(matcher)
    answers = judge.filled(answers, matcher)
    labels = None if judge.judge.human is None else read_human(judge.judge.human, answers)
    by_judges = labels is not None or judge.by_m
    # unless its votes cost something, M is asked for the table of cases alone, too
    asks = needs.references or by_judges or not profile.rests_on_votes
    relations = matcher if needs.relations and tells_relations(matcher) else None
    needed = replace(needs, references=asks, whole=needs.whole or by_judges)
    pairs, parts = _parts(answers, needed, panels, is_directed(matcher), seed, relations)
    pairs.ask(matcher, progress)
    found = {name: made() for name, made in parts.items()}
    references, final = found.get("references"), found.get("final")
    coded, lacking, findings = coded_answers(
        [answers, answers.of_final()], needs.code_depth if needs.codes else None, matcher, codes
    )
    judged = references and judge.judgements(answers, matcher, references)
    table = None
    if references is not None:
        table = CaseTable(answers, references, matcher, needs.k, judged.sentences() if judged else {})
        findings += table.findings()
    made = Matches(
        answers, tuple(panels), no_panel, references, None, found.get("peers"), found.get("first"), found.get("cross_case"), coded[0],
        lacking[0], judged, labels,
        float(matcher.threshold), str(getattr(matcher, "policy", None) or ""), profile.identity,
        tells_relations(matcher), codes.tree, (*findings, *_findings(answers, matcher)), table,
    )  # fmt: skip
    if final is None:
        return made
    of_final = replace(made, answers=answers.of_final(), references=final, codes=coded[1], no_codes=lacking[1])
    return replace(made, of_final=of_final)


def pairs_needed(answers: Lists, needs: Needs, *, panels: Sequence[JudgedBy] = (), seed: int = 0) -> pa.Table:
    """Lists the pairs that `match` asks M about, each once, in the columns a and b; asks nobody."""
    pairs, _ = _parts(answers, needs, panels, False, seed)
    a, b = pairs.texts(pairs.codes)
    return pa.table({"a": pa.array(a, pa.string()), "b": pa.array(b, pa.string())})


def _parts(
    answers: Lists, needs: Needs, panels: Sequence[JudgedBy], directed: bool, seed: int, relations: Any = None
) -> tuple[Pairs, dict[str, Callable[[], Any]]]:
    """What M is to be asked, and what makes each part of `Matches` of its answers.

    relations : M, where it is to be asked for its relations.
    """
    of_final = answers.of_final()
    pairs, parts = Pairs([*answers.strings, *chain(*answers.reference, *of_final.reference)], directed), {}
    if needs.references and any(answers.reference):
        # nDCG is of the final diagnosis, where it is told apart
        parts["references"] = _against_right(pairs, answers, needs, None if answers.has_final else relations)
    if needs.references and answers.has_final:
        parts["final"] = _against_right(pairs, of_final, needs, relations)
    if panels:
        parts["peers"] = _peers(pairs, answers, answers.top(needs.max_k), *_compared(panels, len(answers.raters)))
    if needs.first:
        parts["first"] = _peers(pairs, answers, answers.top(1), *np.triu_indices(len(answers.raters), 1))
        parts["cross_case"] = _cross_case(pairs, answers, seed, needs.across_cases)
    return pairs, parts


def _against_right(pairs: Pairs, answers: Lists, needs: Needs, relations: Any) -> Callable[[], ReferenceMatches]:
    """Adds the pairs of lists and right answers of their cases."""
    right = padded(tuple(pairs.numbers(dict.fromkeys(reference)).tolist()) for reference in answers.reference)
    # diagnosis by diagnosis: one long list makes no wide array
    length = answers.lengths if needs.whole else np.minimum(answers.lengths, needs.depth)
    case, rater = (np.repeat(side.reshape(-1), length.reshape(-1)) for side in np.indices(length.shape))
    rank = np.arange(len(case)) - np.repeat(np.cumsum(length) - length.reshape(-1), length.reshape(-1))
    # the last two for -2 and -1
    number = np.append(pairs.numbers(answers.strings), np.array([ABSENT, NO_DIAGNOSIS], np.int32))
    entries = number[answers.entries[answers.offsets[case, rater] + rank]]
    steps = list(_steps(len(case), right.shape[1]))
    pairs.add((right[case[at]], entries[at, None]) for at in steps)

    def made() -> ReferenceMatches:
        said = number[answers.top(needs.depth)]
        shape = (*said.shape, right.shape[1])
        probabilities, hits = np.full(shape, np.nan, np.float32), np.zeros(shape, bool)
        found, distance = np.zeros_like(hits[:, :, 0]), np.zeros_like(hits[:, :, :RANKED], np.int8)
        for at in steps:
            there, hit = pairs.said(right[case[at]], entries[at, None])
            one, of = np.nonzero(hit)
            found[case[at][one], rater[at][one], of] = True
            top = rank[at] < needs.depth
            places = case[at][top], rater[at][top], rank[at][top]
            probabilities[places], hits[places] = there[top], hit[top]
        if relations is not None:
            # of what is no match
            apart = np.nonzero(~np.isnan(probabilities[:, :, :RANKED]) & ~hits[:, :, :RANKED])
            codes = right[apart[0], apart[3]] * np.int64(len(pairs.strings)) + said[apart[:3]]
            unique, at = np.unique(codes, return_inverse=True)
            distance[apart] = distances(relations, *pairs.texts(unique))[at]
        return ReferenceMatches(pairs.strings, right, said, probabilities, hits, found, distance)

    return made


def _compared(panels: Sequence[JudgedBy], raters: int) -> tuple[Raters, Raters]:
    """The pairs of raters that some panel needs, each once, the smaller index first."""
    number = np.arange(raters * raters).reshape(raters, raters)
    needed = np.concatenate([side for panel in panels for side in panel.pairs(np.minimum(number, number.T))])
    first, second = np.divmod(np.unique(needed), raters)
    return first, second


def _peers(pairs: Pairs, answers: Lists, entries: Entries, first: Raters, second: Raters) -> Callable[[], PeerMatches]:
    """Adds every pair that the lists of a case put face to face."""
    n_strings, number = len(answers.strings), pairs.numbers(answers.strings)
    codes = gathered(of.reshape(-1) for _, of in _face_to_face(entries, first, second, n_strings))
    one, other = (number[side] for side in np.divmod(codes, max(1, n_strings)))
    pairs.add([(one, other)], peers=True)

    def made() -> PeerMatches:
        probabilities, verdicts = pairs.said(one, other, peers=True)
        return PeerMatches(entries, first, second, answers.strings, codes, verdicts, probabilities)

    return made


def _cross_case(pairs: Pairs, answers: Lists, seed: int, asked: bool) -> Callable[[], CrossCasePairs]:
    """Adds pairs of first diagnoses of different cases."""
    entries = answers.top(1)[:, :, 0]
    one, other, total = _drawn(answers, entries, seed) if asked else (places := np.empty(0, np.int64), places, 0)
    left, right = entries.ravel()[one], entries.ravel()[other]
    differ = left != right  # equal strings match
    number = pairs.numbers(answers.strings)
    sides = number[left[differ]], number[right[differ]]
    pairs.add([sides], peers=True)

    def made() -> CrossCasePairs:
        apart = differ.copy()
        apart[differ] = ~pairs.said(*sides, peers=True)[1]
        return CrossCasePairs(one[apart], other[apart], len(one), total)

    return made


def _drawn(answers: Lists, entries: Entries, seed: int) -> tuple[Codes, Codes, int]:
    """Each two first diagnoses of all cases, as flat places, or so many drawn at random; of how many.

    Cases are drawn in the order of their names, so that the order of the input changes nothing.
    """
    places = np.arange(entries.size).reshape(entries.shape)[by_name(answers.cases)].ravel()
    places = places[entries.ravel()[places] >= 0]
    total = len(places) * (len(places) - 1) // 2
    if total <= _MOST_ACROSS:
        one, other = np.triu_indices(len(places), 1)
    else:
        generator = np.random.default_rng(seed)
        one = generator.integers(0, len(places), _MOST_ACROSS)
        other = (one + generator.integers(1, len(places), _MOST_ACROSS)) % len(places)
    return places[one], places[other], total


def _findings(answers: Lists, matcher: Matcher) -> Iterator[Finding]:
    """What M does not understand, and what it reads as other words."""
    times = np.bincount(answers.entries[answers.entries >= 0], minlength=len(answers.strings)).tolist()
    said = Counter(dict(zip(answers.strings, times, strict=True)))
    right = Counter(chain.from_iterable(answers.reference))
    texts = list(said | right)
    if unknown := not_understood(matcher, texts):
        where, count = [], Counter[str]()
        for of, what in ((said, "diagnoses in the lists"), (right, "references")):
            missed = Counter({text: of[text] for text in of if text in unknown})
            where += [f"{missed.total():,} of {of.total():,} {what}"] if missed.total() else []
            count += missed
        first = [f"{quoted(text)} ({unknown[text]}, {often:,})" for text, often in count.most_common(_SHOWN)]
        more = f" and {len(unknown) - _SHOWN:,} more" if len(unknown) > _SHOWN else ""
        place, of_all = " and ".join(where), said.total() + right.total()
        yield Finding("not_understood", count.total(), of_all, place, ", ".join(first) + more)
    if changed := read_as(matcher, texts):
        words = dict.fromkeys(f"{quoted(one)} as {quoted(other)}" for pairs in changed.values() for one, other in pairs)
        example = ", ".join(list(words)[:_SHOWN]) + (", …" if len(words) > _SHOWN else "")
        yield Finding("spelling", len(changed), len(texts), example=example)
