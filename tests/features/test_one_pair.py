"""One pair by itself: the row of the feature table, to the last bit, whatever is kept of its names."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from dxmatch.errors import InputError
from dxmatch.features import one_pair
from dxmatch.features.compute import feature_table
from dxmatch.features.cosine import cosine, cosine_of_two
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.interning import intern_pairs
from dxmatch.features.kept import Kept
from dxmatch.features.one_pair import OnePair
from dxmatch.features.providers import Providers
from dxmatch.features.registry import KINDS
from dxmatch.features.tokens import VIEWS
from dxmatch.terms.icd import IcdIndex, IcdTree
from dxmatch.terms.icd.index import entries
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

WORDS = [
    "acute", "chronic", "renal", "failure", "failures", "type", "1", "2a", "without", "no", "infarction", "left", "right",
    "fracture", "of", "hepatitis", "b", "c", "MI", "I21", "é", "x" * 70, "боль",
]  # fmt: skip
NAMES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(" ".join)


class Letters:
    """A vector per text, from its letters; "of" has none."""

    identity, dimensions = "letters", 24

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(list(texts))
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(out, texts, strict=True):
            for place, letter in enumerate(text if text != "of" else ""):
                row[ord(letter) % self.dimensions] += 1 / (1 + place)
            row /= max(float(np.linalg.norm(row)), 1e-9)
        return out


def tree() -> IcdTree:
    codes = ["I", "I20-I25", "I21", "I21.0", "I21.9", "N", "N17-N19", "N17", "N18"]
    names = [
        "",
        "",
        "acute infarction",
        "left infarction",
        "infarction",
        "",
        "",
        "acute renal failure",
        "chronic renal failure",
    ]
    kinds = np.array([0, 1, 2, 3, 3, 0, 1, 2, 2], np.uint8)
    parents = np.array([-1, 0, 1, 2, 2, -1, 5, 6, 6], np.int32)
    return IcdTree(codes, names, kinds, parents, [], np.zeros(0, np.int32), "test")


def providers(language: str) -> Providers:
    encoder, normalizer = Letters(), Normalizer(language)
    icd = tree()
    names, nodes = entries(icd, normalizer)
    index = IcdIndex(icd, encoder, names, nodes, encoder.encode(names))
    made = Providers(Naming(normalizer), {"shipped": encoder})
    made._indexes["icd10cm", "shipped"] = index
    encoder.calls.clear()
    return made


def every_kind(language: str) -> FeatureSet:
    return FeatureSet.from_dict(
        {
            "language": language,
            "feature": [
                *({"name": f"ratio_{view}", "kind": "ratio", "view": view} for view in VIEWS if language == "en" or view == "pos"),
                *({"name": side, "kind": "alignment", "side": side} for side in ("worse", "better")),
                *({"name": kind, "kind": kind} for kind in ("levenshtein", "contrast", "cosine")),
                *({"name": f"icd_{kind}", "kind": f"icd_{kind}"} for kind in ("nearest", "kinship", "overlap")),
            ],
        }
    )  # fmt: skip


SETS = {language: every_kind(language) for language in ("en", "ru")}
BEHIND = {language: providers(language) for language in SETS}
ALONE = {language: OnePair(SETS[language], BEHIND[language]) for language in SETS}


def test_each_kind_that_asks_nobody_is_known() -> None:
    assert set(one_pair._ASPECTS) == {kind.name for kind in KINDS.values() if not kind.asked}
    assert {feature.kind for feature in SETS["en"].features} == set(one_pair._ASPECTS)


@pytest.mark.parametrize("language", SETS)
@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_is_the_row_of_the_table(language: str, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(NAMES, NAMES), min_size=6, max_size=9))
    a, b = [list(side) for side in zip(*rows, strict=True)]
    pairs = intern_pairs(a, b, BEHIND[language].naming)
    table = feature_table(pairs, SETS[language], BEHIND[language])[pairs.pair_of_row]
    for row, equal, (x, y) in zip(table, pairs.equal[pairs.pair_of_row].tolist(), rows, strict=True):
        for found in (ALONE[language](x, y), ALONE[language](y, x), OnePair(SETS[language], BEHIND[language])(x, y)):
            if equal:
                assert found is None
            else:
                assert found is not None and found.dtype == np.float32
                np.testing.assert_array_equal(found[0], row)


def test_a_name_that_comes_again_is_not_encoded_again() -> None:
    behind = providers("en")
    one = OnePair(SETS["en"], behind)
    encoder = behind.encoders["shipped"]
    assert isinstance(encoder, Letters)
    first = one("acute renal failure", "left fracture")
    assert encoder.calls == [["acute renal failure", "left fracture", "acute", "renal", "failure", "left", "fracture"]]
    one("acute renal failure", "right fracture")
    assert encoder.calls[1:] == [["right fracture", "right"]]
    np.testing.assert_array_equal(one("acute renal failure", "left fracture"), first)
    assert len(encoder.calls) == 2


def test_the_oldest_names_give_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_pair, "NAMES_KEPT", 3)
    one = OnePair(SETS["en"], BEHIND["en"])
    wanted = [ALONE["en"]("acute renal failure", f"fracture {i}") for i in range(9)]
    for i in range(9):
        np.testing.assert_array_equal(one("acute renal failure", f"fracture {i}"), wanted[i])
        assert len(one._known) <= 3


def test_votes_are_not_for_it() -> None:
    votes = FeatureSet.from_dict({"feature": [{"name": "v", "kind": "vote", "model": "m", "prompt": "imported"}]})
    assert OnePair.of(votes, BEHIND["en"]) is None
    assert OnePair.of(SETS["en"], BEHIND["en"]) is not None


def test_refuses_what_is_no_name() -> None:
    with pytest.raises(InputError, match="without a letter or digit"):
        ALONE["en"]("fever", "?!")


def test_many_threads_get_the_same_rows() -> None:
    one = OnePair(SETS["en"], BEHIND["en"])
    texts = [" ".join(WORDS[i % 7 : i % 7 + 1 + i % 4]) + f" {i}" for i in range(24)]
    wanted = {(a, b): ALONE["en"](a, b) for a in texts[:12] for b in texts[12:]}
    wrong = []

    def work(order: int) -> None:
        pairs = list(wanted) if order % 2 else list(wanted)[::-1]
        wrong.extend(pair for pair in pairs if not np.array_equal(one(*pair), wanted[pair], equal_nan=True))

    threads = [threading.Thread(target=work, args=(order,)) for order in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("width", [1, 7, 8, 9, 24, 37])
def test_the_cosine_of_two(width: int) -> None:
    rows = np.random.default_rng(width).standard_normal((40, width)).astype(np.float32)
    rows[:4] = np.array([[0], [-0.0], [1], [0.3]])
    rows /= np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1).astype(np.float32)
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(1600), 40))
    out = np.empty(1600, np.float32)
    cosine(rows, first, second, out)
    alone = np.array([cosine_of_two(rows[i], rows[j]) for i, j in zip(first, second, strict=True)], np.float32)
    np.testing.assert_array_equal(alone.view(np.uint32), out.view(np.uint32))


def test_kept_holds_so_many() -> None:
    kept: Kept[str, int] = Kept(2)
    for number, key in enumerate("bbac"):
        kept.put(key, number)
    assert list(kept.items()) == [("a", 2), ("c", 3)]
