"""What the match function says of the pairs: each run as arrays by name. `python -m dxmatch.tests.golden.pairs.runs` freezes them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from . import adapter

EXPECTED = Path(__file__).with_name("expected.npz")
TOLERANCE = 1e-12
Found = Mapping[str, np.ndarray]
Pair = tuple[str, str]
matcher = cache(adapter.load)


@cache
def pairs() -> list[list[Pair]]:
    """Ten blocks of 2,000, each with texts of its own: synonyms, names of one category of ICD-10-CM, another spelling, any two texts."""
    columns = pq.read_table(EXPECTED.with_name("pairs.parquet")).to_pydict()
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
    table = adapter.table(m, *sides(some))
    match = np.nan_to_num(adapter.numbers(table["match"]), nan=-1)
    found = {"probability": adapter.numbers(table["probability"]), "match": match.astype(np.int8)}
    return found | {"threshold": np.array([m.threshold])}


def relations(m: Any, some: list[Pair]) -> Found:
    return adapter.relations(m, *sides(some))


def explanations(m: Any, most: int) -> Found:
    found = [adapter.explanation(m, a, b) for a, b in pairs()[1][:most]]
    return {"names": np.array([names for names, _ in found]), "value": np.array([x for _, row in found for x in row])}


RUNS: dict[str, tuple[str, Callable[[Any], Found]]] = {
    "inputs": ("specification", _inputs),
    **{policy: (policy, lambda m: probabilities(m, all_pairs())) for policy in adapter.POLICIES},
    "relations": ("specification", lambda m: relations(m, pairs()[0])),
    "codes, 5 candidates": ("specification", lambda m: adapter.codes(m, texts()[:2_000], 5)),
    "codes, k=1": ("specification", lambda m: adapter.codes(m, texts()[:300], 1)),
    "contributions": ("specification", lambda m: adapter.contributions(m, *sides(pairs()[1][:200]))),
    "shap": ("specification", lambda m: adapter.contributions_of_shap(m, *sides(pairs()[1][:200]))),
    "clusters": ("specification", lambda m: {"cluster": np.array(m.dedupe(texts()[:600])["cluster"], float)}),
    "explanations": ("specification", lambda m: explanations(m, 50)),
    "200 explanations": ("specification", lambda m: explanations(m, 200)),
}
"""Of each run the policy, and what it finds."""
SLOW = {"strict", "broader-counts", "shap", "200 explanations"}
"""Runs of which others find a part: a policy and the library shap take seconds to load, an explanation 20 ms."""


def differences(expected: Found, found: Found) -> list[str]:
    """A line for each array that is not as frozen: numbers within `TOLERANCE`, all else exactly."""
    out = [f"{name}: on one side alone" for name in expected.keys() ^ found.keys()]
    for name in expected.keys() & found.keys():
        was, now = expected[name], found[name]
        if (was.shape, was.dtype.kind) != (now.shape, now.dtype.kind):
            out.append(f"{name}: {was.dtype}{was.shape} was expected, {now.dtype}{now.shape} is found")
            continue
        number = was.dtype.kind == "f"
        unlike = np.argwhere(~np.isclose(now, was, rtol=0, atol=TOLERANCE, equal_nan=True) if number else was != now)
        if len(unlike):
            at = tuple(unlike[0])
            out.append(
                f"{name}: {len(unlike)} of {was.size}, the first at {at}: {was[at]} was expected, {now[at]} is found"
            )
    return out


def freeze() -> None:
    found = {
        f"{run}: {name}": values
        for run, (policy, find) in RUNS.items()
        for name, values in find(matcher(policy)).items()
    }
    np.savez_compressed(EXPECTED, **found)


if __name__ == "__main__":
    freeze()
