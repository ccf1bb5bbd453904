"""DiReCT's metrics on three invented notes, each fraction by hand; the correspondence against all that are possible."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.evaluation.reasoning.correspondence import correspond

from ..made import By, rows_in
from .made import FILES, compared, matcher, told, values


def test_by_hand(tmp_path):
    """toe: O 4, O^ 5, 3 correspond, 1 of them explained; night: O 2, O^ 1, 1, 1; day: O 1, nothing predicted."""
    report = compared(tmp_path, resampling={"resamples": 100})
    notes = {row["note"]: row for row in report.rows_of("reasoning.notes")}
    counts = {name: [row[c] for c in ("annotated", "predicted", "paired", "explained")] for name, row in notes.items()}
    assert counts == {"Gout/toe.json": [4, 5, 3, 1], "Asthma/night.json": [2, 1, 1, 1], "Asthma/day.json": [1, 0, 0, 0]}
    assert values(report) == pytest.approx({
        "Acc_cat": 2 / 3, "Acc_diag": 1 / 3,
        "Obs_pre": (3 / 5 + 1 + 0) / 3, "Obs_rec": (3 / 4 + 1 / 2 + 0) / 3, "Obs_comp": (3 / 6 + 1 / 2 + 0) / 3,
        "Exp_com": (1 / 3 + 1 + 0) / 3, "Exp_all": (1 / 6 + 1 / 2 + 0) / 3,
    })  # fmt: skip
    row = report.row("Obs_rec")
    # the deviation of the population, as the source prints it
    assert (row["n_cases"], row["sd"]) == (3, pytest.approx(np.std([3 / 4, 1 / 2, 0])))
    assert row["low"] <= 5 / 12 <= row["high"]
    assert "No prediction for 1 of 3 notes in run: they count as 0 in every metric." in told(report)


def test_where_there_is_nothing_to_divide_by(tmp_path):
    """An empty prediction: 0 of 0 is 0, or no figure."""
    changes = {"run/Gout/toe.json": {"chain": []}, "run/Asthma/night.json": None}
    assert {*values(compared(tmp_path, changes)).values()} == {0}
    own = values(compared(tmp_path, changes, missing="own"))
    assert (own["Obs_pre"], own["Obs_rec"], own["Exp_com"]) == (None, 0, None)


def test_each_pair_of_texts_is_asked_once(tmp_path):
    m = matcher()
    compared(
        tmp_path, {"run/Asthma/night.json": None, "notes/Asthma/night.json": FILES["notes/Asthma/day.json"]}, matcher=m
    )
    assert len(m.asked) == len(set(m.asked)) and not any("--" in pair for pair in m.asked)


def test_m_that_looks_one_way_sees_the_annotated_text_first(tmp_path):
    m = By(lambda a, b: (a, b) in {("red big toe", "swollen <b>toe</b>"), ("uric acid of 9.1", "uric acid 9.1")})
    m.policy = "narrower-counts"  # type: ignore[attr-defined]
    rows = {row["note"]: row["paired"] for row in compared(tmp_path, matcher=m).rows_of("reasoning.notes")}
    assert rows["Gout/toe.json"] == 1


# The correspondence


@pytest.mark.parametrize(
    "row", rows_in("reasoning/correspondences"), ids=lambda row: f"{row['table']} {row['pairing']}"
)
def test_which_observations_correspond(row):
    """correspondences.csv: greedy takes the first that is alike, not the likest; of one weight, more pairs are better."""
    found = correspond(np.array(json.loads(row["table"])), float(row["least"]), row["pairing"])
    assert found == [tuple(pair) for pair in json.loads(row["found"])]


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1))
def test_no_correspondence_weighs_more(seed):
    generator = np.random.default_rng(seed)
    rows, columns = generator.integers(1, 5, 2).tolist()
    table = generator.random((rows, columns))
    found = correspond(table, 0.5)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)
    assert all(table[place] >= 0.5 for place in found)
    allowed = np.where(table >= 0.5, table, 0)
    allowed = allowed.T if rows > columns else allowed
    orders = permutations(range(max(rows, columns)), min(rows, columns))
    assert sum(table[place] for place in found) == pytest.approx(
        max(sum(allowed[i, j] for i, j in enumerate(one)) for one in orders)
    )
