"""Which of two names is the narrower: antisymmetric to the bit, and what each column says."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings

from dxmatch.features.names import Names
from dxmatch.features.pairs import Pairs
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.models.relation import DIRECTIONS
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

from ..small_graph import graph_of
from .test_disease import GRAPH, LINK, diseases_of, links
from .test_kinds import TREE

NAMES = [
    "heart attack", "anterior wall infarction", "cardiac disease", "unstable angina", "angina pectoris", "hypertension",
    "takayasu arteritis", "vasculitis", "infarction of the anterior wall of something", "no angina pectoris", "i21", "acute mi of type 2",
]  # fmt: skip


@pytest.fixture(scope="module")
def providers() -> Providers:
    vectors = np.random.default_rng(1).standard_normal((512, 16)).astype(np.float32)
    encoder = quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)
    return Providers(Naming(Normalizer()), {SHIPPED: encoder}, graph=graph_of())


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    path.write_text(TREE, "utf-8")
    return str(path)


def of(names: list[str], first: np.ndarray, second: np.ndarray, providers: Providers, source: str) -> np.ndarray:
    texts = Names(names, providers)
    return Pairs(texts, first.astype(np.int32), second.astype(np.int32)).directions(source, SHIPPED)


def test_turned_round_every_column_has_the_other_sign(providers: Providers, source: str) -> None:
    count = len(NAMES)
    first, second = (grid.ravel() for grid in np.divmod(np.arange(count * count), count))
    found = of(NAMES, first, second, providers, source)
    assert found.shape == (count * count, len(DIRECTIONS)) and np.isfinite(found).all()
    np.testing.assert_array_equal(found, -of(NAMES, second, first, providers, source))
    assert not found[first == second].any()
    assert (np.abs(found[:, [0, 1, 2, 4]]) <= 1).all()
    assert (found != 0).any(axis=0).all()
    for row in range(0, len(found), 7):
        pair = [NAMES[first[row]], NAMES[second[row]]]
        if pair[0] != pair[1]:
            np.testing.assert_array_equal(of(pair, np.array([0]), np.array([1]), providers, source)[0], found[row])


def test_what_the_columns_say(providers: Providers, source: str) -> None:
    names = ["anterior wall infarction", "heart attack", "cardiac disease", "hypertension", "angina pectoris"]
    found = of(names, np.array([0, 0, 1, 0]), np.array([1, 2, 3, 4]), providers, source)
    line, information, covered, length, icd = found.T
    assert line.tolist() == [1, 0, 0, 0], "a kind; a class too broad; nothing; siblings of a sort"
    of_disease = GRAPH.information[[GRAPH.disease_of[name] for name in names]]
    np.testing.assert_allclose(information, of_disease[[0, 0, 1, 0]] - of_disease[[1, 2, 3, 4]], atol=1e-6)
    np.testing.assert_allclose(length, [math.log(3 / 2), math.log(3 / 2), math.log(2), math.log(3 / 2)], atol=1e-6)
    assert icd[3] == 0 and abs(covered[0]) < 1
    narrow = of(["acute anterior wall infarction", "infarction"], np.array([0]), np.array([1]), providers, source)
    assert narrow[0, 2] > 0, "the words of the second are all in the first"
    by_code = of(
        ["anterior wall infarction", "acute myocardial infarction"], np.array([0]), np.array([1]), providers, source
    )
    assert by_code[0, 4] == 1, "I21.0 lies below I21"


def plain(a: list[LINK], b: list[LINK]) -> float:
    """The certainty of the surest links in line, with the sign they agree on."""
    sure_of: dict[float, set[int]] = {}
    for p, sure_p in a:
        for q, sure_q in b:
            sure = min(sure_p, sure_q)
            if sure > 0 and GRAPH.in_line(p, q):
                sure_of.setdefault(sure, set()).add(0 if p == q else 1 if GRAPH.steps_up(p, q) >= 0 else -1)
    if not sure_of:
        return 0.0
    best = max(sure_of)
    return best * next(iter(sure_of[best])) if len(sure_of[best]) == 1 else 0.0


@settings(deadline=None, max_examples=200)
@given(a=links(), b=links())
def test_the_line_against_a_plain_reading(a: list[LINK], b: list[LINK]) -> None:
    out = diseases_of([a, b], np.array([0, 1]), np.array([1, 0]))[-1]
    assert out[0] == pytest.approx(plain(a, b), abs=1e-6)
    assert out[0] == -out[1]
