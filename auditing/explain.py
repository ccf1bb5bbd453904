"""Why one pair is a match, or none."""

from __future__ import annotations

import numpy as np

from ..features.coverage import covered_table
from ..features.interning import intern_pairs
from ..matcher.doubtful_texts import check_text, refuse_unscored
from ..matcher.match_function import MatchFunction
from .contributions import Contributions
from .explanation import Explanation
from .families import label_of
from .kinds import Names
from .results.decision import Part


def explain(matcher: MatchFunction, a: str, b: str) -> Explanation:
    """Why `matcher` decides as it does on two diagnoses: words, what each feature contributed, and a picture.

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
    base = raw = None
    probability, parts = 1.0, []
    if not identical:
        table, _ = covered_table(unique, matcher.features, matcher.providers, matcher.min_coverage)
        found = Contributions.of(matcher, table)
        base, raw = found.base, float(matcher.raw(table)[0])
        probability = float(matcher.decided(table, unique.equal)[0])
        parts = [
            Part(feature.name, label_of(feature), None if np.isnan(value) else float(value), float(contribution))
            for feature, value, contribution in zip(matcher.features.features, table[0], found.values[0], strict=True)
        ]
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
        raw_threshold=matcher.scorer.calibration.inverse(matcher.threshold),
        parts=tuple(sorted(parts, key=lambda part: -abs(part.contribution))),
    )
