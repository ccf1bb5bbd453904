"""Names found by checksum: the first of equal texts, and never another text of the same checksum."""

from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.features.icd.lookup import Lookup
from dxmatch.features.icd.texts import Texts

TEXTS = st.text(st.sampled_from("abcä инф"), max_size=6)


@given(st.lists(TEXTS, max_size=40), st.lists(TEXTS, max_size=20))
def test_what_a_dict_finds(names, asked):
    texts = Texts.of(names)
    found = Lookup.of(texts).find([*asked, *names], texts)
    first = {name: i for i, name in reversed(list(enumerate(names)))}
    assert found.tolist() == [first.get(text, -1) for text in [*asked, *names]]
    assert found.dtype == np.int32


def test_two_texts_of_one_checksum():
    """ "plumless" and "buckeroo" have the CRC-32 0x4ddb0c25."""
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    texts = Texts.of(["angina", "plumless", "buckeroo", "plumless"])
    assert Lookup.of(texts).find(["buckeroo", "plumless", "angina"], texts).tolist() == [2, 1, 0]
    one = Texts.of(["plumless"])
    assert Lookup.of(one).find(["buckeroo"], one).tolist() == [-1]


def test_what_is_no_valid_text_is_not_found():
    texts = Texts.of(["angina"])
    assert Lookup.of(texts).find(["\ud800", ""], texts).tolist() == [-1, -1]
