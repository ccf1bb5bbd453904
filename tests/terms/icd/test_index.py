"""Direct, nearest, candidates: right against a naive search, and the same alone as in any batch."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import DxmatchError, OptionError
from dxmatch.terms.icd import IcdIndex, search
from dxmatch.terms.icd.index import HOW, entries, other_readings
from dxmatch.terms.icd.search import fixed_dot

STRINGS = (
    """
heart attack; myocardal infarktion; acute appendicitis with peritonitis; copd; crohn disease; sarcoidosis of lung; a
inguinal hernia; unspecified fever; fracture of left wrist; ulcer; infarctus du myocarde; инфаркт; zzz 9
pneumonia due to klebsiella; malignant neoplasm; type 2 diabetes mellitus with neuropathy
""".strip()
    .replace("\n", "; ")
    .split("; ")
)
STRINGS.append("x" * 3000)


def naive(index, query, k):
    """Every entry's cosine, the best entry of each code, by score and entry."""
    scores = fixed_dot(index.vectors, query)
    best: dict[int, tuple[float, int]] = {}
    for entry in np.argsort(-scores, kind="stable")[: 50 * k].tolist():
        best.setdefault(int(index.nodes[entry]), (scores[entry], entry))
    return list(best.items())[:k]


def test_direct(index):
    asked = ["crohn disease", "i21", "i21 0", "i210", "a15 a19", "c50", "no such thing", "h1n1", "10"]
    found = index.direct(asked)
    assert [index.direct_node(string) for string in asked] == found.nodes.tolist()
    codes = [index.tree.code(node) if node >= 0 else None for node in found.nodes]
    assert codes == ["K50.9", "I21", "I21.0", "I21.0", "A15-A19", "C50", None, None, None]
    assert [HOW[how] for how in found.how] == ["direct"] + ["code"] * 5 + ["none"] * 3
    assert found.scores[:6].tolist() == [1.0] * 6
    assert np.isnan(found.scores[6:]).all()
    assert index.tree.kind(int(found.nodes[5])) == "category"


def test_inclusion_terms_are_names(index, normalizer):
    found = index.direct([normalizer("Classical cholera"), normalizer("Bacillary dysentery NOS")])
    assert [index.tree.code(node) for node in found.nodes] == ["A00.0", "A03.9"]


def test_a_title_goes_before_an_inclusion_term(index, cm, normalizer):
    # "Polyneuropathy" is an inclusion term of A69.22 (Lyme disease) and, "unspecified" apart, the title of G62.9.
    assert normalizer(cm.name("G62.9")) == "polyneuropathy"
    assert "polyneuropathy" in [normalizer(term) for term in cm.inclusion_terms("A69.22")]
    assert index.tree.code(index.direct(["polyneuropathy"]).nodes[0]) == "G62.9"


def test_entries(index, cm, normalizer):
    names, nodes = entries(cm, normalizer)
    assert list(index.texts) == names
    assert len(set(names)) == len(names) > 50_000
    assert (nodes == index.nodes).all()
    assert {cm.kind(int(node)) for node in np.unique(nodes)} == {"category", "subcategory"}
    # Each indexed name leads to a code, and to the first that has it.
    titles = [normalizer(name) for name in cm.names]
    first: dict[str, int] = {}
    for node, title in enumerate(titles):
        if cm.kinds[node] in (2, 3):
            first.setdefault(title, node)
    for title in names[:: len(names) // 500]:
        if title in first:
            assert nodes[names.index(title)] == first[title]


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("Myocardial infarction (acute) NOS", ["Myocardial infarction NOS"]),
        ("Zoster [herpes zoster]", ["Zoster", "herpes zoster"]),
        ("Inconclusive laboratory evidence of human immunodeficiency virus [HIV]", [
            "Inconclusive laboratory evidence of human immunodeficiency virus"
        ]),
        ("Furuncle of head [any part, except face]", ["Furuncle of head"]),
        ("Asthma", []),
    ],
)  # fmt: skip
def test_other_readings(name, readings):
    assert other_readings(name) == readings


def test_brackets_by_the_rules_of_the_classification(index, normalizer):
    found = index.direct([normalizer(text) for text in ("heart attack", "shingles", "common cold")])
    assert [index.tree.code(int(node)) for node in found.nodes] == ["I21.9", "B02", "J00"]


@pytest.mark.parametrize("compiled", [False, True])
def test_candidates_are_the_naive_ones(index, encoder, monkeypatch, compiled):
    monkeypatch.setattr(search, "kernels_compiled", lambda: compiled)
    monkeypatch.setattr(search, "_FEW", 0 if compiled else 10**9)
    for text in STRINGS:
        (found,) = index.candidates([text], 15)
        expected = naive(index, encoder.encode([text])[0], 15)
        assert index.nodes[found.entries].tolist() == [code for code, _ in expected]
        assert found.entries.tolist() == [entry for _, (_, entry) in expected]
        assert found.cosines.tolist() == [score for _, (score, _) in expected]
        assert len(set(index.nodes[found.entries].tolist())) == 15
        assert (np.diff(found.cosines) <= 0).all()


@settings(deadline=None, max_examples=25)
@given(st.data())
def test_alone_equals_batch_bit_for_bit(index, data):
    texts = st.one_of(
        st.sampled_from(STRINGS), st.text("abcdefghinorstu ", min_size=1, max_size=30), st.text(min_size=1)
    )
    batch = data.draw(st.lists(texts, min_size=1, max_size=40))
    k = data.draw(st.integers(1, 20))
    together, assigned = index.candidates(batch, k), index.assign(batch)
    for i in data.draw(st.lists(st.integers(0, len(batch) - 1), min_size=1, max_size=4)):
        (alone,) = index.candidates([batch[i]], k)
        assert alone.entries.tolist() == together[i].entries.tolist()
        assert alone.cosines.tobytes() == together[i].cosines.tobytes()
        one = index.assign([batch[i]])
        assert one.nodes[0] == assigned.nodes[i]
        assert one.scores.tobytes() == assigned.scores[i : i + 1].tobytes()


def test_alone_equals_batch_over_many(index):
    texts = [f"{a} {b}" for a in STRINGS[:10] for b in range(150)]
    together = index.candidates(texts, 15)
    for i in range(0, len(texts), 83):
        (alone,) = index.candidates([texts[i]], 15)
        assert alone.entries.tolist() == together[i].entries.tolist()
        assert alone.cosines.tobytes() == together[i].cosines.tobytes()


def test_nearest_is_the_first_candidate(index):
    nearest = index.nearest(STRINGS)
    for node, score, candidates in zip(nearest.nodes, nearest.scores, index.candidates(STRINGS, 5), strict=True):
        assert node == index.nodes[candidates.entries[0]]
        assert score == min(candidates.cosines[0], 1.0)


def test_categories(index):
    names = ["i21", "i21 9", "acute myocardial infarction", "i22", "a15 a19", "a15", "a15 a19"]
    ids = index.category_of(index.assign(names).nodes)
    assert ids[0] == ids[1] == ids[2] == index.tree.node("I21")
    assert ids[3] == index.tree.node("I22")
    assert ids[4] == ids[6] != ids[5]
    assert ids.dtype == np.int32
    assert len(index.category_of(index.assign([]).nodes)) == 0


def test_direct_strings_are_not_encoded(index, encoder):
    encoder.calls.clear()
    index.assign(["i21", "crohn disease"])
    assert not index.find(["i21", "crohn disease"]).nearest
    assert encoder.calls == []


def test_a_string_without_a_vector(index):
    """A zero vector is equally far from every name: no candidate and no category, never the first code."""

    class Silent(type(index.encoder)):
        def encode(self, texts):
            vectors = super().encode(texts)
            vectors[[text == "silence" for text in texts]] = 0
            return vectors

    silent = IcdIndex(index.tree, Silent(), index.texts, index.nodes, index.vectors)
    first, second = silent.candidates(["silence", "heart attack"], 3)
    assert (len(first.entries), len(second.entries)) == (0, 3)
    found = silent.assign(["silence", "heart attack"])
    assert found.nodes[0] == -1
    assert np.isnan(found.scores[0])
    assert HOW[found.how[0]] == "none"
    assert silent.category_of(found.nodes)[0] == -1


def test_a_broken_encoder(index):
    class Broken(type(index.encoder)):
        def encode(self, texts):
            return super().encode(texts) * np.float32(np.nan)

    with pytest.raises(DxmatchError, match="not finite"):
        IcdIndex(index.tree, Broken(), index.texts, index.nodes, index.vectors).nearest(["heart attack"])


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", True])
def test_k(index, k):
    with pytest.raises(OptionError, match="The 'k' parameter must be a whole number from 1"):
        index.candidates(["fever"], k)
