from __future__ import annotations

import pytest

from dxmatch.errors import InputError
from dxmatch.terms.icd import map_to_icd
from dxmatch.terms.icd.mapping import COLUMNS


def test_rows(index, normalizer):
    strings = ["Crohn's disease", "I21.0", "myocardal infarktion", "crohn’s  disease", "A15-A19", "I21.0"]
    got = map_to_icd(strings, index, normalizer, k=5)
    assert tuple(got) == COLUMNS
    assert got["diagnosis"] == strings
    assert got["how"] == ["direct", "code", "nearest", "direct", "code", "code"]
    assert [got["icd10"][i] for i in (0, 1, 3, 4, 5)] == ["K50.9", "I21.0", "K50.9", "A15-A19", "I21.0"]
    assert got["name"][0] == "Crohn's disease, unspecified"
    assert [score == 1.0 for score in got["score"]] == [True, True, False, True, True, True]
    assert 0 < got["score"][2] < 1
    for row, candidates in enumerate(got["candidates"]):
        assert candidates[0][:2] == (got["icd10"][row], got["name"][row])
        assert len(candidates) == (1 if got["how"][row] == "code" else 5)
        assert len({code for code, *_ in candidates}) == len(candidates)


def test_equal_strings_are_computed_once(index, normalizer, encoder):
    encoder.calls.clear()
    map_to_icd(["Myocardal infarktion", "myocardal  infarktion", "Myocardal infarktion"], index, normalizer)
    assert encoder.calls == [1]


def test_empty(index, normalizer):
    assert map_to_icd([], index, normalizer) == {column: [] for column in COLUMNS}


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("", "letter"),
        ("?!", "letter"),
        ("x" * 1_000_000, "1,000,000 characters"),
        (None, "not a text"),
        (3.5, "not a text"),
    ],
)
def test_what_is_no_diagnosis(index, normalizer, bad, message):
    with pytest.raises(InputError, match=message) as caught:
        map_to_icd(["fever", bad], index, normalizer, source="a.csv", column="dx", row_number=lambda i: i + 2)
    assert str(caught.value).startswith("a.csv, row 3, column 'dx': ")
    assert len(str(caught.value)) < 300
