"""Every kind of feature that is computed here: symmetric, within its range, and the same alone as in a batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.features.compute import feature_table
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.names import Names
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.features.registry import KINDS, REQUIRED, FeatureKind
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

from ..small_graph import graph_of
from .test_compiled_loops import grid

TREE = """code,name,parent
IX,Diseases of the circulatory system,
I20-I25,Ischaemic heart diseases,IX
I21,Acute myocardial infarction,I20-I25
I21.0,Anterior wall infarction,I21
I20,Angina pectoris,I20-I25
I10,Essential hypertension,IX
"""
ODD = [
    "и", "心筋梗塞", "x" * 65, "acute mi", "angina pectoris", "type 1", "type 2", "hypertension", "hypotension", "i21", "no angina pectoris",
    "unstable angina", "anterior wall infarction", "cardiac disease",
]  # fmt: skip
_WORDS = "acute chronic infarction anterior wall of non hypertension type 1 2 с é heart failures"
WORDS = st.sampled_from(_WORDS.split())
NAMES = st.one_of(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), st.sampled_from(ODD))


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> tuple[FeatureSet, Providers]:
    """One feature for each choice of each kind; a random encoder and a small tree."""
    tree = tmp_path_factory.mktemp("tree") / "tree.csv"
    tree.write_text(TREE, "utf-8")
    features = []
    for name, kind in KINDS.items():
        if kind.asked:
            continue
        fixed = {"source": str(tree)} if "source" in kind.options else {}
        open_options = [option for option, default in kind.options.items() if default is REQUIRED]
        assert len(open_options) < 2
        choices = [{option: value} for option in open_options for value in kind.choices[option]]
        for number, chosen in enumerate(choices or [{}]):
            features.append({"name": f"{name}_{number}", "kind": name, **fixed, **chosen})
    rng = np.random.default_rng(0)
    shape = Shape(buckets=512, word_buckets=128, dimensions=16)
    encoder = quantized(shape, rng.standard_normal((512, 16)).astype(np.float32))
    opened = Providers(Naming(Normalizer()), {SHIPPED: encoder}, graph=graph_of())
    return FeatureSet.from_dict({"feature": features}), opened


def table(names: list[str], first: np.ndarray, second: np.ndarray, setting: tuple[FeatureSet, Providers]) -> np.ndarray:
    features, opened = setting
    return feature_table(Names(names, opened), first, second.astype(np.int32), features, threads=1)


@settings(deadline=None, max_examples=25)
@given(names=st.lists(NAMES, min_size=1, max_size=5, unique=True))
@example(names=ODD)
def test_properties(names: list[str], setting: tuple[FeatureSet, Providers]) -> None:
    first, second = grid(len(names))
    values = table(names, first, second, setting)
    np.testing.assert_array_equal(values, table(names, second, first, setting), "not symmetric")
    for column, feature in enumerate(setting[0].features):
        kind, known = KINDS[feature.kind], values[~np.isnan(values[:, column]), column]
        assert ((known >= kind.range[0]) & (known <= kind.range[1])).all(), feature
        alike = values[first == second, column]
        np.testing.assert_allclose(alike[~np.isnan(alike)], kind.alike, atol=1e-6, err_msg=feature.name)
        assert kind.missing != "never" or len(known) == len(values), feature
    for row in range(0, len(values), max(1, len(values) // 6)):
        pair = list(dict.fromkeys([names[first[row]], names[second[row]]]))
        alone = table(pair, first[:1], np.array([len(pair) - 1]), setting)
        np.testing.assert_array_equal(alone[0], values[row], "another value alone")


@pytest.mark.parametrize("kind", KINDS.values(), ids=[*KINDS])
def test_declarations_are_whole(kind: FeatureKind) -> None:
    assert kind.range[0] < kind.range[1] and kind.alike in kind.range
    assert kind.compute.__doc__ and kind.missing


@pytest.mark.parametrize(("a", "b", "edits"), [("gout", "gouts", 1 / 5), ("gout", "gout", 0), ("flu", "gout", 3 / 4)])
def test_edits_over_the_longer(a: str, b: str, edits: float) -> None:
    features = FeatureSet.from_dict({"feature": [{"name": "edits", "kind": "levenshtein"}]})
    names = Names([a, b], Providers(Naming(Normalizer())))
    found = feature_table(names, np.zeros(1, np.int32), np.ones(1, np.int32), features)
    np.testing.assert_allclose(found, [[edits]], rtol=1e-6)
