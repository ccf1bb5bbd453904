"""Pairs from the graph of diseases: a kind and its class, two kinds of one class, two that are far apart; and names that differ in a word."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np

from ..encoder.data import COMMON, ICD
from ..encoder.variants import word_table
from .pool import Candidate, Pool, mixed, shuffled

MAX_STEPS = 3
WIDEST = 8_500
"""Kinds of the widest class that makes two diseases kin: "nervous system disorder"."""
CLOSE = 60
"""Kinds of one class are near kin where the class has no more kinds than this."""
PER_NAME = 4
"""Contrasts of one name."""


def named(pool: Pool) -> list[int]:
    """The diseases with a usable name."""
    return [disease for disease, names in enumerate(pool.of_diseases) if names]


def common(pool: Pool) -> list[int]:
    """Those that ICD-10-CM or the table of common names has a name of."""
    every_day = {name.normal for name in pool.all if name.source in (COMMON, ICD)}
    graph = pool.vocabulary.graph
    met = {disease for name, disease in zip(graph.names, graph.name_disease.tolist(), strict=True) if name in every_day}
    return [disease for disease in named(pool) if disease in met]


def kinds(pool: Pool, random: Random) -> Iterator[Candidate]:
    """A disease, and one that it is a kind of, at most three steps above, by any of their names."""
    graph, names = pool.vocabulary.graph, pool.of_diseases
    for disease in mixed(0.6, common(pool), named(pool), random):
        some = slice(graph.above.starts[disease], graph.above.starts[disease + 1])
        steps, above = graph.above.steps[some], graph.above.diseases[some]
        fit = [
            each
            for each in above[(steps > 0) & (steps <= MAX_STEPS)].tolist()
            if names[each] and not graph.too_broad[each]
        ]
        if fit:
            wide = random.choice(fit)
            yield Candidate(random.choice(names[disease]), random.choice(names[wide]))


def siblings(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two kinds of one narrow class, neither a kind of the other."""
    graph, names = pool.vocabulary.graph, pool.of_diseases
    of_class: dict[int, list[int]] = {}
    for disease in range(len(graph)):
        if names[disease]:
            for parent in graph.parents[graph.parent_starts[disease] : graph.parent_starts[disease + 1]].tolist():
                if graph.kinds[parent] <= CLOSE:
                    of_class.setdefault(parent, []).append(disease)
    families = [of_class[each] for each in sorted(of_class) if len(of_class[each]) > 1]
    often = set(common(pool))
    met = [family for family in families if sum(each in often for each in family) > 1]
    for family in mixed(0.6, met * 8, families * 3, random):
        a, b = random.sample(family, 2)
        if not graph.in_line(a, b):
            yield Candidate(random.choice(names[a]), random.choice(names[b]))


def cousins(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two diseases with no nearer class in common than a wide one."""
    graph, names = pool.vocabulary.graph, pool.of_diseases
    often = set(common(pool))
    usable = [each for each in named(pool) if not graph.too_broad[each] and (each in often or random.random() < 0.2)]
    below: dict[int, list[int]] = {}
    for disease in usable:
        for each in graph.above.diseases[graph.above.starts[disease] : graph.above.starts[disease + 1]].tolist():
            if graph.kinds[each] > CLOSE:
                below.setdefault(each, []).append(disease)
    families = [
        below[each] for each in sorted(below) if len(below[each]) > 1 and 4 * CLOSE < graph.kinds[each] <= WIDEST
    ]
    for family in shuffled(families * 40, random):
        a, b = random.sample(family, 2)
        nearest = nearest_class(pool, a, b)
        if not graph.in_line(a, b) and nearest >= 0 and graph.kinds[nearest] > CLOSE:
            yield Candidate(random.choice(names[a]), random.choice(names[b]))


def strangers(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two diseases that no class but the very widest holds."""
    graph, names = pool.vocabulary.graph, pool.of_diseases
    often, every = common(pool), [each for each in named(pool) if not graph.too_broad[each]]
    for among in mixed(0.7, [often] * 40_000, [every] * 40_000, random):
        if len(among) < 2:
            continue
        a, b = random.sample(among, 2)
        nearest = nearest_class(pool, a, b)
        if nearest < 0 or graph.kinds[nearest] > WIDEST:
            yield Candidate(random.choice(names[a]), random.choice(names[b]))


def contrasts(pool: Pool, random: Random) -> Iterator[Candidate]:
    """Two names that differ in one word and one that it excludes, by the table that the encoder learns from; another number, letter or prefix, too.

    The second is a name of a source; of a common disease it may be made up ("viral cellulitis").
    """
    for name in mixed(0.5, pool.all, pool.common, random):
        others = shuffled([change.of(name.words) for change in word_table().contrasts(name.words)], random)
        known = [other for other in others if other in pool.names]
        for other in known[:PER_NAME] or (others[:1] if name.source == COMMON else []):
            yield Candidate(name.text, pool.drawn_name(other, random, 0.7), from_b=(other,))


def nearest_class(pool: Pool, a: int, b: int) -> int:
    """The class above both with the fewest kinds; -1 for none."""
    graph, above = pool.vocabulary.graph, pool.vocabulary.graph.above
    of_a, of_b = (above.diseases[above.starts[each] : above.starts[each + 1]] for each in (a, b))
    both = np.intersect1d(of_a, of_b)
    return int(both[np.argmin(graph.kinds[both])]) if len(both) else -1
