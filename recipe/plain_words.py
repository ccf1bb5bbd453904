"""How often M is right on diagnoses in plain words, kind by kind: synonyms, negation, kinds and classes, what is no diagnosis.

The pairs are a CSV: kind, a, b, and the relation that is expected of them. Nothing is trained on them.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..files.tables import read_table
from ..matcher.match_function import MatchFunction

NOT_UNDERSTOOD = "not understood"
MATCHES = frozenset(("same", "narrower", "broader"))
EXPECTED = (*sorted(MATCHES), "related", "unrelated", "excluded", NOT_UNDERSTOOD)
"""`a` is a kind of `b` in narrower, `b` of `a` in broader; in excluded one denies what the other says."""
POLICY = "specification"
LEVEL = 0.95

_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True)
class PlainWords:
    """n pairs, with the kind of each and the relation that is expected, one of `EXPECTED`."""

    kind: list[str]
    a: list[str]
    b: list[str]
    expected: list[str]


def read_plain_words(path: str | os.PathLike[str]) -> PlainWords:
    r"""The pairs of a table with the columns kind, a, b, expected; `\u00ad` and the like stand for the character.

    Raises
    ------
    InputError
        For a missing column, an empty cell, or an expectation that is none of `EXPECTED`.
    """
    table = read_table(path)
    columns: list[list[str]] = []
    for name in ("kind", "a", "b", "expected"):
        table.require(name)
        texts = [value or "" for value in table.text(name).to_pylist()]
        allowed = EXPECTED if name == "expected" else None
        for row, text in enumerate(texts):
            if not text or (allowed and text not in allowed):
                raise table.error("an unknown value", row, name, allowed=", ".join(allowed or ("a text",)))
        columns.append([_ESCAPE.sub(lambda found: chr(int(found[1], 16)), text) for text in texts])
    return PlainWords(*columns)


def measure_plain_words(matcher: MatchFunction, words: PlainWords) -> dict[str, Any]:
    """How often M is right: {"policy", "level", "all": share, "kinds": {kind: share}}, for the manifest's metrics.

    Right is a match where `MATCHES` has what is expected, no match elsewhere, no score of what is not understood. A share is
    {"pairs", "right", "value", "low", "high"}, with a Wilson interval, and "relation", the share of the pairs in understood
    words whose very relation is right.

    Raises
    ------
    OptionError
        For an M of another policy than `specification`: what it calls a match is not what is expected here.
    """
    if matcher.policy != POLICY:
        raise OptionError("matcher", f"one of the policy {POLICY}", f"the policy {matcher.policy}")
    probability = np.asarray(matcher.probabilities(words.a, words.b), float)
    scored = ~np.isnan(probability)
    expected = np.array(words.expected)
    understood = expected != NOT_UNDERSTOOD
    match = np.isin(expected, list(MATCHES))
    right = np.where(understood, scored & ((probability >= matcher.threshold) == match), ~scored)
    told = matcher.relations(words.a, words.b).kinds
    exact = np.array([said == wanted for said, wanted in zip(told, words.expected, strict=True)])

    def share_of(rows: NDArray[np.bool_]) -> dict[str, Any]:
        return share(right[rows]) | {"relation": share(exact[rows & understood])}

    kinds = np.array(words.kind)
    return {
        "policy": POLICY,
        "level": LEVEL,
        "all": share_of(np.ones(len(kinds), bool)),
        "kinds": {kind: share_of(kinds == kind) for kind in dict.fromkeys(words.kind)},
    }


def share(right: NDArray[np.bool_]) -> dict[str, Any]:
    """pairs, right, and the value with its Wilson interval; None of nothing."""
    from scipy.stats import binomtest

    n, k = len(right), int(right.sum())
    if not n:
        return {"pairs": 0, "right": 0, "value": None, "low": None, "high": None}
    interval = binomtest(k, n).proportion_ci(LEVEL, "wilson")
    return {"pairs": n, "right": k, "value": k / n, "low": float(interval.low), "high": float(interval.high)}
