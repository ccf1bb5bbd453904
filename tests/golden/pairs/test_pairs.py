"""The match function is as it was frozen, and the same by every door and in either order."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch

from .adapter import DOORS, NOT_ASKED, policies
from .runs import EXPECTED, RUNS, SLOW, all_pairs, differences, matcher, pairs, relations, sides

SLOW_DOORS = {"Parquet on Ray"}
"""Ray takes ten seconds to start."""


def cases(names: Iterable[str], slow: set[str]) -> list[Any]:
    return [pytest.param(name, marks=[pytest.mark.slow] if name in slow else []) for name in names]


pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="session")
def frozen() -> dict[str, dict[str, np.ndarray]]:
    found: dict[str, dict[str, np.ndarray]] = {}
    with np.load(EXPECTED) as arrays:
        for name in arrays.files:
            run, _, column = name.partition(": ")
            found.setdefault(run, {})[column] = arrays[name]
    return found


@pytest.mark.parametrize("run", cases(RUNS, SLOW))
def test_a_run_finds_what_was_frozen(run: str, frozen: Any) -> None:
    policy, find = RUNS[run]
    assert not differences(frozen[run], find(matcher(policy)))


def test_policies_that_are_not_learnt_add_relations_up(frozen: Any) -> None:
    some = all_pairs()[:8_000]
    found = relations(matcher(), some)
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


def unsymmetric(p: np.ndarray) -> int:
    """Pairs whose probability is not that of the other order, to the bit."""
    one, other = np.split(p, 2)
    return int((bits(one) != bits(other)).sum())


def changed(frozen: Any, p: np.ndarray) -> list[str]:
    return differences({"p": frozen["specification"]["probability"][: len(p)]}, {"p": p})


@pytest.mark.parametrize("door", cases(DOORS, SLOW_DOORS))
def test_a_door_gives_the_bits_of_all_others(door: str, frozen: Any, tmp_path: Path) -> None:
    if door in SLOW_DOORS and find_spec("ray") is None:
        pytest.skip("the engine 'ray' needs the extra 'ray'")
    ask, most = DOORS[door]
    a, b = both_orders(most)
    expected = matcher().probabilities(a, b)
    assert not unsymmetric(expected)
    assert changed(frozen, expected[:most]) == []
    found = ask(matcher(), a, b, tmp_path)
    asked = found != NOT_ASKED
    assert asked.sum() >= 100
    np.testing.assert_array_equal(bits(found[asked]), bits(expected[asked]))


def test_a_pair_is_decided_as_in_a_table(frozen: Any) -> None:
    m, found = matcher(), []
    for a, b in (pair for one in pairs()[0][:40] for pair in (one, one[::-1])):
        try:
            found.append((m.match(a, b), m(a, b)))
        except dxmatch.NotUnderstood:
            found.append((-1, -1))
    np.testing.assert_array_equal(np.array(found, int), frozen["specification"]["match"][:40].repeat(2)[:, None].repeat(2, 1))  # fmt: skip
