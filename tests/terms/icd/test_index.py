"""The names of an index, the order of the nearest ones, the floor below which there is no code, the same alone as in any batch."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.terms.encoders import Encoder
from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.icd.tree import CHAPTER
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases
from ...small_vocabulary import small_vocabulary
from ..conftest import HashingEncoder

STRINGS = [
    "heart attack", "heart atack", "myocardal infarktion", "acute appendicitis with peritonitis", "copd", "a", "fracture of left wrist",
    "infarctus du myocarde", "инфаркт", "zzz 9", "malignant neoplasm", "acute myocardial infarction", "i21 9", "x" * 3000,
]  # fmt: skip
Opened = Callable[..., IcdIndex]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Opens an index of (code, name) under an encoder."""
    folder, files = tmp_path_factory.mktemp("trees"), iter(range(10_000))

    def made(rows: Sequence[tuple[str, str]], encoder: Encoder) -> IcdIndex:
        path = folder / f"{next(files)}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("code", "term"), *rows])
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DXMATCH_CACHE", str(folder / path.stem))
            return IcdIndex.open(path, encoder, Normalizer())

    return made


@pytest.fixture(scope="module")
def wide(index: IcdIndex) -> IcdIndex:
    return index.with_sections()


def codes_of(index: IcdIndex, nodes: np.ndarray) -> list[str]:
    return [index.tree.codes[node] if node >= 0 else "" for node in nodes.tolist()]


def test_what_else_a_title_says_by_the_conventions_of_icd10(opened: Opened) -> None:
    titles = [title for title, _ in cases("icd_readings")]
    index = opened([(f"A{number:02}", title) for number, title in enumerate(titles)], HashingEncoder())
    for number, (title, names) in enumerate(cases("icd_readings")):
        own = [name for name, node in zip(index.names, index.nodes, strict=True) if node == number]
        assert " | ".join(own) == names, title


@pytest.mark.parametrize("entries", ["codes", "with sections"])
def test_a_name_of_a_code_means_it(index: IcdIndex, wide: IcdIndex, entries: str) -> None:
    """Of a code before its "unspecified" subcategory, of a title before an inclusion term; with sections, of a section before what is not a title."""
    names, codes = zip(*cases("icd_direct", entries), strict=True)
    one = index if entries == "codes" else wide
    found = dict(zip(names, codes_of(one, one.direct(names).nodes), strict=True))
    assert found == dict(zip(names, codes, strict=True))


def test_a_section_is_near_what_its_name_says_and_a_chapter_is_only_its_own_name(wide: IcdIndex) -> None:
    names = ["intestinal infectious disease of children", "certain zoonotic bacterial disease"]
    assert codes_of(wide, wide.candidates(names, 5).nodes[:, 0]) == ["A00-A09", "A20-A28"]
    chapters = {node for node, kind in enumerate(wide.tree.kinds.tolist()) if kind == CHAPTER}
    texts = ["pulmonary neoplasm", "neoplasm", "diseases of a blood organ", "mental disorders"]
    assert not chapters & set(wide.candidates(texts, 200, by_wording=True).nodes.ravel().tolist())


def test_find_begins_with_the_direct_match_alone_in_a_batch_and_for_any_k(index: IcdIndex) -> None:
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


def nearest(index: IcdIndex, query: np.ndarray, k: int) -> tuple[list[int], list[float]]:
    """By a look at every name: each code by the nearest of its names, of equally near ones the earlier."""
    cosines, best = index.vectors @ query, dict[int, float]()
    for entry in np.argsort(-cosines, kind="stable").tolist():
        best.setdefault(int(index.nodes[entry]), float(cosines[entry]))
        if len(best) == k:
            break
    return list(best), list(best.values())


def test_nearest_codes_of_misspelt_names_against_a_look_at_every_name(index: IcdIndex) -> None:
    """Nearly always those of ICD-10-CM, and always the nearest; the vectors are quantised there."""
    drawn = np.random.default_rng(0)
    some = [index.names[i] for i in drawn.choice(len(index.names), 150, replace=False)]
    places = [int(drawn.integers(0, len(name))) for name in some]
    texts = [name[:place] + name[place + 1 :] or "x" for name, place in zip(some, places, strict=True)]
    found, shared = index.candidates(texts, 15), 0
    for row, query in enumerate(index.encoder.encode(texts)):
        nodes, scores = nearest(index, query, 15)
        shared += len(set(found.nodes[row].tolist()) & set(nodes))
        assert found.scores[row, 0] == pytest.approx(scores[0], abs=1e-6) or scores[0] < 0.6
        assert (np.diff(found.scores[row]) <= 0).all()
    assert shared >= 0.995 * 15 * len(texts)


class Placed:
    """Vectors that a test sets, by text; the first axis for any other."""

    def __init__(self, vectors: Mapping[str, Sequence[float]], identity: str = "placed") -> None:
        self.vectors, self.identity = vectors, identity
        self.other = np.eye(1, len(next(iter(vectors.values()))))[0]

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self.vectors.get(text, self.other) for text in texts], np.float32).reshape(-1, len(self.other))


@settings(deadline=None, max_examples=25)
@given(
    n=st.integers(1, 300),
    d=st.integers(1, 70),
    codes=st.integers(1, 300),
    k=st.integers(1, 30),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_small_index_is_exact(opened: Opened, n: int, d: int, codes: int, k: int, seed: int) -> None:
    """Codes with many names, more codes asked for than there are, queries that are names, an odd number of dimensions."""
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((n + 5, d)) + 0.1
    vectors[n] = vectors[0]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    texts = [f"name {number}" for number in range(n + 5)]
    encoder = Placed(dict(zip(texts, vectors.tolist(), strict=True)))
    index = opened([(f"C-{random.integers(codes)}", text) for text in texts[:n]], encoder)
    found = index.candidates(texts[n:], k)
    for row, query in enumerate(encoder.encode(texts[n:])):
        of_code, scores = dict(zip(*nearest(index, query, n), strict=True)), nearest(index, query, k)[1]
        nodes = found.nodes[row, : len(scores)].tolist()
        np.testing.assert_allclose(found.scores[row, : len(scores)], scores, atol=1e-6)
        np.testing.assert_allclose([of_code[node] for node in nodes], scores, atol=1e-6)
        assert len(set(nodes)) == len(nodes) and (found.nodes[row, len(nodes) :] == -1).all()


def test_a_string_without_a_vector_and_a_broken_encoder(index: IcdIndex) -> None:
    """A zero vector is equally far from every name: no candidate, never the first code."""

    class Odd(HashingEncoder):
        def encode(self, texts: Sequence[str]) -> np.ndarray:
            factor = [0 if text == "silence" else np.nan if text == "noise" else 1 for text in texts]
            return super().encode(texts) * np.array(factor, np.float32)[:, None]

    odd = replace(index, encoder=Odd())
    assert (odd.candidates(["silence", "heart attack"], 3).nodes >= 0).sum(axis=1).tolist() == [0, 3]
    assert odd.answers(["silence"], 1)[0].how == "none" and np.isnan(odd.find(["silence"]).scores[0, 0])
    with pytest.raises(DxmatchError, match="not finite"):
        odd.find(["noise"])


def test_a_code_stands_for_its_title_and_is_no_slip() -> None:
    naming = Naming(Normalizer(), "icd10cm", small_vocabulary())
    read = naming.read(["Astma", "I21", "i21.0", "B20", "5", "H1N1"])
    title = naming.normalizer("ST elevation (STEMI) myocardial infarction of anterior wall")
    hiv = naming.normalizer("Human immunodeficiency virus [HIV] disease")
    assert [one.name for one in read] == ["asthma", "acute myocardial infarction", title, hiv, "5", "h1n1"]
    assert [one.read_as for one in read] == [(("astma", "asthma"),), (), (), (), (), ()]
    assert read[1].not_understood is None and read[4].not_understood == "no diagnosis"
    with pytest.raises(InputError, match="without a letter or digit"):
        naming(["flu", "…"])
    (plain,) = Naming(Normalizer()).read(["I21 Astma; 5"])
    assert (plain.name, plain.read_as, plain.not_understood) == ("i21 astma 5", (), None), "no source and no vocabulary"


def test_everyday_names_are_mapped_and_nonsense_is_not() -> None:
    """A code that is special (of pregnancy, newborns, sequelae) only where the words say so."""
    right = {name: categories.split("|") for name, categories in cases("../data/everyday_icd")}
    others = dict(cases("icd_direct", "nonsense") + cases("icd_direct", "special"))
    found = dxmatch.icd(pa.table({"diagnosis": [*right, *others]}), k=3)["icd10"].to_pylist()
    hits = [(code or "")[:3] in codes for code, codes in zip(found, right.values(), strict=False)]
    assert sum(hits) >= 0.95 * len(right)
    assert [(code or "")[:3] for code in found[len(right) :]] == [*others.values()]
