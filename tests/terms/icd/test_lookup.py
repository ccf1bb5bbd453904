"""Names found by checksum: the first of equal texts, and never another text of the same checksum."""

from __future__ import annotations

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.terms.icd.lookup import Lookup
from dxmatch.terms.icd.texts import Texts


def find(names, asked):
    """The places, the same for all at once and for each alone."""
    texts = Texts.of(names)
    lookup = Lookup.of(texts)
    found = lookup.find(asked, texts)
    assert found.dtype == np.int32
    assert [lookup.find_one(string, texts) for string in asked] == found.tolist()
    return found.tolist()


TEXTS = st.text(st.sampled_from("abcä инф"), max_size=6)


@given(st.lists(TEXTS, max_size=40), st.lists(TEXTS, max_size=20))
def test_what_a_dict_finds(names, asked):
    first = {name: i for i, name in reversed(list(enumerate(names)))}
    assert find(names, [*asked, *names]) == [first.get(text, -1) for text in [*asked, *names]]


def test_two_texts_of_one_checksum():
    """ "plumless" and "buckeroo" have the CRC-32 0x4ddb0c25."""
    assert zlib.crc32(b"plumless") == zlib.crc32(b"buckeroo")
    assert find(["angina", "plumless", "buckeroo", "plumless"], ["buckeroo", "plumless", "angina"]) == [2, 1, 0]
    assert find(["plumless"], ["buckeroo"]) == [-1]


def test_what_is_no_valid_text_is_not_found():
    assert find(["angina"], ["\ud800", ""]) == [-1, -1]
