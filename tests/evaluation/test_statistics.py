"""Differences, subgroups and their averages, models under several prompts: by hand, beside scipy, and beside evaluations of parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import dxmatch
from dxmatch.errors import InputError, OptionError

from .made import find, framed, scored, told

PLAIN = "mean of the subsets"


def hits(of: dict[str, str]) -> pd.DataFrame:
    """Rater -> 1 for each case that it has right; a dot where it was not asked."""
    names = {"1": ["gout"], "0": ["flu"]}
    cases = {
        f"c{i:02}": {rater: names[mark] for rater, mark in zip(of, marks, strict=True) if mark != "."}
        for i, marks in enumerate(zip(*of.values(), strict=True))
    }
    return framed(cases).assign(role="algorithm", reference="gout")


def top_1(rows: Any) -> list[Any]:
    return [row for row in rows if row["name"] == "Acc(M)@1"]


# Subgroups


def test_the_resamples_of_groups_do_not_move_together():
    """Two groups of one size and the same hits: the interval of their average is narrower by the root of two."""
    frame = hits({"A": "1100110011001100" * 4})
    frame["set"] = ["a"] * 32 + ["b"] * 32
    rows = top_1(scored(frame, "top-1", by="set", resamples=2000).groups.rows)
    width = {row["group"]: row["high"] - row["low"] for row in rows}
    assert width[PLAIN] == pytest.approx(width["a"] / 2**0.5, rel=0.1)


def test_clusters_are_drawn_and_change_places_whole():
    """Five patients with 20 cases each, of whom A names all, and B all of the first: p is of 2 to the 4 permutations, not of 2 to the 80."""
    frame = hits({"A": "1" * 100, "B": "1" * 20 + "0" * 80}).assign(patient=np.repeat([*"vwxyz"], 40))
    with pytest.warns(UserWarning, match="in 5 clusters of 'patient': intervals from so few are too narrow"):
        alone, together = (
            scored(frame, "top-1", resampling={"resamples": 300, "cluster": c}) for c in (None, "patient")
        )
    assert "100 cases are of 5 in 'patient'" in told(alone) and "patient" not in told(together)
    (by_case,), (by_patient,) = (top_1(report.difference_rows) for report in (alone, together))
    assert by_case["value"] == by_patient["value"] == 0.8 and by_case["low"] > 0.7
    assert by_patient["low"] == pytest.approx(0.4) and by_patient["p"] == 2 / 2**4 and by_case["p"] < 1e-12
    assert find(together.rows, algorithm="B")["high"] == pytest.approx(0.6)
    frame.loc[frame["case_id"] == "c07", "patient"] = None
    with pytest.raises(OptionError, match="resampling.cluster.*1 of 100 cells are blank; the first is of case 'c07'"):
        scored(frame, "top-1", resampling={"cluster": "patient"})


def test_many_raters_are_not_tested_in_pairs_unasked():
    """The resamples of 26 are told and left: intervals are those that two of them have, and a pair that is named has its p."""
    draws = np.random.default_rng(5).integers(0, 2, (26, 30))
    marks = {f"r{i}": "".join(map(str, row)) for i, row in enumerate(draws)}
    few = scored(hits({name: marks[name] for name in ("r0", "r1")}), "top-1", resamples=99)
    many, named = (scored(hits(marks), None, resamples=99, compare=of) for of in (None, [("r0", "r1")]))
    assert top_1(many.rows)[:2] == top_1(named.rows)[:2] == top_1(few.rows)
    assert not many.difference_rows and "325 pairs" in many.left_out["differences"]
    assert top_1(named.difference_rows)[0]["p"] == top_1(few.difference_rows)[0]["p"]
    assert "26 raters, more than 25" in scored(hits(marks).assign(role=None), None).left_out["agreement"]
    with pytest.raises(InputError, match="too many raters .*at most 25.* 26"):
        scored(hits(marks), "relative", panel=dxmatch.Panel(in_turn=True))


# Prompts and repeats


def test_models_are_compared_by_their_means_over_prompts():
    """base and tuned under x, twice, and y: each prompt counts once."""
    generator = np.random.default_rng(3)
    skills = {"base": 0.3, "tuned": 0.7}
    right = {model: generator.random((3, 40)) < skill for model, skill in skills.items()}
    marks = {
        f"{model} [{prompt}]": "".join("01"[mark] for mark in row)
        for model, rows in right.items()
        for prompt, row in zip(("x", "x #2", "y"), rows.astype(int), strict=True)
    }
    pairs = [("base", "tuned"), ("base [y]", "tuned [y]")]
    both, single = top_1(scored(hits(marks), "top-1", resamples=50, compare=pairs).difference_rows)
    apart = np.array([1 / 4, 1 / 4, 1 / 2]) @ (right["tuned"].astype(float) - right["base"])
    assert (both["first"], both["second"], both["n_cases"], both["n_comparisons"]) == ("tuned", "base", 40, 2)
    assert both["value"] == pytest.approx(apart.mean()) and 0 < both["low"] < both["value"] < both["high"]
    theirs = stats.permutation_test((apart,), np.mean, permutation_type="samples", n_resamples=20_000, rng=0)
    assert both["p"] == pytest.approx(theirs.pvalue, abs=2e-3)
    assert (single["first"], single["second"]) == ("tuned [y]", "base [y]")
    # in the first case tuned has no answer under y; of the second case base has the other repeat
    marks |= {"tuned [y]": "." + marks["tuned [y]"][1:], "base [x]": "0." + marks["base [x]"][2:]}
    own = {"reading": dxmatch.Reading(missing="own"), "compare": pairs[:1]}
    assert top_1(scored(hits(marks), "top-1", **own).difference_rows)[0]["n_cases"] == 39
    with pytest.raises(OptionError, match="'compare'.*tuned: y; base: x"):
        scored(hits({"base [x]": "10", "tuned [y]": "10"}), "top-1", compare=pairs[:1])
