"""The columns of the graph against a plain reading of what they say, link by link."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import OptionError
from dxmatch.features.kernels import diseases
from dxmatch.features.names import Links, Names
from dxmatch.features.pairs import DISEASE_COLUMNS as COLUMNS
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.icd.search import Candidates
from dxmatch.terms.text.normalizer import Normalizer

from ..small_graph import graph_of

GRAPH = graph_of()
LINK = tuple[int, float]
CERTAINTIES = st.sampled_from([0.9, 0.8, 0.8, 0.5, 0.0, -0.1, 1.0])


@st.composite
def links(draw: st.DrawFn) -> list[LINK]:
    """Up to three links of a name to different diseases, the surest first."""
    linked = draw(st.lists(st.integers(0, len(GRAPH) - 1), max_size=3, unique=True))
    return list(zip(linked, sorted((draw(CERTAINTIES) for _ in linked), reverse=True), strict=True))


def diseases_of(names: list[list[LINK]], first: np.ndarray, second: np.ndarray) -> np.ndarray:
    found = Candidates.none(len(names), 3)
    for row, own in enumerate(names):
        for place, (disease, certainty) in enumerate(own):
            found.nodes[row, place], found.scores[row, place] = disease, certainty
    out = np.empty((len(COLUMNS) + 1, len(first)), np.float32)
    diseases(*Links.of(found, GRAPH), first.astype(np.int32), second.astype(np.int32), out)
    return out


def columns_of(names: list[list[LINK]], first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    return dict(zip(COLUMNS, diseases_of(names, first, second), strict=False))


def plain(a: list[LINK], b: list[LINK]) -> dict[str, float]:
    """What the docstring of `COLUMNS` says."""
    if not a or not b:
        return dict.fromkeys(COLUMNS, math.nan)
    same = line = closeness = 0.0
    for p, sure_p in a:
        for q, sure_q in b:
            sure = max(0.0, min(sure_p, sure_q))
            steps = max(GRAPH.steps_up(p, q), GRAPH.steps_up(q, p))
            same = max(same, sure if p == q else 0)
            if sure > 0 and GRAPH.in_line(p, q):
                closeness = max(closeness if sure == line else 0, 1 / (1 + steps)) if sure >= line else closeness
                line = max(line, sure)
    (p, sure_p), (q, sure_q) = a[0], b[0]
    shared = [i for i in range(len(GRAPH)) if GRAPH.steps_up(p, i) >= 0 and GRAPH.steps_up(q, i) >= 0]
    of = GRAPH.information.tolist()
    lin = 2 * max((of[i] for i in shared), default=0) / (of[p] + of[q])
    return {"same": same, "line": line, "closeness": closeness, "lin": lin, "certainty": max(0.0, min(sure_p, sure_q))}


@settings(deadline=None, max_examples=200)
@given(names=st.lists(links(), min_size=2, max_size=4))
def test_the_columns_are_what_they_say(names: list[list[LINK]]) -> None:
    count = len(names)
    first, second = (grid.ravel() for grid in np.divmod(np.arange(count * count), count))
    found, turned = columns_of(names, first, second), columns_of(names, second, first)
    for row, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        expected = plain(names[i], names[j])
        if i == j and names[i]:
            expected = dict.fromkeys(COLUMNS, 1.0)
        alone = columns_of(names, np.array([i]), np.array([j]))
        for name in COLUMNS:
            assert found[name][row] == pytest.approx(expected[name], abs=1e-6, nan_ok=True), (name, names[i], names[j])
            np.testing.assert_array_equal(alone[name][0], found[name][row])
    for name in COLUMNS:
        np.testing.assert_array_equal(found[name], turned[name], "not symmetric")
        known = found[name][~np.isnan(found[name])]
        assert ((known >= 0) & (known <= 1)).all()


def test_by_hand() -> None:
    at = {each: i for i, each in enumerate(GRAPH.ids)}
    heart, ischemic, infarction, wall, angina = (at[f"DOID:0{i}"] for i in range(1, 6))
    names: list[list[LINK]] = [
        [(infarction, 1.0)],
        [(wall, 1.0)],
        [(ischemic, 0.9), (angina, 0.8)],
        [(heart, 1.0)],
        [(at["MONDO:07"], 1.0)],
        [],
    ]
    found = columns_of(names, np.array([0, 1, 0, 0, 0, 0]), np.array([1, 2, 2, 3, 4, 5]))
    assert found["same"].tolist()[:5] == [0, 0, 0, 0, 0]
    np.testing.assert_allclose(found["line"][:5], [1, 0.9, 0.9, 0, 0], rtol=1e-6)
    np.testing.assert_allclose(found["closeness"][:5], [1 / 2, 1 / 3, 1 / 2, 0, 0], rtol=1e-6)
    assert found["lin"][3] > 0 and found["lin"][4] == 0, "too broad is no line, and still kin; nothing is shared"
    assert all(np.isnan(column[5]) for column in found.values())


def test_a_core_is_linked_and_a_graph_is_needed() -> None:
    vectors = np.random.default_rng(0).standard_normal((512, 16)).astype(np.float32)
    encoder = quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)
    names = ["no heart attack", "family history of myocardial infarction"]
    texts = Names(names, Providers(Naming(Normalizer()), {SHIPPED: encoder}, graph=GRAPH))
    found = texts.diseases(SHIPPED)
    assert found.nodes[:, 0].tolist() == [GRAPH.ids.index("DOID:03")] * 2
    without = Names(names, Providers(Naming(Normalizer()), {SHIPPED: encoder}))
    with pytest.raises(OptionError, match="'graph' parameter must be the graph of diseases of a model folder"):
        without.diseases(SHIPPED)
