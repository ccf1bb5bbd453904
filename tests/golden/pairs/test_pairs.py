"""The match function is as it was frozen, and the same by every door and in either order."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch

from ..frozen import expected
from .adapter import all_pairs, differences, matcher, pairs, relations, sides
from .doors import DOORS, NOT_ASKED, policies

RAY = "Parquet on Ray"
"""Which takes ten seconds to start."""


pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def frozen() -> Any:
    return expected("pairs")


def test_policies_that_are_not_learnt_add_relations_up(frozen: Any) -> None:
    some = all_pairs()[:8_000]
    found = relations(matcher(), *sides(some))
    sums = {"strict": found["same"], "broader-counts": found["same"] + found["narrower"]}
    assert not differences({policy: frozen[policy]["probability"][: len(some)] for policy in sums}, sums)


def test_a_server_tells_every_policy(frozen: Any) -> None:
    rows = np.flatnonzero(frozen["specification"]["match"][:14] >= 0)
    found = policies(matcher(), *sides([pairs()[0][row] for row in rows]))
    assert not differences(
        {name: frozen[name]["probability"][rows] for name in found}, {name: np.array(p) for name, p in found.items()}
    )


def both_orders(most: int) -> tuple[list[str], list[str]]:
    a, b = sides(pairs()[0][:most])
    return a + b, b + a


def bits(p: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(p), np.nan, p).view(np.int64)


@pytest.mark.parametrize("door", [pytest.param(door, marks=[pytest.mark.slow] * (door == RAY)) for door in DOORS])
def test_a_door_gives_the_bits_of_all_others(door: str, frozen: Any, tmp_path: Path) -> None:
    if door == RAY and find_spec("ray") is None:
        pytest.skip("the engine 'ray' needs the extra 'ray'")
    ask, most = DOORS[door]
    a, b = both_orders(most)
    every = matcher().probabilities(a, b)
    one, other = np.split(bits(every), 2)
    assert (one == other).all(), "a pair has the probability of its other order, to the bit"
    assert not differences({"p": frozen["specification"]["probability"][:most]}, {"p": every[:most]})
    found = ask(matcher(), a, b, tmp_path)
    asked = found != NOT_ASKED
    assert asked.sum() >= 100
    np.testing.assert_array_equal(bits(found[asked]), bits(every[asked]))


def test_a_pair_is_decided_as_in_a_table(frozen: Any) -> None:
    m, found = matcher(), []
    for a, b in (pair for one in pairs()[0][:40] for pair in (one, one[::-1])):
        try:
            found.append((m.match(a, b), m(a, b)))
        except dxmatch.NotUnderstood:
            found.append((-1, -1))
    np.testing.assert_array_equal(np.array(found, int), frozen["specification"]["match"][:40].repeat(2)[:, None].repeat(2, 1))  # fmt: skip
