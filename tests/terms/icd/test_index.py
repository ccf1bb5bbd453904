"""Direct, nearest, candidates: right against a naive search, and the same alone as in any batch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dxmatch.errors import DxmatchError

STRINGS = [
    "heart attack",
    "myocardal infarktion",
    "acute appendicitis with peritonitis",
    "copd",
    "sarcoidosis of lung",
    "a",
    "inguinal hernia",
    "fracture of left wrist",
    "ulcer",
    "infarctus du myocarde",
    "инфаркт",
    "zzz 9",
    "pneumonia due to klebsiella",
    "malignant neoplasm",
    "type 2 diabetes mellitus with neuropathy",
]
STRINGS.append("x" * 3000)


def test_direct(index):
    asked = ["crohn disease", "i21", "i21 0", "i210", "a15 a19", "c50", "no such thing", "h1n1", "10"]
    found = index.direct(asked)
    assert index.direct(["\ud800", ""]).nodes.tolist() == [-1, -1]
    codes = [index.tree.codes[node] if node >= 0 else None for node in found.nodes]
    assert codes == ["K50.9", "I21", "I21.0", "I21.0", "A15-A19", "C50", None, None, None]
    assert found.how == ["direct"] + ["code"] * 5 + ["none"] * 3
    assert index.tree.kinds[int(found.nodes[5])] == "category"


def test_a_title_goes_before_an_inclusion_term(index, cm, normalizer):
    # "Polyneuropathy" is an inclusion term of A69.22 (Lyme disease) and, "unspecified" apart, the title of G62.9.
    assert normalizer(cm.names["G62.9"]) == "polyneuropathy"
    assert "polyneuropathy" in [normalizer(term) for term in cm.inclusion_terms("A69.22")]
    assert index.tree.codes[index.direct(["polyneuropathy"]).nodes[0]] == "G62.9"


def test_find_begins_with_the_direct_match(index):
    names = [*STRINGS, "acute myocardial infarction", "i21 9"]
    direct, found = index.direct(names), index.find(names)
    candidates = index.candidates(names, by_wording=True)
    by_vector = index.find(names, vectors=index.encoder.encode(names))
    assert by_vector.nodes.tolist() == found.nodes.tolist()
    for i, node in enumerate(direct.nodes):
        if node >= 0:
            assert found.nodes[i].tolist() == [node] + [-1] * 14 and found.scores[i, 0] == 1
        else:
            assert found.nodes[i].tolist() == candidates.nodes[i].tolist()


def test_categories(index):
    names = ["i21", "i21 9", "acute myocardial infarction", "i22", "a15 a19", "a15", "a15 a19"]
    ids = index.category_of(index.find(names).nodes[:, 0])
    assert ids[0] == ids[1] == ids[2] == index.tree.find("I21")
    assert ids[3] == index.tree.find("I22")
    assert ids[4] == ids[6] != ids[5]
    assert ids.dtype == np.int32
    assert len(index.category_of(index.find([]).nodes)) == 0


def test_a_string_without_a_vector(index):
    """A zero vector is equally far from every name: no candidate and no category, never the first code."""

    class Silent(type(index.encoder)):
        def encode(self, texts):
            vectors = super().encode(texts)
            vectors[[text == "silence" for text in texts]] = 0
            return vectors

    silent = replace(index, encoder=Silent())
    assert (silent.candidates(["silence", "heart attack"], 3).nodes >= 0).sum(axis=1).tolist() == [0, 3]
    found = silent.find(["silence", "heart attack"])
    assert found.nodes[0, 0] == -1
    assert np.isnan(found.scores[0, 0])
    assert silent.answers(["silence"], 1)[0].how == "none"
    assert silent.category_of(found.nodes)[0, 0] == -1


def test_a_broken_encoder(index):
    class Broken(type(index.encoder)):
        def encode(self, texts):
            return super().encode(texts) * np.float32(np.nan)

    with pytest.raises(DxmatchError, match="not finite"):
        replace(index, encoder=Broken()).find(["heart attacks"])


def test_answers(index, encoder):
    names = ["crohn disease", "i21 0", "myocardal infarktion", "a15 a19"]
    encoder.calls.clear()
    got = index.answers(names, 5)
    assert encoder.calls == [2], "codes are not looked for"
    assert [one.how for one in got] == ["direct", "code", "nearest", "code"]
    assert [one.icd10 for one in got if one.how != "nearest"] == ["K50.9", "I21.0", "A15-A19"]
    assert got[0].name == "Crohn's disease, unspecified"
    assert [one.score == 1 for one in got] == [True, True, False, True] and 0 < got[2].score < 1
    for one in got:
        assert one.candidates[0][:2] == (one.icd10, one.name)
        assert len({each.code for each in one.candidates}) == len(one.candidates) == (1 if one.how == "code" else 5)
    assert index.answers([], 5) == []
