"""Chapters and sections among the entries, and k names in place of k codes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.features.providers import SHIPPED
from dxmatch.matcher.match_function import load
from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.icd.tree import CHAPTER
from dxmatch.terms.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def wide(index: IcdIndex) -> IcdIndex:
    return index.with_sections()


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("tuberculosis", "A15-A19"), ("diabetes mellitus", "E08-E13"), ("neoplasms", "2"), ("hernia", "K40-K46"), ("suicide", "X71-X83"),
        ("respiratory tuberculosis", "A15"),
        ("influenza due to unidentified influenza virus", "J11"), ("angina pectoris", "I20"),
    ],
)  # fmt: skip
def test_a_sections_own_name_means_it(wide: IcdIndex, name: str, code: str) -> None:
    (node,) = wide.direct([name]).nodes
    assert wide.tree.codes[node] == code


def test_the_features_of_the_shipped_model_see_no_section() -> None:
    providers = load().providers
    dxmatch.icd("tuberculosis")
    assert providers.icd_index("icd10cm", SHIPPED, "cosine", "codes", False).direct(["tuberculosis"]).nodes[0] < 0


def test_a_section_is_found_by_what_is_near_its_name(wide: IcdIndex, index: IcdIndex) -> None:
    names = ["intestinal infectious disease of children", "certain zoonotic bacterial disease"]
    codes = [[wide.tree.codes[n] for n in row] for row in wide.candidates(names, 5).nodes]
    assert codes[0][0] == "A00-A09"
    assert codes[1][0] == "A20-A28"
    assert not any("-" in index.tree.codes[n] for row in index.candidates(names, 5).nodes for n in row)
    alone = wide.candidates(names[:1], 5, by_wording=True)
    assert alone.nodes[0].tolist() == wide.candidates(names, 5, by_wording=True).nodes[0].tolist()


@pytest.mark.parametrize("text", ["pulmonary neoplasm", "neoplasm", "diseases of a blood organ", "mental disorders"])
def test_a_chapter_is_only_what_its_own_name_means(wide: IcdIndex, by_name: IcdIndex, text: str) -> None:
    chapters = {node for node, kind in enumerate(wide.tree.kinds.tolist()) if kind == CHAPTER}
    assert not chapters & {int(node) for node in wide.nodes}
    assert not chapters & set(wide.candidates([text], 200, by_wording=True).nodes[0].tolist())
    assert wide.find([text]).nodes[0, 0] not in chapters
    assert wide.tree.codes[wide.find(["neoplasms"]).nodes[0, 0]] == "2"
    assert chapters & {int(node) for node in by_name.with_sections().nodes}, "H-DDx has them among its names"


@pytest.fixture(scope="module")
def by_name(opened, encoder) -> IcdIndex:
    return opened(encoder, by_name=True)


def test_names_are_titles_and_terms_and_a_code_may_come_twice(by_name: IcdIndex) -> None:
    found = by_name.candidates(["chronic bronchitis"], 15)
    entries, nodes = found.entries[0].tolist(), found.nodes[0].tolist()
    assert len(set(entries)) == 15 > len(set(nodes))
    assert [by_name.nodes[entry] for entry in entries] == nodes
    assert (np.diff(found.scores[0]) <= 0).all()
    written = [by_name.shown(node, by_name.names[entry]) for node, entry in zip(nodes, entries, strict=True)]
    official = {*by_name.tree.names, *by_name.tree.terms}
    assert set(written) <= official
    cosines = by_name.vectors @ by_name.encoder.encode(["chronic bronchitis"])[0]
    np.testing.assert_allclose(found.scores[0], np.sort(cosines)[::-1][:15], atol=1e-6)


def test_names_are_ranked_by_the_distance_alone(by_name: IcdIndex) -> None:
    texts = ["infarction of the heart", "asdf"]
    ranked, nearest = by_name.candidates(texts, 5, by_wording=True), by_name.candidates(texts, 5)
    assert ranked.nodes.tolist() == nearest.nodes.tolist()
    assert by_name.mapped(texts, ranked).tolist() == [True, True]


class Stretched:
    """The vectors of another encoder, longer for longer names."""

    def __init__(self, inner) -> None:
        self.inner, self.dimensions, self.identity = inner, inner.dimensions, f"{inner.identity}-stretched"

    def encode(self, texts):
        return self.inner.encode(texts) * np.array([[len(text) / 10] for text in texts], np.float32)


@pytest.mark.parametrize("by_name", [False, True])
def test_euclid_finds_the_least_distance(small: Path, encoder, normalizer: Normalizer, by_name: bool) -> None:
    made = {"euclidean": True, "by_name": by_name}
    index = IcdIndex.open(small, Stretched(encoder), normalizer, **made)
    asked = Stretched(encoder).encode(["infarction of the anterior wall"])
    distances = np.linalg.norm(index.vectors - asked, axis=1)
    for one in (index, IcdIndex.open(small, Stretched(encoder), normalizer, **made)):
        found = one.candidates(["infarction of the anterior wall"], 3)
        np.testing.assert_allclose(found.scores[0], -np.sort(distances)[:3], atol=1e-5)
        assert found.entries[0, 0] == distances.argmin()
        wide = one.with_sections()
        assert len(wide.names) > len(one.names)
        assert wide.candidates(["ischaemic heart disease"], 1, by_wording=True).nodes[0, 0] == one.tree.find("I20-I25")
