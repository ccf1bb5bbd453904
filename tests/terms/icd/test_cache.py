"""The cache: the same answers from it as without, no harm from damage, two writers or a closed folder."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dxmatch.files.atomic import cache_folder
from dxmatch.terms.icd import IcdIndex, cache, open_tree
from dxmatch.terms.icd.cache import made_once, text_array, texts_of
from dxmatch.terms.text.normalizer import Normalizer

KEY = {"source": "s", "encoder": "e"}


def arrays():
    return {
        "vectors": np.arange(12, dtype=np.float32).reshape(3, 4),
        "nodes": np.array([3, 1, 2], np.int32),
        "texts": text_array(["naïve", "", "a\nb"]),
        "nothing": np.zeros((0, 7), np.float32),
    }


def same(a, b):
    assert a.keys() == b.keys()
    for name in a:
        assert a[name].dtype == b[name].dtype
        np.testing.assert_array_equal(a[name], b[name], strict=True)


def only_file(folder: Path, pattern: str = "*") -> Path:
    (file,) = folder.glob(pattern)
    return file


def kept(folder, key=KEY, name="names"):
    """What lies there; None where it has to be made."""
    made = []
    found = made_once(name, key, lambda _: made.append(1) or arrays(), "it", folder)
    return None if made else found


def test_round_trip(tmp_path):
    folder, other = tmp_path / "made" / "here", KEY | {"encoder": "f"}
    assert kept(folder) is None
    same(kept(folder), arrays())
    assert texts_of(kept(folder)["texts"]) == ["naïve", "", "a\nb"] and texts_of(text_array([])) == []
    first = only_file(folder, "icd-*")
    assert kept(folder, other) is None and kept(folder, KEY, "tree") is None
    (second,) = set(folder.glob("icd-names-*")) - {first}
    first.rename(second)
    with pytest.warns(RuntimeWarning, match="another key"):
        assert kept(folder, other) is None


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_damage_is_noticed(tmp_path, data):
    kept(tmp_path)
    file = only_file(tmp_path, "icd-*")
    whole = file.read_bytes()
    at, other = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, len(whole) - 1))
    ways = {
        "cut": whole[:at],
        "flip": whole[:at] + bytes([whole[at] ^ 1 << data.draw(st.integers(0, 7))]) + whole[at + 1 :],
        "longer": whole[:at] + b"\0" + whole[at:],
        "zero": whole[:at] + bytes(len(whole[at : at + 64])) + whole[at + 64 :],
        "copy": whole[:at] + whole[other : other + 1] + whole[at + 1 :],
    }
    damaged = ways[data.draw(st.sampled_from(sorted(ways)))]
    file.write_bytes(damaged)
    if damaged == whole:
        same(kept(tmp_path), arrays())
        return
    with pytest.warns(RuntimeWarning, match="is damaged .* and is made anew") as caught:
        assert kept(tmp_path) is None
    assert len(caught) == 1
    assert "\n" not in str(caught[0].message)


def test_a_damaged_index_is_rebuilt(tmp_path, small, encoder, normalizer):
    def answers(index):
        return [column.tolist() for column in index.candidates(["angina", "infarct"], 3)]

    expected = answers(IcdIndex.open(small, encoder, normalizer, False))
    assert answers(IcdIndex.open(small, encoder, normalizer, tmp_path / "c")) == expected
    for pattern in ("icd-names-*", "icd-tree-*"):
        file = only_file(tmp_path / "c", pattern)
        damaged = bytearray(file.read_bytes())
        damaged[len(damaged) // 2] ^= 4
        file.write_bytes(damaged)
        with pytest.warns(RuntimeWarning, match="is damaged"):
            assert answers(IcdIndex.open(small, encoder, normalizer, tmp_path / "c")) == expected
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert answers(IcdIndex.open(small, encoder, normalizer, tmp_path / "c")) == expected


def test_a_kept_index_is_not_built_again(tmp_path, small, encoder, normalizer, monkeypatch):
    IcdIndex.open(small, encoder, normalizer, tmp_path / "c")
    monkeypatch.setattr("dxmatch.terms.icd.sources.read_tree", lambda _: pytest.fail("parsed again"))
    encoder.calls.clear()
    index = IcdIndex.open(small, encoder, normalizer, tmp_path / "c")
    assert encoder.calls == []
    assert index.tree.name("I10") == "Essential hypertension"


def test_what_the_key_holds(tmp_path, small, encoder, normalizer):
    folder = tmp_path / "c"
    IcdIndex.open(small, encoder, normalizer, folder)
    assert len(list(folder.glob("icd-names-*"))) == 1
    IcdIndex.open(small, encoder, Normalizer(abbreviations={"AP": "angina pectoris"}), folder)
    assert len(list(folder.glob("icd-names-*"))) == 2
    IcdIndex.open(small, type(encoder)(64), normalizer, folder)
    assert len(list(folder.glob("icd-names-*"))) == 3
    small.write_text(small.read_text().replace("Angina pectoris", "Stenocardia"))
    index = IcdIndex.open(small, encoder, normalizer, folder)
    assert index.tree.name("I20") == "Stenocardia"
    assert index.direct(["stenocardia", "angina pectoris"]).nodes.tolist() == [index.tree.node("I20"), -1]


def test_a_folder_that_cannot_be_written(tmp_path, small, encoder, normalizer):
    (tmp_path / "file").write_text("not a folder")
    with pytest.warns(RuntimeWarning, match="cannot be written") as caught:
        index = IcdIndex.open(small, encoder, normalizer, tmp_path / "file" / "cache")
    assert (index.candidates(["angina"], 2).nodes >= 0).all()
    assert all("\n" not in str(one.message) for one in caught)


def test_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "c"))
    assert cache_folder() == tmp_path / "c"
    assert kept(None) is None and kept(None) is not None and kept(False) is None
    assert list((tmp_path / "c").glob("icd-names-*"))
    monkeypatch.delenv("DXMATCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert "dxmatch" in str(cache_folder())


def test_files_long_unused_go(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "MAX_FILES", 2)
    for i in range(3):
        before = set(tmp_path.glob("icd-*"))
        assert kept(tmp_path, {"n": i}) is None
        for file in set(tmp_path.glob("icd-*")) - before:
            os.utime(file, (1000 + i, 1000 + i))
    assert kept(tmp_path, {"n": 1}) is not None
    assert kept(tmp_path, {"n": 3}) is None
    assert len(list(tmp_path.glob("icd-*"))) == 2
    assert kept(tmp_path, {"n": 1}) is not None and kept(tmp_path, {"n": 3}) is not None


WARM = """
import sys
from dxmatch.terms.icd import IcdIndex, open_tree
tree = open_tree("icd10cm", sys.argv[1])
assert tree.code(tree.ancestors("I21.9")[0]) == "I21"
heavy = {"simple_icd_10_cm", "pyarrow", "pandas", "torch", "numba", "scipy", "sklearn", "xml.etree.ElementTree"}
print(sorted(heavy & set(sys.modules)))
"""


def test_a_warm_start_parses_nothing(folder, cm):
    done = subprocess.run([sys.executable, "-c", WARM, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_kept_tree_is_the_parsed_one(folder, cm, tmp_path):
    kept, parsed = open_tree("icd10cm", folder), open_tree("icd10cm", False)
    for name in ("kinds", "parents", "term_nodes"):
        np.testing.assert_array_equal(getattr(kept, name), getattr(parsed, name))
    for name in ("codes", "names", "terms"):
        assert list(getattr(kept, name)) == list(getattr(parsed, name))
