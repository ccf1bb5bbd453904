from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.labelled import contained, contained_warning, treat_contained

from .seen import seen

NAMING = Naming(Normalizer())
ROWS = [
    ("leukemia", "Acute Leukemia", 0),
    ("acute leukemia", "leukemia!", 1),
    ("leukemia", "LEUKEMIA", 0),
    ("acute leukemia", "chronic leukemia", 0),
    ("mumps", "measles", 1),
]


def read(rows: list[tuple[str, str, int]], soft: list[float] | None = None) -> Pairs:
    data = pd.DataFrame(rows, columns=["a", "b", "label"])
    return read_pairs(data if soft is None else data.assign(share=soft), label="label", soft=soft and "share")


def test_which_pairs() -> None:
    assert contained(seen(read(ROWS), NAMING)).tolist() == [True, True, True, False, False]


def test_vote_shares_follow_the_rule() -> None:
    came = read(ROWS, [0.2, 0.9, 0.0, 0.1, 0.8])
    pairs, _, _ = treat_contained(came, seen(came, NAMING), "match")
    assert pairs.soft is not None
    np.testing.assert_array_equal(pairs.soft, [1, 0.9, 1, 0.1, 0.8])


@pytest.mark.parametrize(("rule", "pairs", "matches", "told"), [
    ("keep", 100, 60, True), ("keep", 100, 89, True), ("keep", 100, 11, True), ("keep", 100, 95, False),
    ("keep", 100, 5, False), ("keep", 19, 9, False), ("set-aside", 100, 60, False), ("keep", 0, 0, False),
])  # fmt: skip
def test_a_mixed_rule_is_told(rule: str, pairs: int, matches: int, told: bool) -> None:
    warnings = contained_warning({"rule": rule, "pairs": pairs, "matches": matches})
    assert bool(warnings) == told
    if told:
        assert f"Of {pairs} pairs" in warnings[0] and f"{pairs - matches} are labelled 0 and {matches} 1" in warnings[0]
