"""What the match function says of the pairs, by dxmatch's public names alone: each run as arrays by name."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch

POLICIES = ("specification", "strict", "narrower-counts", "broader-counts")
RELATIONS = ("same", "narrower", "broader", "related", "unrelated", "excluded")
Texts = Sequence[str]
TOLERANCE = {"score": 1e-6}
"""Of the arrays that another processor's library of linear algebra sums in another order; 1e-12 for all others."""
Found = Mapping[str, np.ndarray]
Pair = tuple[str, str]
matcher = cache(lambda policy=POLICIES[0]: dxmatch.load(policy=policy))


def table(m: Any, a: Texts, b: Texts, **wanted: bool) -> pa.Table:
    """probability and match (null where a text is not understood); with relation, features, shap what they add."""
    return m.score(pa.table({"a": a, "b": b}), add=[name for name, asked in wanted.items() if asked])


def numbers(column: Any) -> np.ndarray:
    """float64[n] of a column of pyarrow, pandas or polars, NaN where it has none."""
    return np.array([np.nan if x is None else x for x in column.to_numpy()], float)


def relations(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The kind of each pair, "" where it has none, and the probability of each relation."""
    found = table(m, a, b, relation=True)
    kind = np.array([x or "" for x in found["relation"].to_pylist()])
    return {"kind": kind, **{name: numbers(found[f"relation_{name}"]) for name in RELATIONS}}


def codes(m: Any, texts: Texts, k: int) -> dict[str, np.ndarray]:
    """The code, then the k candidates, "" for none; their scores; how the code was found."""
    rows = dxmatch.icd(pa.table({"diagnosis": list(texts)}), k=k, matcher=m).to_pylist()
    each = [[(r["icd10"], r["score"]), *((c["code"], c["score"]) for c in r["candidates"])] for r in rows]
    each = [row + [("", None)] * (k + 1 - len(row)) for row in each]
    return {
        "code": np.array([[code or "" for code, _ in row] for row in each]),
        "score": np.array([[score for _, score in row] for row in each], float),
        "how": np.array([r["how"] for r in rows]),
    }


def contributions(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The names of the features, their values, what each adds to the log-odds, and the base."""
    found, names = table(m, a, b, features=True, shap=True), list(m.features.names)
    values, shap = (np.stack([numbers(found[before + name]) for name in names], 1) for before in ("", "shap_"))
    return {"names": np.array(names), "values": values, "shap": shap, "base": numbers(found["shap_base"])}


def contributions_of_shap(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The same as an explanation of the library shap."""
    e = dxmatch.shap_explanation(m, pa.table({"a": a, "b": b}))
    return {"names": np.array(e.feature_names), "values": e.data.astype(float), "shap": e.values, "base": e.base_values}


def explanation(m: Any, a: str, b: str) -> tuple[str, list[float]]:
    """The names and the numbers of an explanation; neither for a pair that is not understood."""
    try:
        e = dxmatch.explain(m, a, b)
    except dxmatch.NotUnderstood:
        return "", []
    parts = sorted((part.feature, part.value, part.contribution) for part in e.parts)
    told = e.to_dict()
    names = [told[what] for what in ("names", "shared", "only_a", "only_b", "opposed", "excluded", "relation")]
    names += [[part[0] for part in parts], [[link.name, link.disease, link.source] for link in e.known.links]]
    values = [told[what] for what in ("probability", "threshold", "base", "raw", "raw_threshold", "by_trees")]
    values += [told["relations"].get(name) for name in RELATIONS]
    values += [link.certainty for link in e.known.links] + [value for part in parts for value in part[1:]]
    return json.dumps(names), [np.nan if value is None else value for value in values]


@cache
def pairs() -> list[list[Pair]]:
    """Ten blocks of 2,000, each with texts of its own: synonyms, names of one category of ICD-10-CM, another spelling, any two texts."""
    columns = pq.read_table(Path(__file__).with_name("pairs.parquet")).to_pydict()
    every = [*zip(columns["a"], columns["b"], strict=True)]
    return [every[start : start + 2_000] for start in range(0, len(every), 2_000)]


def sides(some: list[Pair]) -> tuple[list[str], list[str]]:
    return [a for a, _ in some], [b for _, b in some]


def all_pairs() -> list[Pair]:
    return [pair for block in pairs() for pair in block]


def texts() -> list[str]:
    """Of all blocks, each once."""
    return list(dict.fromkeys(text for pair in all_pairs() for text in pair))


def _inputs(_: Any) -> Found:
    return {"sha256": np.array([hashlib.sha256(json.dumps(block).encode()).hexdigest() for block in pairs()])}


def probabilities(m: Any, some: list[Pair]) -> Found:
    """match : 1, 0, or -1 where a text is not understood; by the threshold."""
    scored = table(m, *sides(some))
    match = np.nan_to_num(numbers(scored["match"]), nan=-1)
    found = {"probability": numbers(scored["probability"]), "match": match.astype(np.int8)}
    return found | {"threshold": np.array([m.threshold])}


def explanations(m: Any, most: int) -> Found:
    found = [explanation(m, a, b) for a, b in pairs()[1][:most]]
    return {"names": np.array([names for names, _ in found]), "value": np.array([x for _, row in found for x in row])}


RUNS: dict[str, tuple[str, Callable[[Any], Found]]] = {
    "inputs": ("specification", _inputs),
    **{policy: (policy, lambda m: probabilities(m, all_pairs())) for policy in POLICIES},
    "relations": ("specification", lambda m: relations(m, *sides(pairs()[0]))),
    "codes, 5 candidates": ("specification", lambda m: codes(m, texts()[:2_000], 5)),
    "codes, k=1": ("specification", lambda m: codes(m, texts()[:300], 1)),
    "contributions": ("specification", lambda m: contributions(m, *sides(pairs()[1][:200]))),
    "shap": ("specification", lambda m: contributions_of_shap(m, *sides(pairs()[1][:200]))),
    "clusters": ("specification", lambda m: {"cluster": np.array(m.dedupe(texts()[:600])["cluster"], float)}),
    "explanations": ("specification", lambda m: explanations(m, 50)),
    "200 explanations": ("specification", lambda m: explanations(m, 200)),
}
"""Of each run the policy, and what it finds."""
SLOW = {"strict", "broader-counts", "shap", "200 explanations"}
"""Runs of which others find a part: a policy and the library shap take seconds to load, an explanation 20 ms."""


def find(name: str, folder: Path, seed: int = 0) -> Found:
    policy, found = RUNS[name]
    return found(matcher(policy))


def differences(expected: Found, found: Found) -> list[str]:
    """A line for each array that is not as frozen: numbers within their tolerance, all else exactly."""
    out = [f"{name}: on one side alone" for name in expected.keys() ^ found.keys()]
    for name in expected.keys() & found.keys():
        was, now = expected[name], found[name]
        if (was.shape, was.dtype.kind) != (now.shape, now.dtype.kind):
            out.append(f"{name}: {was.dtype}{was.shape} was expected, {now.dtype}{now.shape} is found")
            continue
        number, within = was.dtype.kind == "f", TOLERANCE.get(name, 1e-12)
        unlike = np.argwhere(~np.isclose(now, was, rtol=0, atol=within, equal_nan=True) if number else was != now)
        if len(unlike):
            at = tuple(unlike[0])
            out.append(
                f"{name}: {len(unlike)} of {was.size}, the first at {at}: {was[at]} was expected, {now[at]} is found"
            )
    return out
