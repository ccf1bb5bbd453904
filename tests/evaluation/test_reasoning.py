"""DiReCT's metrics on three invented notes, each fraction by hand; the correspondence against all that are possible."""

from __future__ import annotations

import json
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.reasoning.correspondence import correspond
from dxmatch.evaluation.reasoning.evaluate import reasoning

GRAPHS = {
    "Gout": {
        "diagnostic": {"Suspected Gout": {"Gout": {"Acute Gout": [], "Chronic Gout": []}}},
        "knowledge": {"Suspected Gout": {"Signs": "a red toe"}, "Gout": "uric acid"},
    },
    "Asthma": {
        "diagnostic": {"Suspected Asthma": {"Mild Asthma": [], "Severe Asthma": []}},
        "knowledge": {"Suspected Asthma": "a wheeze"},
    },
}
SECTIONS = {f"input{n}": "None\n" for n in range(1, 7)}
NOTES: dict[str, Any] = {
    "Gout/toe.json": {
        "Acute Gout$Intermedia_4": {
            "crystals prove gout$Cause_1": {"crystals in the joint fluid$Input6": {}},
            "Gout$Intermedia_3": {
                "uric acid is high in gout$Cause_1": {"uric acid 9.1$Input6": {}},
                "Suspected  gout$Intermedia_2": {
                    "the big toe is typical$Cause_1": {"red big toe$Input5": {}},
                    "the big toe is typical #$Cause_1": {"takes a diuretic$Input3": {}},
                },
            },
        },
        **SECTIONS,
    },
    "Asthma/night.json": {
        **SECTIONS,
        "Severe Asthma$Intermedia_3": {
            "needs the hospital$Cause_1": {"third stay this year$Input2": {}},
            "Suspected Asthma$Intermedia_2": {"a wheeze is typical$Cause_1": {"wheeze$Input5": {}}},
        },
    },
    "Asthma/day.json": {
        **SECTIONS,
        "Mild Asthma$Intermedia_3": {"Suspected Asthma$Intermedia_2": {"why$Cause_1": {"cough$Input1": {}}}},
    },
}
PREDICTIONS: dict[str, Any] = {
    "Gout/toe.json": {
        "joint fluid with crystals": ["crystals are the proof", "input6", "acute gout"],  # explained
        "uric acid of 9.1": ["uric acid is high in gout", "input6", "Suspected Gout"],  # another diagnosis
        "swollen toe": ["it hurts", "input5", "Suspected Gout"],  # another rationale
        "fever": ["x", "input2", "Gout"],
        "--": [None, None, None],  # says nothing, and was predicted all the same
        "chain": ["Gout", "Suspected Gout", "Gout", "Acute Gout"],
    },
    "Asthma/night.json": {
        "Wheeze": ["a wheeze is typical", "Input5", "suspected asthma"],
        "chain": ["Asthma", "Suspected Asthma", "Mild Asthma"],
    },
}
SAME = [
    ("crystals in the joint fluid", "joint fluid with crystals"), ("crystals prove gout", "crystals are the proof"),
    ("uric acid 9.1", "uric acid of 9.1"), ("red big toe", "swollen toe"), ("Wheeze", "wheeze"),
]  # fmt: skip


def written(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        file = folder / (name if name.endswith(".json") else f"{name}.json")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(value), "utf-8")
    return folder


@pytest.fixture
def evaluated(tmp_path, set_matcher):
    def run(notes=NOTES, predictions=PREDICTIONS, graphs=GRAPHS, **options):
        m = options.pop("m", None) or set_matcher(*SAME)
        folders = (("g", graphs), ("n", notes), ("p", predictions))
        return reasoning(*(written(tmp_path / name, files) for name, files in folders), m, **options)

    return run


def values(found, category="all"):
    return {row["metric"]: row["value"] for row in found.rows if row["group"] == category and row["metric"] != "Prem"}


def test_by_hand(evaluated):
    found = evaluated(bootstrap=100)
    notes = {row["note"]: row for row in found.per_note.to_pylist()}
    # toe: O 4, O^ 5, 3 correspond, 1 of them explained; night: O 2, O^ 1, 1, 1; day: O 1, nothing predicted
    counts = {name: [row[c] for c in ("annotated", "predicted", "paired", "explained")] for name, row in notes.items()}
    assert counts == {"Gout/toe.json": [4, 5, 3, 1], "Asthma/night.json": [2, 1, 1, 1], "Asthma/day.json": [1, 0, 0, 0]}
    toe = notes["Gout/toe.json"]
    assert [toe[m] for m in ("Obs_pre", "Obs_rec", "Obs_comp", "Exp_com", "Exp_all")] == pytest.approx(
        [3 / 5, 3 / 4, 3 / 6, 1 / 3, 1 / 6]
    )
    assert (toe["category"], toe["diagnosis"], toe["predicted_diagnosis"]) == ("Gout", "Acute Gout", "Acute Gout")
    assert values(found) == pytest.approx({
        "Acc_cat": 2 / 3, "Acc_diag": 1 / 3,
        "Obs_pre": (3 / 5 + 1 + 0) / 3, "Obs_rec": (3 / 4 + 1 / 2 + 0) / 3, "Obs_comp": (3 / 6 + 1 / 2 + 0) / 3,
        "Exp_com": (1 / 3 + 1 + 0) / 3, "Exp_all": (1 / 6 + 1 / 2 + 0) / 3,
    })  # fmt: skip
    assert values(found, "Asthma") == pytest.approx({
        "Acc_cat": 1 / 2, "Acc_diag": 0, "Obs_pre": 1 / 2, "Obs_rec": 1 / 4, "Obs_comp": 1 / 4, "Exp_com": 1 / 2, "Exp_all": 1 / 4,
    })  # fmt: skip
    rows = {(row["metric"], row["group"]): row for row in found.table.to_pylist()}
    assert rows["Obs_pre", "all"]["n_notes"] == rows["Obs_rec", "all"]["n_notes"] == 3
    # the deviation of the population, as the source prints it
    assert rows["Obs_rec", "all"]["sd"] == pytest.approx(np.std([3 / 4, 1 / 2, 0]))
    assert rows["Obs_rec", "all"]["low"] <= 5 / 12 <= rows["Obs_rec", "all"]["high"]
    assert rows["Acc_cat", "Gout"]["reason"] == "no interval: one case cannot be resampled"
    assert found.warnings[1] == "p: 1 of 3 notes have no prediction: they count as 0 in every metric."


def test_the_metrics_are_those_of_the_table(evaluated):
    found = evaluated(bootstrap=0)
    names = {name: found.per_note.column(name).to_pylist() for name in found.per_note.column_names}
    c = {name: np.array(names[name]) for name in ("annotated", "predicted", "paired", "explained", "premised")}
    m = dxmatch.metrics
    assert values(found) == pytest.approx({
        "Acc_cat": m.category_accuracy(names["category"], names["predicted_category"]),
        "Acc_diag": m.diagnosis_accuracy(names["diagnosis"], names["predicted_diagnosis"]),
        "Obs_pre": m.observation_precision(c["paired"], c["predicted"]),
        "Obs_rec": m.observation_recall(c["paired"], c["annotated"]),
        "Obs_comp": m.observation_completeness(c["paired"], c["annotated"], c["predicted"]),
        "Exp_com": m.explanation_of_common(c["explained"], c["paired"]),
        "Exp_all": m.explanation_of_all(c["explained"], c["paired"], c["annotated"], c["predicted"]),
    })  # fmt: skip


def test_nothing_predicted_at_all(evaluated):
    found = evaluated(predictions={"Gout/toe.json": {}}, bootstrap=0)
    assert values(found) == {
        "Acc_cat": 0, "Acc_diag": 0, "Obs_pre": 0, "Obs_rec": 0, "Obs_comp": 0, "Exp_com": 0, "Exp_all": 0,
    }  # fmt: skip
    found = evaluated(predictions={"Gout/toe.json": {}}, bootstrap=0, missing="own")
    assert values(found) == {
        "Acc_cat": 0, "Acc_diag": 0, "Obs_pre": None, "Obs_rec": 0, "Obs_comp": 0, "Exp_com": None, "Exp_all": 0,
    }  # fmt: skip
    (row,) = [row for row in found.rows if row["metric"] == "Obs_pre" and row["group"] == "all"]
    assert row["reason"] == "no note has anything to divide by, or a prediction" and row["n_notes"] == 0
    assert dxmatch.metrics.observation_precision([0, 0], [0, 0]) == 0
    assert np.isnan(dxmatch.metrics.observation_precision([0, 0], [0, 0], nothing=None))


def test_silence_gains_nothing(evaluated):
    """Three perfect predictions of four notes: 0.75 in every metric, 1 of those that there are, or refused."""
    tree = {"Suspected Gout$Intermedia_2": {"why$Cause_1": {"toe$Input5": {}}}}
    notes = {f"{i}.json": tree for i in range(4)}
    perfect = {"toe": ["why", "input5", "Suspected Gout"], "chain": ["Gout", "Suspected Gout"]}
    said = {f"{i}.json": perfect for i in range(3)}
    assert set(values(evaluated(notes, said, bootstrap=0)).values()) == {0.75}
    own = values(evaluated(notes, said, bootstrap=0, missing="own"))
    assert set(own.values()) == {1}
    with pytest.raises(InputError, match=r"no prediction for 1 of 4 notes.*'3\.json'"):
        evaluated(notes, said, missing="refuse")
    with pytest.raises(OptionError, match="zero, own, refuse"):
        evaluated(notes, said, missing="none")


def only(*diagnoses):
    """Observations with these diagnoses, and no chain."""
    return {f"sign {i}": ["why", "input1", name] for i, name in enumerate(diagnoses)}


@pytest.mark.parametrize(
    ("said", "category", "diagnosis", "in_graph"),
    [
        (["Gout", "Suspected Gout", "Gout", "Acute Gout"], "Gout", "Acute Gout", True),
        (["GOUT", "suspected gout", "gout"], "Gout", "gout", True),
        (["Suspected Gout", "Gout"], "Gout", "Gout", True),  # the category is not said, and known by the first step
        (["Gout", "Suspected Gout", "Acute Gout"], "Gout", "Acute Gout", False),  # a step is left out
        (["Gout", "Suspected Gout", "Acute Gout", "Gout"], "Gout", "Gout", False),  # in the wrong order
        (["Gout", "Suspected Asthma", "Mild Asthma"], "Gout", "Mild Asthma", False),  # the path of another category
        (["Gout", "Gout", "Acute Gout"], "Gout", "Acute Gout", False),  # does not begin at the root
        (["Gout", "Suspected Gout", "Pseudogout"], "Gout", "Pseudogout", False),
        (["Pseudogout"], None, "Pseudogout", False),
        (["Gout"], "Gout", None, None),
        ([], None, None, None),
        (only("Gout", "Suspected gout"), "Gout", "Gout", True),
        (only("acute gout", None), "Gout", "Acute Gout", True),
        (only("Acute Gout", "Chronic Gout"), "Gout", None, False),  # two branches
        (only("Gout", "Mild Asthma"), None, None, False),  # two categories
        (only("Pseudogout"), None, None, False),
        (only(None), None, None, None),
    ],
)
def test_the_path_that_was_predicted(evaluated, said, category, diagnosis, in_graph):
    said = {"chain": said} if isinstance(said, list) else said
    found = evaluated(predictions={"Gout/toe.json": said}, bootstrap=0)
    (row,) = [row for row in found.per_note.to_pylist() if row["note"] == "Gout/toe.json"]
    assert (row["predicted_category"], row["predicted_diagnosis"]) == (category, diagnosis)
    assert row["path_in_graph"] is in_graph
    told = "p: 1 of 1 predicted paths are no path of a graph; the first is of Gout/toe.json: "
    assert any(note.startswith(told) for note in found.notes) == (in_graph is False)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["Gout", "Suspected Gout", "Acut gout"], "Gout → Suspected Gout → Acut gout (no graph has 'Acut gout'; did you mean 'Acute Gout'?)."),
        (["Gout", "Gout", "Suspected Gout"], "Gout → Gout → Suspected Gout (it reads in reverse)."),
        (["Gout", "Suspected Gout", "Acute Gout"], "Acute Gout (its diagnoses do not follow one another in a graph)."),
        (only("Xyz"), ": Xyz (no graph has 'Xyz')."),
    ],
)  # fmt: skip
def test_the_first_path_that_is_none(evaluated, said, told):
    said = {"chain": said} if isinstance(said, list) else said
    (note,) = [one for one in evaluated(predictions={"Gout/toe.json": said}, bootstrap=0).notes if "no path" in one]
    assert note.endswith(told)


def test_one_prediction_stands_for_one_observation(evaluated):
    """Two annotated observations that one predicted text matches: one of them is found."""
    notes = {"n.json": {"Suspected Gout$Intermedia_2": {"why$Cause_1": {"toe$Input5": {}, "red toe$Input2": {}}}}}
    found = evaluated(notes, {"n.json": {"toe": ["why", "input5", "Suspected Gout"]}}, bootstrap=0)
    assert found.per_note.column("paired").to_pylist() == [1] and values(found)["Exp_com"] == 1


def test_each_pair_of_texts_is_asked_once(evaluated, set_matcher):
    m = set_matcher(*SAME)
    twice = dict.fromkeys(["a.json", "b.json"], NOTES["Gout/toe.json"])
    said = dict.fromkeys(twice, PREDICTIONS["Gout/toe.json"])
    evaluated(twice, said, m=m, bootstrap=0, premises=False)
    assert len(m.asked) == len(set(m.asked)) == 4 * 4 + 3
    assert not any("--" in pair for pair in m.asked)


def test_what_has_no_graph_or_no_note(evaluated):
    notes = {**NOTES, "x.json": {"Acute Gout$Intermedia_3": {"Suspected Gout$Intermedia_2": {}}}}
    assert "1 annotated paths are no path of a graph, such as that of x.json." in evaluated(notes, bootstrap=0).warnings
    with pytest.raises(InputError, match=r"x\.json at Mumps: .*begins in no graph.*Suspected Asthma, Suspected Gout"):
        evaluated({"x.json": {"Mumps$Intermedia_2": {}}}, {"x.json": {}})
    reverse = {"Suspected Gout$Intermedia_2": {"Gout$Intermedia_3": {}}}
    with pytest.raises(
        InputError, match=r"x\.json at .*reads in reverse.*outermost \(Gout\).*Suspected Gout around Gout"
    ):
        evaluated({"x.json": reverse}, {"x.json": {}})
    with pytest.raises(InputError, match=r"no note for 1 of \d predictions.*Got: 'Gout/toes\.json'"):
        evaluated(predictions={"Gout/toes.json": {}})


# The metrics alone


def test_counts_are_checked():
    metrics = dxmatch.metrics
    assert metrics.observation_completeness([2, 0], [3, 0], [4, 0]) == pytest.approx(1 / 5)  # the second counts as 0
    assert metrics.observation_completeness([2, 0], [3, 0], [4, 0], nothing=None) == pytest.approx(2 / 5)
    for paired, annotated in (([1], [0]), ([-1], [1]), ([0.5], [1]), ([], []), ([1], [1, 1])):
        with pytest.raises(OptionError):
            metrics.observation_recall(paired, annotated)
    with pytest.raises(OptionError, match="'explained' parameter must be nowhere more than paired"):
        metrics.explanation_of_common([2], [1])
    with pytest.raises(OptionError, match="'predicted' parameter must be a list as long as annotated"):
        metrics.category_accuracy(["a"], [])
    assert metrics.diagnosis_accuracy(["Acute  Gout", "Gout", "Gout"], ["acute gout", None, "Pseudogout"]) == 1 / 3


# The correspondence


@pytest.mark.parametrize(
    ("table", "least", "found"),
    [
        # greedy takes 0.9 and leaves nothing for the second row: 0.9 < 0.8 + 0.8
        ([[0.9, 0.8], [0.8, 0.1]], 0.5, [(0, 1), (1, 0)]),
        ([[0.9, 0.8], [0.8, 0.1]], 0.85, [(0, 0)]),
        # of one weight, the one of more pairs: 1 = 0.5 + 0.5
        ([[1.0, 0.5], [0.5, 0.0]], 0.5, [(0, 1), (1, 0)]),
        (np.zeros((0, 3)), 0.5, []),
        (np.zeros((3, 0)), 0.5, []),
    ],
)
def test_the_greatest_weight_is_not_the_greedy_one(table, least, found):
    assert correspond(np.array(table), least) == found


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
    if rows > columns:
        allowed = allowed.T
    best = max(
        sum(allowed[i, j] for i, j in enumerate(one))
        for one in permutations(range(max(rows, columns)), min(rows, columns))
    )
    assert sum(table[place] for place in found) == pytest.approx(best)
