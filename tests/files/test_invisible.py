"""Names that differ in characters nobody sees are one name: cases, columns, the join with right answers."""

from __future__ import annotations

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.invisible import visible

UNSEEN = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202c\u2066\u2069\u061c"
SPELT = ("می\u200cخواهم", "क्\u200dष", "👩\u200d⚕️", "naïve café", "инфаркт", "Sjögren", "a\u2028b", "a\x00b", "a\x85b")
ROW = {"case_id": "p one", "rater": "gpt four", "rank": 1, "diagnosis": "gout", "reference": "gout"}


def test_what_nobody_sees_is_left_out_and_joiners_that_spell_a_word_stay() -> None:
    for mark in UNSEEN:
        assert visible(f"{mark}heart{mark} att{mark}ack{mark}") == "heart attack"
    assert [visible(text) for text in SPELT] == [*SPELT]


def test_cells_and_columns_that_look_equal_are_equal() -> None:
    rows = [ROW, {**ROW, "case_id": "p\u200b one", "rater": "gpt\u00a0four", "rank": 2, "diagnosis": "flu"}]
    renamed = [{f"{key[:2]}\u200b{key[2:]}": value for key, value in row.items()} for row in rows]
    for odd, told in ((rows, "'p\\u200b one' in 'case_id', read as 'p one'"), (renamed, "in the header")):
        read = read_lists(pd.DataFrame(odd))
        assert (read.cases, read.raters, read.lengths.tolist()) == (["p one"], ["gpt four"], [[2]])
        assert any("cannot be seen" in one and told in one for one in read.origin.warnings)
    with pytest.raises(InputError, match="cannot be seen"):
        read_lists(pd.DataFrame(rows).assign(**{"ra\u200bnk": "x"}))
