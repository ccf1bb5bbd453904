"""The columns of the graph, and which of two names is the narrower, against a plain reading of what they say, link by link."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.features.kernels import diseases
from dxmatch.features.names import Links, Names
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.features.registry import DISEASE_COLUMNS as COLUMNS
from dxmatch.features.registry import Pairs
from dxmatch.models.relation import DIRECTIONS
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.icd.search import Candidates
from dxmatch.terms.text.normalizer import Normalizer

from ..small_graph import graph_of
from .test_compiled_loops import grid
from .test_kinds import TREE

GRAPH = graph_of()
LINK = tuple[int, float]
CERTAINTIES = st.sampled_from([0.9, 0.8, 0.8, 0.5, 0.0, -0.1, 1.0])


@st.composite
def links(draw: st.DrawFn) -> list[LINK]:
    """Up to three links of a name to different diseases, the surest first."""
    linked = draw(st.lists(st.integers(0, len(GRAPH) - 1), max_size=3, unique=True))
    return list(zip(linked, sorted((draw(CERTAINTIES) for _ in linked), reverse=True), strict=True))


def columns_of(names: list[list[LINK]], first: np.ndarray, second: np.ndarray) -> dict[str, np.ndarray]:
    """With the column "line" of the directions as "narrower"."""
    found = Candidates.none(len(names), 3)
    for row, own in enumerate(names):
        for place, (disease, certainty) in enumerate(own):
            found.nodes[row, place], found.scores[row, place] = disease, certainty
    out = np.empty((len(COLUMNS) + 1, len(first)), np.float32)
    diseases(*Links.of(found, GRAPH), first, second, out)
    return dict(zip([*COLUMNS, "narrower"], out, strict=True))


def plain(a: list[LINK], b: list[LINK]) -> dict[str, float]:
    """What the docstring of `COLUMNS` says; narrower: the certainty of the surest links in line, with the sign they agree on."""
    if not a or not b:
        return dict.fromkeys(COLUMNS, math.nan) | {"narrower": 0.0}
    same = line = closeness = 0.0
    signs: dict[float, set[int]] = {}
    for p, sure_p in a:
        for q, sure_q in b:
            sure = max(0.0, min(sure_p, sure_q))
            steps = max(GRAPH.steps_up(p, q), GRAPH.steps_up(q, p))
            same = max(same, sure if p == q else 0)
            if sure > 0 and GRAPH.in_line(p, q):
                closeness = max(closeness if sure == line else 0, 1 / (1 + steps)) if sure >= line else closeness
                line = max(line, sure)
                signs.setdefault(sure, set()).add(0 if p == q else 1 if GRAPH.steps_up(p, q) >= 0 else -1)
    (p, sure_p), (q, sure_q) = a[0], b[0]
    shared = [i for i in range(len(GRAPH)) if GRAPH.steps_up(p, i) >= 0 and GRAPH.steps_up(q, i) >= 0]
    of, surest = GRAPH.information.tolist(), signs.get(line, {0})
    lin = 2 * max((of[i] for i in shared), default=0) / (of[p] + of[q])
    narrower = line * next(iter(surest)) if len(surest) == 1 else 0.0
    return {"same": same, "line": line, "closeness": closeness, "lin": lin, "certainty": max(0.0, min(sure_p, sure_q)), "narrower": narrower}  # fmt: skip


@settings(deadline=None, max_examples=150)
@given(names=st.lists(links(), min_size=2, max_size=4))
def test_the_columns_are_what_they_say(names: list[list[LINK]]) -> None:
    first, second = grid(len(names))
    found = columns_of(names, first, second)
    for row, (i, j) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        expected = plain(names[i], names[j])
        if i == j and names[i]:
            expected = dict.fromkeys(COLUMNS, 1.0) | {"narrower": 0.0}
        told = {name: column[row] for name, column in found.items()}
        assert told == pytest.approx(expected, abs=1e-6, nan_ok=True), (names[i], names[j])


@pytest.fixture(scope="module")
def providers() -> Providers:
    vectors = np.random.default_rng(1).standard_normal((512, 16)).astype(np.float32)
    encoder = quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)
    return Providers(Naming(Normalizer()), {SHIPPED: encoder}, graph=GRAPH)


def test_a_core_is_linked(providers: Providers) -> None:
    names = ["no heart attack", "family history of myocardial infarction"]
    found = Names(names, providers).diseases(SHIPPED)
    assert found.nodes[:, 0].tolist() == [GRAPH.ids.index("DOID:03")] * 2


NAMES = [
    "anterior wall infarction", "heart attack", "cardiac disease", "hypertension", "angina pectoris", "unstable angina", "vasculitis",
    "takayasu arteritis", "acute anterior wall infarction", "infarction", "no angina pectoris", "i21", "acute myocardial infarction",
]  # fmt: skip


def test_directions(providers: Providers, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Turned round every column has the other sign; and what each says."""
    source = tmp_path_factory.mktemp("tree") / "tree.csv"
    source.write_text(TREE, "utf-8")

    def of(names: list[str], first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return Pairs(Names(names, providers), first, second).directions(str(source), SHIPPED)

    count = len(NAMES)
    first, second = grid(count)
    found = of(NAMES, first, second)
    assert found.shape == (count * count, len(DIRECTIONS)) and np.isfinite(found).all()
    np.testing.assert_array_equal(found, -of(NAMES, second, first))
    np.testing.assert_array_equal(of([NAMES[0], NAMES[4]], first[:1], second[1:2])[0], found[4], "alone as in a batch")
    line, information, covered, length, icd = found.reshape(count, count, -1).transpose(2, 0, 1)
    told = ([0, 0, 1, 0], [1, 2, 3, 4])
    assert line[told].tolist() == [1, 0, 0, 0], "a kind; a class too broad; nothing; siblings of a sort"
    of_disease = GRAPH.information[[GRAPH.disease_of[name] for name in NAMES[:5]]]
    np.testing.assert_allclose(information[told], of_disease[told[0]] - of_disease[told[1]], atol=1e-6)
    np.testing.assert_allclose(length[told], np.log([3 / 2, 3 / 2, 2, 3 / 2]), atol=1e-6)
    assert covered[8, 9] > 0, "the words of the second are all in the first"
    assert icd[0, 4] == 0 and icd[0, 12] == 1, "I21.0 lies below I21"
