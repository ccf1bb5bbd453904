from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dxmatch.files.pairs import Pairs
from dxmatch.files.tables import Table
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.labelled import agreement_of, agreement_words, expert_agreement

from .seen import seen


def test_by_hand() -> None:
    """Three experts; votes 110, 11-, 0--, 000. Two votes or more: three pairs with N = 8 votes, N1 = 4, N0 = 4.

    D_o = (2 * 2 * 1 / 2 + 0 + 0) / 8 = 1/4; D_e = 2 * 4 * 4 / (8 * 7) = 4/7; alpha = 1 - 7/16.
    """
    got = expert_agreement(np.array([[1, 1, 0], [1, 1, -1], [0, -1, -1], [0, 0, 0]], np.int8))
    assert got == {
        "experts": 3, "votes_per_pair": 9 / 4, "judged_twice": 3, "unanimous": 2 / 3,
        "krippendorff_alpha": pytest.approx(9 / 16),
    }  # fmt: skip
    assert agreement_words(got) == (
        "3 experts, 2.2 votes a pair: unanimous on 67 % of 3 pairs, Krippendorff's alpha 0.56."
    )


def test_over_files_before_anything_is_left_out() -> None:
    """Rows of two files: the first pair by both, turned; of the second ben says both; the third has no label by name."""
    a, b = ["MI", "gout", "gout", "heart attack", "flu"], ["Heart attack", "flu", "flu", "mi", "asthma"]
    sides = [pa.chunked_array([pa.array(side, pa.large_string())]) for side in (a, b)]
    ballots = np.array([[1, -1], [-1, 1], [-1, 0], [-1, 0], [-1, -1]], np.int8)
    read = Pairs(Table(pa.table({"a": a}), "t", 1), *sides, np.arange(5), np.ones(5, np.int8), ballots=ballots)
    naming = Naming(Normalizer())
    got = agreement_of(read, seen(read, naming))
    assert got is not None and (got["judged_twice"], got["unanimous"], got["votes_per_pair"]) == (1, 0.0, 2.0)
    assert agreement_of(replace(read, ballots=None), seen(read, naming)) is None
