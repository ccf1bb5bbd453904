"""Kappa and alpha of first diagnoses, of groups of raters as sections of a report hold them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError

from ..made import SetMatcher, find, framed, scored, value

WORDS = [f"disease {letter}" for letter in "abcdef"]
ALIKE = SetMatcher((WORDS[0], WORDS[1]), (WORDS[2], WORDS[3]))


@pytest.fixture(scope="module")
def said():
    """Of 40 cases what an algorithm A and three experts say first, who mostly follow a common list; 6 is nothing."""
    generator = np.random.default_rng(7)
    right, other = generator.integers(0, 6, (2, 40, 1))
    return np.select([generator.random((40, 4)) < share for share in (0.1, 0.6)], [6, right], other)


@pytest.fixture(scope="module")
def lists(said):
    words = [*WORDS, "none"]
    return {
        f"c{i:02}": {rater: [words[at]] for rater, at in zip("AXYZ", row, strict=True)} for i, row in enumerate(said)
    }


def test_values_are_those_of_the_metrics(said, lists):
    found, m = scored(lists, "agreement", ALIKE, resamples=200), dxmatch.metrics
    assert len(found.rows) == 9 and {row["algorithm"] for row in found.rows} == {"A"}
    joined = np.array([0, 0, 2, 2, 4, 5, -1])[said]
    for of, raters in (("experts", [1, 2, 3]), ("with the algorithm", [0, 1, 2, 3])):
        kappas = [m.cohen_kappa(joined[:, i], joined[:, j]) for i, j in combinations(raters, 2)]
        for name, expected in (
            ("kappa", np.mean(kappas)),
            ("kappa_F", m.fleiss_kappa(joined[:, raters])),
            ("alpha", m.krippendorff_alpha(joined[:, raters])),
        ):
            row = find(found.rows, name=f"{name}({of})")
            assert row["value"] == pytest.approx(expected) and row["n_pairs"] == len(kappas)
            assert row["low"] < row["value"] < row["high"]
    for metric in ("kappa", "kappa_F", "alpha"):
        among, together, change = (
            value(found, "A", f"{metric}({of})") for of in ("experts", "with the algorithm", "change")
        )
        assert change == pytest.approx(together - among)
    (words,) = found.family("agreement").sentences
    assert words.startswith("Counted as one more expert, A ") and "among the 3 experts" in words


def test_what_is_left_out_and_why(lists):
    silent = scored({case: {rater: ["none"] for rater in "AXY"} for case in ("one", "two")}, "agreement")
    row = find(silent.rows, name="alpha(experts)")
    assert row["value"] is None and "hardly any gives one" in row["reason"]
    frame = framed(lists)
    for few, lacks in (
        (frame[frame["rater"].isin(["A", "X"])], "a second expert"),
        (frame[frame["rater"].isin(["A", "X"])].drop(columns="role"), "a third model"),
    ):
        with pytest.raises(InputError, match=lacks):
            scored(few, "agreement")
