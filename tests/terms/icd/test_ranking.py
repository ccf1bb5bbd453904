"""The order of the nearest names, and the floor below which there is no code."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.icd.ranking import (
    AGREEMENT,
    FLOOR,
    MISSING,
    SAYINGS,
    UNKNOWN,
    WIDTH,
    MoreNames,
    Wording,
)
from dxmatch.terms.icd.search import trained_index


class Placed:
    """Vectors that a test sets: each text at an angle from the first axis, whose cosine it is given."""

    dimensions = 2

    def __init__(self, cosines):
        self.cosines = cosines

    def encode(self, texts):
        angles = [math.acos(self.cosines.get(text, 1.0)) for text in texts]
        return np.array([[math.cos(a), math.sin(a)] for a in angles], np.float32).reshape(-1, 2)


def placed(cm, normalizer, names, floor=False):
    """An index of (name, code, cosine with any other text)."""
    codes = np.array([cm.find(code) for _, code, _ in names], np.int32)
    encoder = Placed({name: cosine for name, _, cosine in names})
    texts = [name for name, _, _ in names]
    encoder.identity = "static-placed" if floor else "placed"
    vectors = encoder.encode(texts)
    return IcdIndex(
        tree=cm, encoder=encoder, normalizer=normalizer, names=texts, nodes=codes, vectors=vectors, trained=trained_index(vectors),
        wording=Wording.of(texts, codes, cm), costs=np.zeros(len(texts), np.float32), known={},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "best"),
    [
        ("urine infection", "N39.0"),
        ("urine infection in pregnancy", "O23"),
        ("urine infection of newborn", "P39.3"),
        ("history of urine infection", "Z87.440"),
    ],
)
def test_a_special_code_only_where_the_words_say_so(cm, normalizer, asked, best):
    index = placed(
        cm,
        normalizer,
        [
            ("urine infection following delivery", "O86.20", 0.93), ("urine infection in pregnancy state", "O23", 0.94),
            ("neonatal urine infection", "P39.3", 0.94), ("personal history of urine infection", "Z87.440", 0.95),
            ("urine infection site", "N39.0", 0.91),
        ],
    )  # fmt: skip
    assert index.tree.codes[index.find([asked]).nodes[0, 0]] == best


def test_the_score_by_hand(cm, normalizer):
    """Two names of two categories; of the diagnosis' words the second name lacks "arm", and it says newborn."""
    index = placed(cm, normalizer, [("lesion of arm", "L98", 0.8), ("lesion of newborn", "P83", 0.78)])
    weights = dict(zip(index.wording.words, index.wording.weights.tolist(), strict=True))
    found = index.candidates(["lesion arm"], by_wording=True)
    first, second = 0.8, 0.78 - SAYINGS["newborn"].cost - MISSING * weights["arm"]
    total = 1 + math.exp((second - first) / WIDTH)
    expected = [first + AGREEMENT * math.log(1 / total), second + AGREEMENT * math.log((total - 1) / total)]
    assert [index.tree.codes[node] for node in found.nodes[0, :2]] == ["L98", "P83"]
    assert found.scores[0, :2] == pytest.approx(expected, abs=1e-5)


def test_alone_in_a_batch_and_for_any_k_the_same(index):
    texts = ["heart atack", "pneumonia of the left lung", "broken hip", "no such thing", "cancer of colon stage 2"] * 3
    together = index.find(texts)
    for i, text in enumerate(texts[:5]):
        alone = index.find([text])
        assert alone.nodes[0].tolist() == together.nodes[i].tolist()
        assert alone.scores[0].tolist() == together.scores[i].tolist() or np.isnan(alone.scores[0]).any()
        assert index.find([text], 3).nodes[0].tolist() == alone.nodes[0, :3].tolist()


def how(index, text):
    return index.answers([text], 1)[0].how


def test_the_floor(cm, normalizer):
    index = placed(cm, normalizer, [("lesion of arm", "L98", FLOOR + 0.02)], floor=True)
    assert how(index, "lesion arm") == "nearest"
    # half of the letters are in a word that no name has
    assert how(index, "lesion xqwzyt") == "unmapped"
    assert index.candidates(["lesion xqwzyt"], by_wording=True).scores[0, 0] < FLOOR + UNKNOWN / 2
    assert index.find(["lesion xqwzyt"]).nodes.max() == -1
    assert index.candidates(["lesion xqwzyt"], by_wording=True).nodes[0, 0] >= 0
    assert how(placed(cm, normalizer, [("lesion of arm", "L98", 0.1)]), "lesion arm") == "nearest"


def test_more_names(folder, encoder, normalizer, cm):
    names = ["grippe of the lungs", "lung blight", "crohn disease", "of no code"]
    costs = np.array([0.04, np.inf, 0.04, 0.04], np.float32)
    more = MoreNames(names, ["J10.1", "J18", "A00", "Q99.123"], costs)
    index = IcdIndex.open("icd10cm", encoder, normalizer, folder, more)
    plain = IcdIndex.open("icd10cm", encoder, normalizer, folder)
    assert len(index.names) == len(plain.names) + 1
    # ICD-10's own name goes before
    assert [cm.codes[node] for node in index.direct(["grippe of the lungs", "crohn disease"]).nodes] == [
        "J10.1",
        "K50.9",
    ]
    assert plain.direct(["grippe of the lungs"]).nodes[0] == -1
    assert cm.codes[index.direct(["lung blight"]).nodes[0]] == "J18" and "lung blight" not in index.names
    again = IcdIndex.open("icd10cm", encoder, normalizer, folder, more)
    assert again.find(["grip of lungs"]).nodes.tolist() == index.find(["grip of lungs"]).nodes.tolist()
