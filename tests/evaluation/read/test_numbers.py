"""Numbers outside what is allowed end in one clear line."""

from __future__ import annotations

from typing import Any

import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists

from ..made import long_form

CASES = {"c1": {"A": ["gout", "flu"], "E": ["gout"], "F": ["flu"]}, "c2": {"A": ["flu"], "E": ["flu"], "F": ["flu"]}}


@pytest.mark.parametrize("rank", [-1, 1.5, 2**63, "first", 1])
def test_a_rank_that_is_none_or_stands_twice(rank: Any) -> None:
    frame = long_form(CASES, {"A": "algorithm"}).astype({"rank": object})
    frame.loc[1, "rank"] = rank
    with pytest.raises(InputError, match="rank|64 bits"):
        read_lists(frame)
