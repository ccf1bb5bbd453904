"""Direct, nearest, candidates: the order of the names, the floor below which there is no code, the same alone as in any batch."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from dxmatch.errors import DxmatchError
from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.icd.ranking import AGREEMENT, FLOOR, MISSING, SAYINGS, UNKNOWN, WIDTH, MoreNames, Wording
from dxmatch.terms.icd.search import trained_index

STRINGS = [
    "heart attack", "heart atack", "myocardal infarktion", "acute appendicitis with peritonitis", "copd", "a", "fracture of left wrist",
    "infarctus du myocarde", "инфаркт", "zzz 9", "malignant neoplasm", "acute myocardial infarction", "i21 9", "x" * 3000,
]  # fmt: skip


def test_direct(index, cm, normalizer):
    # "Polyneuropathy" is an inclusion term of A69.22 (Lyme disease) and, "unspecified" apart, the title of G62.9.
    codes = {
        "crohn disease": "K50.9", "polyneuropathy": "G62.9", "i21": "I21", "i21 0": "I21.0", "i210": "I21.0", "a15 a19": "A15-A19",
        "c50": "C50", "no such thing": None, "h1n1": None, "10": None, "\ud800": None, "": None,
    }  # fmt: skip
    found = index.direct([*codes])
    assert [cm.codes[node] if node >= 0 else None for node in found.nodes] == [*codes.values()]
    assert found.how == ["direct"] * 2 + ["code"] * 5 + ["none"] * 5
    assert "polyneuropathy" in [normalizer(term) for term in cm.inclusion_terms(cm.find("A69.22"))]


def test_find_begins_with_the_direct_match_alone_in_a_batch_and_for_any_k(index):
    direct, found = index.direct(STRINGS), index.find(STRINGS)
    candidates = index.candidates(STRINGS, by_wording=True)
    assert index.find(STRINGS, vectors=index.encoder.encode(STRINGS)).nodes.tolist() == found.nodes.tolist()
    for i, node in enumerate(direct.nodes):
        if node >= 0:
            assert found.nodes[i].tolist() == [node] + [-1] * 14 and found.scores[i, 0] == 1
        else:
            assert found.nodes[i].tolist() == candidates.nodes[i].tolist()
        alone = index.find(STRINGS[i : i + 1])
        assert alone.nodes.tobytes() == found.nodes[i : i + 1].tobytes()
        assert alone.scores.tobytes() == found.scores[i : i + 1].tobytes()
        assert index.find(STRINGS[i : i + 1], 3).nodes[0].tolist() == alone.nodes[0, :3].tolist()


def test_categories(index):
    ids = index.category_of(
        index.find(["i21", "i21 9", "acute myocardial infarction", "i22", "a15 a19", "a15"]).nodes[:, 0]
    )
    assert ids.tolist() == [index.tree.find(code) for code in ("I21", "I21", "I21", "I22", "A15-A19", "A15")]
    assert len(index.category_of(index.find([]).nodes)) == 0


def test_a_string_without_a_vector_and_a_broken_encoder(index):
    """A zero vector is equally far from every name: no candidate and no category, never the first code."""

    class Odd(type(index.encoder)):
        def encode(self, texts):
            factor = [0 if text == "silence" else np.nan if text == "noise" else 1 for text in texts]
            return super().encode(texts) * np.array(factor, np.float32)[:, None]

    odd = replace(index, encoder=Odd())
    assert (odd.candidates(["silence", "heart attack"], 3).nodes >= 0).sum(axis=1).tolist() == [0, 3]
    found = odd.find(["silence", "heart attack"])
    assert found.nodes[0, 0] == odd.category_of(found.nodes)[0, 0] == -1 and np.isnan(found.scores[0, 0])
    assert odd.answers(["silence"], 1)[0].how == "none"
    with pytest.raises(DxmatchError, match="not finite"):
        odd.find(["noise"])


def test_answers(index, encoder):
    encoder.calls.clear()
    got = index.answers(["crohn disease", "i21 0", "myocardal infarktion", "a15 a19"], 5)
    assert encoder.calls == [2], "codes are not looked for"
    assert [one.how for one in got] == ["direct", "code", "nearest", "code"]
    assert [one.icd10 for one in got if one.how != "nearest"] == ["K50.9", "I21.0", "A15-A19"]
    assert got[0].name == "Crohn's disease, unspecified"
    assert [one.score == 1 for one in got] == [True, True, False, True] and 0 < got[2].score < 1
    for one in got:
        assert one.candidates[0][:2] == (one.icd10, one.name)
        assert len({each.code for each in one.candidates}) == len(one.candidates) == (1 if one.how == "code" else 5)
    assert index.answers([], 5) == []


class Placed:
    """Vectors that a test sets: each text at an angle from the first axis, whose cosine it is given."""

    def __init__(self, cosines, floor):
        self.cosines, self.identity = cosines, "static-placed" if floor else "placed"

    def encode(self, texts):
        angles = [math.acos(self.cosines.get(text, 1.0)) for text in texts]
        return np.array([[math.cos(a), math.sin(a)] for a in angles], np.float32).reshape(-1, 2)


@pytest.fixture
def placed(cm, normalizer):
    def made(*names, floor=False):
        """An index of (name, code, cosine with any other text)."""
        codes = np.array([cm.find(code) for _, code, _ in names], np.int32)
        encoder, texts = Placed({name: cosine for name, _, cosine in names}, floor), [name for name, _, _ in names]
        vectors = encoder.encode(texts)
        return IcdIndex(
            tree=cm, encoder=encoder, normalizer=normalizer, names=texts, nodes=codes, vectors=vectors, trained=trained_index(vectors),
            wording=Wording.of(texts, codes, cm), costs=np.zeros(len(texts), np.float32), known={},
        )  # fmt: skip

    return made


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("urine infection", "N39.0"), ("urine infection in pregnancy", "O23"), ("urine infection of newborn", "P39.3"),
        ("history of urine infection", "Z87.440"),
    ],
)  # fmt: skip
def test_a_special_code_only_where_the_words_say_so(placed, asked, best):
    index = placed(
        ("urine infection following delivery", "O86.20", 0.93), ("urine infection in pregnancy state", "O23", 0.94),
        ("neonatal urine infection", "P39.3", 0.94), ("personal history of urine infection", "Z87.440", 0.95),
        ("urine infection site", "N39.0", 0.91),
    )  # fmt: skip
    assert index.tree.codes[index.find([asked]).nodes[0, 0]] == best


def test_the_score_by_hand(placed):
    """Two names of two categories; of the diagnosis' words the second name lacks "arm", and it says newborn."""
    index = placed(("lesion of arm", "L98", 0.8), ("lesion of newborn", "P83", 0.78))
    weights = dict(zip(index.wording.words, index.wording.weights.tolist(), strict=True))
    found = index.candidates(["lesion arm"], by_wording=True)
    first, second = 0.8, 0.78 - SAYINGS["newborn"].cost - MISSING * weights["arm"]
    total = 1 + math.exp((second - first) / WIDTH)
    expected = [first + AGREEMENT * math.log(1 / total), second + AGREEMENT * math.log((total - 1) / total)]
    assert [index.tree.codes[node] for node in found.nodes[0, :2]] == ["L98", "P83"]
    assert found.scores[0, :2] == pytest.approx(expected, abs=1e-5)


def test_the_floor(placed):
    index = placed(("lesion of arm", "L98", FLOOR + 0.02), floor=True)
    # half of the letters of the second are in a word that no name has
    assert [one.how for one in index.answers(["lesion arm", "lesion xqwzyt"], 1)] == ["nearest", "unmapped"]
    found = index.candidates(["lesion xqwzyt"], by_wording=True)
    assert found.scores[0, 0] < FLOOR + UNKNOWN / 2 and found.nodes[0, 0] >= 0
    assert index.find(["lesion xqwzyt"]).nodes.max() == -1
    assert placed(("lesion of arm", "L98", 0.1)).answers(["lesion arm"], 1)[0].how == "nearest"


def test_more_names(opened, index, cm):
    costs = np.array([0.04, np.inf, 0.04, 0.04], np.float32)
    names = ["grippe of the lungs", "lung blight", "crohn disease", "of no code"]
    more, again = (
        opened(index.encoder, more_names=MoreNames(names, ["J10.1", "J18", "A00", "Q99.123"], costs)) for _ in "12"
    )
    assert len(more.names) == len(index.names) + 1 and "lung blight" not in more.names
    # ICD-10's own name goes before
    assert [cm.codes[node] for node in more.direct(names[:3]).nodes] == ["J10.1", "J18", "K50.9"]
    assert index.direct(names[:1]).nodes[0] == -1
    assert again.find(["grip of lungs"]).nodes.tolist() == more.find(["grip of lungs"]).nodes.tolist()
