"""Pairs of two diseases: near each other in ICD-10-CM, near by their letters, or apart by one word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from ...terms.icd.tree import BLOCK, CATEGORY
from ..diseases.tables import says_nothing
from ..encoder.data import COMMON
from ..encoder.variants import word_table
from ..word_lists.reading import word_set
from .pool import Candidate, Name, Pool, in_turn, is_name, mixed, shuffled
from .titles import is_enumerated

NEAREST = 12
PER_NAME = 4
_BLOCK_OF_QUERIES = 128
_ONLY_DEGREE = word_set(
    "left right bilateral unilateral stage trimester degree grade first second third mild moderate severe profound total partial "
    "major minor initial subsequent single recurrent full remission early late 1 2 3 4"
)


def siblings(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two titles under one category or subcategory, or two categories of one block."""
    vocabulary, icd = pool.vocabulary, pool.vocabulary.tree
    of_parent: dict[int, list[int]] = defaultdict(list)
    for node, as_written in vocabulary.titles.items():
        if (
            not as_written.residual
            and not is_enumerated(as_written.words)
            and is_name(as_written.words)
            and vocabulary.in_fold((icd.names[node],))
        ):
            of_parent[int(icd.parents[node])].append(node)
    families = [(icd.kinds[parent], nodes) for parent, nodes in sorted(of_parent.items()) if len(nodes) > 1]
    narrow = [nodes for kind, nodes in families if kind >= CATEGORY]
    wide = [nodes for kind, nodes in families if kind == BLOCK]

    def drawn(families: list[list[int]]) -> Iterator[Candidate]:
        for _ in range(30):
            for nodes in shuffled(families, random):
                a, b = (vocabulary.titles[node].words for node in random.sample(nodes, 2))
                if not _differ_by_degree(pool, a, b):
                    yield Candidate(a, pool.drawn_name(b, random, 0.7))

    return in_turn([(0.5, drawn(narrow)), (0.5, drawn(wide))], random)


def _differ_by_degree(pool: Pool, a: str, b: str) -> bool:
    first, second = _own_words(pool, a, b)
    return first | second <= _ONLY_DEGREE


def _own_words(pool: Pool, a: str, b: str) -> tuple[set[str], set[str]]:
    """The words of each name that the other has not."""
    first, second = (set(pool.vocabulary.normalizer(text).split()) for text in (a, b))
    return first - second, second - first


def lexical_neighbours(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two diseases of one source whose names share most of their trigrams of letters."""
    from sklearn.feature_extraction.text import HashingVectorizer

    names = [name for name in pool.all if len(name.words) <= 7]
    if not names:
        return
    trigrams = HashingVectorizer(analyzer="char_wb", ngram_range=(3, 3), n_features=1 << 18, alternate_sign=False)
    vectors: Any = trigrams.transform([name.normal for name in names])
    columns = vectors.T.tocsr()
    order = shuffled(range(len(names)), random)
    for start in range(0, len(order), _BLOCK_OF_QUERIES):
        queries = order[start : start + _BLOCK_OF_QUERIES]
        scores = (vectors[queries] @ columns).tocsr()
        for row, query in enumerate(queries):
            found = scores[row]
            nearest = found.indices[np.argsort(-found.data, kind="stable")[:NEAREST]].tolist()
            fit = [n for n in nearest if n != query and _are_far(pool, names[query], names[n])]
            for n in fit[:2]:
                yield Candidate(names[query].text, names[n].text)


def _are_far(pool: Pool, a: Name, b: Name) -> bool:
    """Of one source, of two diseases, and not apart by a spelling or a degree alone."""
    vocabulary = pool.vocabulary
    if a.source != b.source or vocabulary.disease_of.get(a.normal) == vocabulary.disease_of.get(b.normal):
        return False
    first, second = _own_words(pool, a.text, b.text)
    if len(first) != len(second) or first | second <= _ONLY_DEGREE:
        return False
    if any(says_nothing(" ".join(words)) for words in (first, second)):
        return False
    return not all(any(_is_spelling(x, y) for y in second) for x in first)


def _is_spelling(a: str, b: str) -> bool:
    """Whether two words have the same beginning and the same length within two letters: "dystrophy", "dystrophic"."""
    return min(len(a), len(b)) >= 5 and abs(len(a) - len(b)) <= 2 and a[:5] == b[:5]


def contrasts(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two names that differ in one word and one that it excludes, by the table that the encoder learns from; another number, letter or prefix, too.

    The second is a name of a source; of a common disease it may be made up ("viral cellulitis").
    """
    for name in mixed(0.5, pool.all, pool.common, random):
        others = shuffled([change.of(name.words) for change in word_table().contrasts(name.words)], random)
        known = [other for other in others if other in pool.names]
        for other in known[:PER_NAME] or (others[:1] if name.source == COMMON else []):
            yield Candidate(name.text, pool.drawn_name(other, random, 0.7), from_b=(other,))
