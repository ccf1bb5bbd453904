"""The cache: the same answers from it as without, no harm from a damaged file or a closed folder."""

from __future__ import annotations

import os
import time
import warnings
from pathlib import Path

import pytest

from dxmatch.terms.icd import IcdIndex
from dxmatch.terms.text.normalizer import Normalizer

from ..conftest import HashingEncoder

N = Normalizer()


def answers(tree: Path, normalizer: Normalizer = N) -> tuple[list[list[float]], bool]:
    """What is found, and whether names were embedded for it."""
    encoder = HashingEncoder()
    index = IcdIndex.open(tree, encoder, normalizer)
    embedded = len(encoder.asked) > 0
    return [column.tolist() for column in index.candidates(["angina", "infarct"], 3)], embedded


@pytest.mark.parametrize("damage", [lambda whole: whole[:-9], lambda _: b"", lambda whole: whole[9:]])
def test_a_damaged_file_is_told_and_made_anew(small, own_cache, damage):
    expected, _ = answers(small)
    (file,) = own_cache.glob("icd-names-*")
    file.write_bytes(damage(file.read_bytes()))
    with pytest.warns(RuntimeWarning, match="is damaged .* and is made anew") as caught:
        assert answers(small) == (expected, True)
    assert len(caught) == 1
    with warnings.catch_warnings(action="error"):
        assert answers(small) == (expected, False)


def test_names_are_embedded_again_only_where_something_else_is_asked_and_files_long_unused_go(small, own_cache):
    others = (N, Normalizer(abbreviations={"AP": "angina pectoris"}))
    assert [answers(small, one)[1] for one in (*others, *others)] == [True, True, False, False]
    old = time.time() - 61 * 86_400
    for file in own_cache.glob("icd-names-*"):
        os.utime(file, (old, old))
    small.write_text(small.read_text().replace("Angina pectoris", "Stenocardia"))
    assert answers(small)[1] and len(list(own_cache.glob("icd-names-*"))) == 1


def test_a_folder_that_cannot_be_written(tmp_path, small, monkeypatch):
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="cannot be written"):
        assert answers(small)[1]
