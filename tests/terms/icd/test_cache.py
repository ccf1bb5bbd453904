"""The cache: the same answers from it as without, no harm from a damaged file or a closed folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest

from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.icd.cache import UNUSED_DAYS, made_once, text_array, texts_of
from dxmatch.terms.text.normalizer import Normalizer

ARRAYS = {"vectors": np.arange(12, dtype=np.float32).reshape(3, 4), "texts": text_array(["naïve", "", "a\nb"])}


def kept(number=0, name="names"):
    """What lies there; None where it has to be made."""
    made = []
    found = made_once(name, {"n": number}, lambda _: made.append(1) or ARRAYS, "it")
    return None if made else found


def answers(*arguments):
    return [column.tolist() for column in IcdIndex.open(*arguments).candidates(["angina", "infarct"], 3)]


def test_round_trip_by_the_key_and_files_long_unused_go(tmp_path, monkeypatch):
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "made" / "here"))
    assert [kept(number) for number in range(12)] == [None] * 12 and kept(0, "tree") is None
    found, *others = [kept(number) for number in range(12)]
    assert None not in others
    np.testing.assert_array_equal(found["vectors"], ARRAYS["vectors"], strict=True)
    assert texts_of(found["texts"]) == ["naïve", "", "a\nb"] and texts_of(text_array([])) == []
    file, old = next((tmp_path / "made" / "here").glob("icd-*")), time.time() - (UNUSED_DAYS + 1) * 86_400
    os.utime(file, (old, old))
    assert kept(12) is None and not file.exists() and len(list(file.parent.glob("icd-*"))) == 13


@pytest.mark.parametrize("damage", [lambda whole: whole[:-9], lambda _: b"", lambda whole: whole[9:]])
def test_a_damaged_file_is_told_and_made_anew(tmp_path, small, encoder, normalizer, damage):
    expected = answers(small, encoder, normalizer)
    (file,) = (tmp_path / "c").glob("icd-names-*")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(RuntimeWarning, match="is damaged .* and is made anew") as caught:
        assert answers(small, encoder, normalizer) == expected
    assert len(caught) == 1 and "\n" not in str(caught[0].message)
    with warnings.catch_warnings(action="error"):
        assert answers(small, encoder, normalizer) == expected


def test_what_the_key_holds_and_what_is_kept_is_not_made_again(small, encoder, normalizer):
    others = (normalizer, Normalizer(abbreviations={"AP": "angina pectoris"}))
    for count, one in enumerate((*others, *others)):
        encoder.calls.clear()
        IcdIndex.open(small, encoder, one)
        assert bool(encoder.calls) == (count < 2)
    for of in (type(encoder)(64), encoder):
        of.calls.clear()
        small.write_text(
            small.read_text().replace("Angina pectoris", "Stenocardia") if of is encoder else small.read_text()
        )
        index = IcdIndex.open(small, of, normalizer)
        assert of.calls
    assert index.direct(["stenocardia", "angina pectoris"]).nodes.tolist() == [index.tree.find("I20"), -1]


def test_a_folder_that_cannot_be_written(tmp_path, small, encoder, normalizer, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        index = IcdIndex.open(small, encoder, normalizer)
    assert (index.candidates(["angina"], 2).nodes >= 0).all()


WARM = """
import sys
from dxmatch.terms.icd import open_tree
open_tree("icd10cm").ancestors(5)
heavy = {"simple_icd_10_cm", "pyarrow", "pandas", "torch", "numba", "scipy", "sklearn", "xml.etree.ElementTree"}
print(sorted(heavy & set(sys.modules)))
"""


def test_a_warm_start_parses_nothing(cm):
    assert subprocess.check_output([sys.executable, "-c", WARM], text=True).strip() == "[]"
