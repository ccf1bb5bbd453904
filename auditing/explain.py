"""Why one pair is a match, or none."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..features.coverage import covered_table
from ..features.interning import intern_pairs
from ..features.providers import SHIPPED
from ..features.representations import Representations
from ..matcher.doubtful_texts import check_text, refuse_unscored
from ..matcher.match_function import MatchFunction
from ..matcher.policy import RELATIONS, SPECIFICATION
from ..matcher.reasons import reason
from ..matcher.relation import relations_of
from .contributions import Contributions
from .explanation import Explanation
from .families import label_of
from .kinds import Names
from .results.decision import Link, Part

_CERTAIN = 1e-9
"""A threshold of 0 or 1 has no finite log-odds; this far from it they are drawn."""


def explain(matcher: MatchFunction, a: str, b: str) -> Explanation:
    """Why `matcher` decides as it does on two diagnoses: words, what each feature contributed, and a picture.

    The words also say what excludes a match whatever the trees say, what the graph of diseases knows, and, for a model with a relation
    model, what `a` is to `b`.

    `print(...)` of the result says it in words, `.save("why.svg")` draws it.

    Raises
    ------
    NotUnderstood
        For a diagnosis that M does not understand.
    InputError
        For what is no text, a text without a letter or digit, or votes that are not known for the pair (see `min_coverage` of `load`).
    ModelError
        Where the trees lack the counts of training pairs.
    """
    check_text(a, "a")
    check_text(b, "b")
    unique = intern_pairs([a], [b], matcher.providers.naming)
    refuse_unscored(unique, matcher.unscored(unique))
    (first, read_a), (second, read_b) = ((r.name, r.read_as) for r in matcher.providers.naming.read([a, b]))
    names = Names.of(first, second, matcher.features.language)
    identical = bool(unique.equal[0])
    texts = Representations(unique.names, matcher.providers)
    one, other = (unique.first[0], unique.second[0])[:: -1 if unique.turned[0] else 1]
    base = raw = by_trees = None
    least = matcher.threshold if matcher.policy == SPECIFICATION else matcher.parts.manifest.threshold
    probability, parts = 1.0, []
    if not identical:
        table, _ = covered_table(unique, matcher.features, matcher.providers, matcher.min_coverage, texts=texts)
        found = Contributions.of(matcher, table)
        base, raw = found.base, float(matcher.raw(table)[0])
        by_trees = float(matcher.scorer.calibration(matcher.raw(table))[0])
        probability = float(matcher.counted(unique, table, texts)[0])
        parts = [
            Part(feature.name, label_of(feature), None if np.isnan(value) else float(value), float(contribution))
            for feature, value, contribution in zip(matcher.features.features, table[0], found.values[0], strict=True)
        ]
        excluded = matcher.features.exclusion is not None and bool(table[0, matcher.features.exclusion] == 1)
        relation = None if matcher.parts.relation is None else relations_of(matcher, unique, table, texts)
    else:
        excluded, relation = False, None
    return Explanation(
        a=a,
        b=b,
        names=(first, second),
        read_as=(read_a, read_b),
        mixed=unique.mixed,
        model=matcher.identity,
        probability=probability,
        threshold=matcher.threshold,
        identical=identical,
        shared=tuple(word for word in first.split() if word in names.shared),
        only_a=names.only_a,
        only_b=names.only_b,
        opposed=names.opposed,
        base=base,
        raw=raw,
        raw_threshold=matcher.scorer.calibration.inverse(min(max(least, _CERTAIN), 1 - _CERTAIN)),
        parts=tuple(sorted(parts, key=lambda part: -abs(part.contribution))),
        policy=matcher.policy,
        by_trees=by_trees,
        excluded=excluded,
        reason="" if identical else reason(matcher.providers, texts, one, other),
        links=() if identical else tuple(_links(matcher, texts, (one, other))),
        relation=None if relation is None else relation.kinds[0],
        relations={} if relation is None else dict(zip(RELATIONS, relation.probabilities[0].tolist(), strict=True)),
    )


def _links(matcher: MatchFunction, texts: Representations, places: tuple[int, int]) -> Iterator[Link]:
    """The disease of the graph that each diagnosis counts as, where it is not a name of one."""
    graph = matcher.providers.graph
    if graph is None or not matcher.features.needs_graph:
        return
    links = texts.diseases(SHIPPED)
    for place in places:
        disease, certainty = int(links.nodes[place, 0]), float(links.certainty[place, 0])
        if disease >= 0 and certainty < 1:
            yield Link(texts.cores[place], graph.labels[disease], graph.source(disease), certainty)
