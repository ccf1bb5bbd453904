"""Kappa and alpha of first diagnoses: by hand, and of groups of raters as sections of a report hold them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import dxmatch
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score import agreement
from dxmatch.evaluation.score.scores import Settings
from dxmatch.evaluation.score.wanted import ks_of

from .made import Scored, matched

WORDS = [f"disease {letter}" for letter in "abcdef"]


@pytest.fixture
def answers(to_frame):
    """40 cases, an algorithm A and three experts who mostly follow a common list; some say nothing."""
    generator = np.random.default_rng(7)
    cases = {}
    for i in range(40):
        right = generator.integers(0, 6)
        said = {r: WORDS[right if generator.random() < 0.6 else generator.integers(0, 6)] for r in "AXYZ"}
        cases[f"c{i:02}"] = {r: [word if generator.random() < 0.9 else "none"] for r, word in said.items()}
    return read_lists(to_frame(cases, {"A": "algorithm"}), reading=dxmatch.Reading(no_diagnosis=["none"]))


def of_firsts(answers, matcher):
    return matched(answers, matcher, families=["agreement"])


def scored(answers, matcher, repeats=0, **settings):
    return Scored(agreement, of_firsts(answers, matcher), repeats=repeats, **settings)


def test_values_are_those_of_the_metrics(answers, set_matcher):
    found = scored(answers, set_matcher((WORDS[0], WORDS[1]), (WORDS[2], WORDS[3])), 200)
    assert len(found.rows) == 9 and {row["algorithm"] for row in found.rows} == {"A"}
    said, category = answers.top(1)[:, :, 0], np.array([0, 0, 2, 2, 4, 5, -1])
    m, joined = dxmatch.metrics, category[said]
    for of, raters in (("experts", [1, 2, 3]), ("with the algorithm", [0, 1, 2, 3])):
        kappas = [m.cohen_kappa(joined[:, i], joined[:, j]) for i, j in combinations(raters, 2)]
        for name, expected in (
            ("kappa", np.mean(kappas)),
            ("kappa_F", m.fleiss_kappa(joined[:, raters])),
            ("alpha", m.krippendorff_alpha(joined[:, raters])),
        ):
            row = found.row("A", f"{name}({of})")
            assert row["value"] == pytest.approx(expected) and row["n_pairs"] == len(kappas)
    for metric in ("kappa", "kappa_F", "alpha"):
        among, together, change = (
            found.row("A", f"{metric}({of})") for of in ("experts", "with the algorithm", "change")
        )
        assert change["value"] == pytest.approx(together["value"] - among["value"])
        assert change["low"] <= change["value"] <= change["high"] and among["low"] < among["value"] < among["high"]
    assert found.words[0].startswith("Counted as one more expert, A ") and "among the 3 experts" in found.words[0]
    assert not found.told


def test_resamples_are_the_cases_taken_so_often(answers, set_matcher):
    matcher = set_matcher((WORDS[0], WORDS[1]))
    groups = [np.array([1, 2, 3]), np.arange(4)]
    found = of_firsts(answers, matcher)
    weights = np.bincount(np.random.default_rng(0).integers(0, 40, 40), minlength=40)
    again = np.repeat(np.arange(40), weights)
    taken = replace(
        answers, cases=[f"{at:03}" for at in range(40)], offsets=answers.offsets[again], lengths=answers.lengths[again],
        absent=answers.absent[again],
    )  # fmt: skip
    again = of_firsts(taken, matcher)
    plain = agreement.group_agreement(again.first, agreement.categories_of(again.first), groups)(np.ones((1, 40)))
    resampled = agreement.group_agreement(found.first, agreement.categories_of(found.first), groups)(
        weights[None].astype(float)
    )
    assert resampled.ravel().tolist() == pytest.approx(plain.ravel().tolist(), abs=1e-12)


def test_what_is_left_out_and_why(answers, set_matcher, to_frame):
    frame = to_frame({c: {r: ["none"] for r in "AXY"} for c in ("one", "two")}, {"A": "algorithm"})
    silent = scored(read_lists(frame, reading=dxmatch.Reading(no_diagnosis=["none"])), set_matcher(), 20)
    assert silent.value("A", "alpha(experts)") is None
    assert "hardly any gives one" in silent.row("A", "alpha(experts)")["reason"]


def test_who_is_judged_by_whom(panel, to_frame, hand_matcher, answers, set_matcher):
    in_turn = scored(read_lists(to_frame(panel)), hand_matcher)
    assert list(dict.fromkeys(row["algorithm"] for row in in_turn.rows)) == list("AXYZ")
    together = [row["value"] for row in in_turn.rows if row["name"] == "alpha(with the algorithm)"]
    assert len(set(together)) == 1 and not in_turn.words
    assert {row["of"] for row in in_turn.rows} == {"other models", "with the algorithm", "change"}
    models = scored(replace(answers, roles=None), set_matcher(), 100)
    assert models.words[0].startswith("Counted as one more model, ") and "3 other models" in models.words[0]
    chosen = Settings(k=ks_of(None))
    one = read_lists(to_frame(panel), algorithms=["A", "X", "Y"])
    two = read_lists(to_frame({case: dict([*lists.items()][:2]) for case, lists in panel.items()}))
    lacking = [agreement.lacking(of_firsts(lists, set_matcher()), chosen) for lists in (one, two)]
    assert lacking == ["a second expert", "a third model"]
