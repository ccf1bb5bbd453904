"""Why one pair is a match, or none; and the contributions of many as the library shap takes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import MissingExtra
from ..features.contrast import contrasts
from ..features.names import Names
from ..features.providers import SHIPPED
from ..features.tokens import stems
from ..files.pairs import read_pairs
from ..matcher.batch import Batch, check_texts
from ..matcher.match_function import MatchFunction
from ..matcher.policy import RELATIONS, SPECIFICATION
from ..options import Table, checked
from ..terms.text.assertion import assertion_of
from .explanation import Explanation, Known, Link, Part, Trees, Wording
from .families import label_of

_CERTAIN = 1e-9
"""A threshold of 0 or 1 has no finite log-odds; this far from it they are drawn."""
_JOINS = frozenset(
    ["of", "with", "due", "to", "and", "in", "by", "from", "on", "or", "for", "at", "as", "after", "the", "an"]
)
"""English words that only join others: nobody is told that two diagnoses share them."""


@checked
def explain(matcher: MatchFunction, a: str, b: str) -> Explanation:
    """Says why `matcher` decides as it does on two diagnoses: words, what each feature contributed, and a picture.

    The words also say what excludes a match whatever the trees say, what the graph of diseases knows, and, for a model with a relation
    model, what `a` is to `b`.

    `print(...)` of the result says it in words, `.save("why.svg")` draws it.

    Parameters
    ----------
    matcher : MatchFunction
        Whose decision it is.
    a, b : str
        The two diagnoses; `a` is the reference, where the policy tells the two apart.

    Raises
    ------
    NotUnderstood
        For a diagnosis that M does not understand.
    InputError
        For what is no text, a text without a letter or digit, or votes that are not known for the pair (see `min_coverage` of `load`).
    ModelError
        Where the trees lack the counts of training pairs.
    """
    check_texts(a, b)
    batch = matcher.model.batch([a], [b])
    batch.refuse_unscored()
    least = matcher.threshold if matcher.policy == SPECIFICATION else matcher.parts.manifest.decision.threshold
    raw_threshold = matcher.parts.manifest.decision.calibration.inverse(min(max(least, _CERTAIN), 1 - _CERTAIN))
    probability, trees, known = 1.0, None, Known(False, "", (), None, {})
    if not batch.equal[0]:
        probability, trees = float(batch.probability()[0]), _trees(matcher, batch)
        kind, relations = None, dict[str, float]()
        if matcher.has_relation_model:
            found = batch.relations()
            kind = found.kinds[0]
            relations = dict(zip(map(str, RELATIONS), found.probabilities[0].tolist(), strict=True))
        links = tuple(_links(matcher, batch.names, (int(batch.a[0]), int(batch.b[0]))))
        excluded = bool(matcher.features.excludes(batch.features)[0])
        known = Known(excluded, batch.reasons()[0], links, kind, relations)
    wording = _wording(matcher, a, b, batch.names.mixed_scripts)
    return Explanation(
        a, b, matcher.identity, matcher.policy, probability, matcher.threshold, raw_threshold, wording, trees, known
    )


def _wording(matcher: MatchFunction, a: str, b: str, mixed: tuple[str, ...]) -> Wording:
    """Says how two diagnoses were read, and compares their words by stem."""
    language = matcher.features.language
    first, second = matcher.providers.naming.read([a, b])
    words = first.name.split(), second.name.split()
    stemmed = [stems(side, language) for side in words]

    def of(side: int, *, shared: bool) -> tuple[str, ...]:
        both = zip(words[side], stemmed[side], strict=True)
        return tuple(word for word, stem in both if (stem in stemmed[1 - side]) is shared and word not in _JOINS)

    said = assertion_of(first.name, language), assertion_of(second.name, language)
    return Wording(
        (first.name, second.name), (first.read_as, second.read_as), said, mixed,
        of(0, shared=True), of(0, shared=False), of(1, shared=False), tuple(contrasts(said[0].core, said[1].core, language)),
    )  # fmt: skip


def _trees(matcher: MatchFunction, batch: Batch) -> Trees:
    table, raw = batch.features, matcher.parts.trees.raw(batch.features)
    *contributions, base = batch.contributions()[0].tolist()
    did = zip(matcher.features.features, table[0].tolist(), contributions, strict=True)
    parts = [
        Part(feature.name, label_of(feature), None if np.isnan(value) else value, contribution)
        for feature, value, contribution in did
    ]
    parts.sort(key=lambda part: -abs(part.contribution))
    return Trees(base, float(raw[0]), float(matcher.parts.manifest.decision.calibration(raw)[0]), tuple(parts))


def _links(matcher: MatchFunction, names: Names, places: tuple[int, int]) -> Iterator[Link]:
    """The disease of the graph that each diagnosis counts as, where it is not a name of one."""
    graph = matcher.providers.graph
    if graph is None or not matcher.features.needs_graph:
        return
    links = names.diseases(SHIPPED)
    for place in places:
        disease, certainty = int(links.nodes[place, 0]), float(links.certainty[place, 0])
        if disease >= 0 and certainty < 1:
            yield Link(names.cores[place], graph.labels[disease], graph.source(disease), certainty)


@checked
def shap_explanation(matcher: MatchFunction, pairs: Table, *, a: str = "a", b: str = "b") -> Any:
    """Gives M's SHAP values of pairs as a `shap.Explanation`, for every plot of the library shap: `shap.plots.beeswarm(...)`.

    Parameters
    ----------
    matcher : MatchFunction
        M.
    pairs : table
        A path, a pandas, polars or Arrow frame, or a sequence of two-tuples.
    a, b : str
        The columns of the two diagnoses.

    Returns
    -------
    shap.Explanation
        Of the pairs, in their order: `values` float64 [n, f] and `base_values` float64 [n] in raw log-odds, before calibration; `data`
        float32 [n, f], NaN where a feature is unknown. Pairs that are equal after normalisation match whatever the trees say.

    Raises
    ------
    MissingExtra
        Without the extra `explain`.
    InputError
        For a text without a letter or digit, or votes known for too few of the pairs.
    """
    try:
        with warnings.catch_warnings():  # in a notebook its progress bars warn of widgets that nothing here needs
            warnings.simplefilter("ignore")
            import shap
    except ImportError:
        raise MissingExtra("A shap.Explanation", "explain") from None
    read = read_pairs(pairs, a=a, b=b)
    batch = matcher.model.batch(read.a, read.b)
    table, found = batch.features[batch.pair_of_row], batch.contributions()[batch.pair_of_row]
    return shap.Explanation(found[:, :-1], found[:, -1], table, feature_names=list(matcher.features.names))
