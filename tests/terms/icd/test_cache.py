"""The cache: the same answers from it as without, no harm from a damaged file or a closed folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from dxmatch.files.atomic import cache_folder
from dxmatch.terms.icd import IcdIndex, open_tree
from dxmatch.terms.icd.cache import UNUSED_DAYS, made_once, text_array, texts_of
from dxmatch.terms.text.normalizer import Normalizer

KEY = {"source": "s", "encoder": "e"}
ARRAYS = {"vectors": np.arange(12, dtype=np.float32).reshape(3, 4), "texts": text_array(["naïve", "", "a\nb"])}


def kept(folder, key=KEY, name="names"):
    """What lies there; None where it has to be made."""
    made = []
    found = made_once(name, key, lambda _: made.append(1) or ARRAYS, "it", folder)
    return None if made else found


def answers(source, *arguments):
    return [column.tolist() for column in IcdIndex.open(source, *arguments).candidates(["angina", "infarct"], 3)]


def test_round_trip_by_the_key(tmp_path, monkeypatch):
    folder = tmp_path / "made" / "here"
    assert kept(folder) is None
    found = kept(folder)
    np.testing.assert_array_equal(found["vectors"], ARRAYS["vectors"], strict=True)
    assert texts_of(found["texts"]) == ["naïve", "", "a\nb"] and texts_of(text_array([])) == []
    assert kept(folder, KEY | {"encoder": "f"}) is None and kept(folder, KEY, "tree") is None
    assert kept(False) is None
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "c"))
    assert kept(None) is None and kept(None) is not None
    monkeypatch.delenv("DXMATCH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert str(cache_folder()).startswith(str(tmp_path / "x")) and "dxmatch" in str(cache_folder())


@pytest.mark.parametrize("damage", [lambda whole: whole[:-9], lambda _: b"", lambda whole: whole[9:]])
def test_a_damaged_file_is_told_and_made_anew(tmp_path, small, encoder, normalizer, damage):
    expected = answers(small, encoder, normalizer, False)
    assert answers(small, encoder, normalizer, tmp_path / "c") == expected
    for pattern in ("icd-names-*", "icd-tree-*"):
        (file,) = (tmp_path / "c").glob(pattern)
        file.write_bytes(damage(file.read_bytes()))
        with pytest.warns(RuntimeWarning, match="is damaged .* and is made anew") as caught:
            assert answers(small, encoder, normalizer, tmp_path / "c") == expected
        assert len(caught) == 1 and "\n" not in str(caught[0].message)
        with warnings.catch_warnings(action="error"):
            assert answers(small, encoder, normalizer, tmp_path / "c") == expected


def test_what_the_key_holds_and_what_is_kept_is_not_made_again(tmp_path, small, encoder, normalizer):
    folder = tmp_path / "c"
    others = (normalizer, Normalizer(abbreviations={"AP": "angina pectoris"}))
    for count, one in enumerate((*others, *others), start=1):
        encoder.calls.clear()
        IcdIndex.open(small, encoder, one, folder)
        assert len(list(folder.glob("icd-names-*"))) == min(count, 2) and bool(encoder.calls) == (count <= 2)
    IcdIndex.open(small, type(encoder)(64), normalizer, folder)
    assert len(list(folder.glob("icd-names-*"))) == 3
    small.write_text(small.read_text().replace("Angina pectoris", "Stenocardia"))
    index = IcdIndex.open(small, encoder, normalizer, folder)
    assert index.direct(["stenocardia", "angina pectoris"]).nodes.tolist() == [index.tree.find("I20"), -1]


def test_a_folder_that_cannot_be_written(tmp_path, small, encoder, normalizer):
    (tmp_path / "file").write_text("not a folder")
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        index = IcdIndex.open(small, encoder, normalizer, tmp_path / "file" / "cache")
    assert (index.candidates(["angina"], 2).nodes >= 0).all()


def test_files_long_unused_go_however_many_others_there_are(tmp_path):
    for i in range(12):
        assert kept(tmp_path, {"n": i}) is None
    assert all(kept(tmp_path, {"n": i}) is not None for i in range(12))
    file, old = next(tmp_path.glob("icd-*")), time.time() - (UNUSED_DAYS + 1) * 86_400
    os.utime(file, (old, old))
    assert kept(tmp_path, {"n": 12}) is None
    assert not file.exists() and len(list(tmp_path.glob("icd-*"))) == 12


WARM = """
import sys
from dxmatch.terms.icd import open_tree
open_tree("icd10cm", sys.argv[1]).ancestors("I21.9")
heavy = {"simple_icd_10_cm", "pyarrow", "pandas", "torch", "numba", "scipy", "sklearn", "xml.etree.ElementTree"}
print(sorted(heavy & set(sys.modules)))
"""


def test_a_warm_start_parses_nothing_and_has_the_parsed_tree(folder: Path, cm):
    done = subprocess.run([sys.executable, "-c", WARM, str(folder)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    parsed = open_tree("icd10cm", False)
    for name in ("kinds", "parents", "term_nodes", "codes", "names", "terms"):
        assert list(getattr(cm, name)) == list(getattr(parsed, name))
