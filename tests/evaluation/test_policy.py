"""Policies that look one way, and the relation model of M in the place of a language model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import ModelError, OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.judges.by_matcher import with_relations_by_matcher
from dxmatch.evaluation.matches.policy import POLICIES, between_peers
from dxmatch.evaluation.matches.reference_matches import match_references
from dxmatch.evaluation.metrics import REGISTRY
from dxmatch.evaluation.reasoning.correspondence import OBSERVATION, Similarity, correspond

from .made import By, lists_of

KIND_OF = {("crohn", "ibd"), ("colitis", "ibd"), ("type 2", "diabetes")}
"""(a, b): a is a kind of b."""


class Relating:
    """An M by a table of kinds, under a policy, that notes the pairs it was asked in their order."""

    threshold = 0.5
    identity = "relating"

    def __init__(self, policy: str = "specification") -> None:
        self.policy = policy
        self.asked: list[tuple[str, str]] = []

    def kind(self, a: str, b: str) -> str:
        if a == b:
            return "same"
        if (a, b) in KIND_OF:
            return "narrower"
        return "broader" if (b, a) in KIND_OF else "unrelated"

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> np.ndarray:
        self.asked += zip(a, b, strict=True)
        # a is the reference, b the answer: where b is narrower, a is broader
        counts = {
            "specification": {"same", "narrower", "broader"},
            "strict": {"same"},
            "narrower-counts": {"same", "broader"},
            "broader-counts": {"same", "narrower"},
        }[self.policy]
        return np.array([float(self.kind(x, y) in counts) for x, y in zip(a, b, strict=True)])

    def relations(self, a: Sequence[str], b: Sequence[str], /) -> SimpleNamespace:
        of = {"same": 1, "narrower": 2, "broader": 2, "unrelated": 5}
        kinds = [self.kind(x, y) for x, y in zip(a, b, strict=True)]
        distances = [0 if "?" in x + y else of[kind] for x, y, kind in zip(a, b, kinds, strict=True)]
        return SimpleNamespace(kinds=kinds, semantic_distance=np.array(distances, np.int8))


LISTS = {
    "one": {"A": ["crohn", "gout"], "X": ["ibd"], "Y": ["crohn"], "truth": ["ibd"]},
    "two": {"A": ["ibd", "diabetes"], "X": ["crohn"], "Y": ["gout"], "truth": ["crohn", "type 2"]},
    "three": {"A": ["type 2"], "X": ["diabetes"], "Y": ["type 2"], "truth": ["diabetes"]},
}


@pytest.mark.parametrize(
    ("policy", "one", "two"),
    [
        ("specification", True, [True, True]),
        ("strict", False, [False, False]),
        ("narrower-counts", True, [False, False]),
        ("broader-counts", False, [True, True]),
    ],
)
def test_the_answer_is_held_against_the_reference(policy: str, one: bool, two: list[bool]) -> None:
    lists, m = lists_of(LISTS), Relating(policy)
    found = match_references(lists, m, 2)
    a = lists.raters.index("A")
    case = {name: i for i, name in enumerate(lists.cases)}
    assert found.hits[case["one"], a, 0, 0] == one
    # "ibd" for "crohn", "diabetes" for "type 2"
    assert [found.hits[case["two"], a, 0, 0], found.hits[case["two"], a, 1, 1]] == two
    if policy in ("narrower-counts", "broader-counts"):
        references = {"ibd", "crohn", "type 2", "diabetes"}
        assert {reference for reference, _ in m.asked} <= references
        assert ("ibd", "crohn") in m.asked and ("crohn", "ibd") in m.asked
    assert len(m.asked) == len(set(m.asked))


def test_no_case_with_a_reference_under_a_policy_that_looks_one_way() -> None:
    found = match_references(lists_of({"one": {"A": ["gout"]}}), Relating("narrower-counts"), 2)
    assert found.hits.shape == (1, 1, 2, 0)


def test_between_raters_either_direction_counts() -> None:
    """So the metrics of the panel are those of the symmetric policy, and the recall is not."""
    rows = {}
    for policy in ("specification", "narrower-counts", "broader-counts"):
        report = evaluate(
            lists_of(LISTS), Relating(policy), k=2, metrics=["relative", "agreement", "recall"], bootstrap=0
        )
        rows[policy] = {(row["algorithm"], row["name"]): row["value"] for row in report.rows}
    recall = ("A", "R_disease@2")
    assert recall in rows["specification"]
    for policy in ("narrower-counts", "broader-counts"):
        differ = {key for key, value in rows[policy].items() if value != rows["specification"][key]}
        assert recall in differ
        assert all(name.startswith("R_") for _, name in differ)


def test_peers_of_a_symmetric_m_are_asked_as_it_is() -> None:
    m = By()
    assert between_peers(m) is m
    assert between_peers(Relating("strict")).__class__ is Relating
    both = between_peers(Relating("broader-counts"))
    assert both.probabilities(["ibd", "crohn", "gout"], ["crohn", "ibd", "ibd"]) == pytest.approx([1, 1, 0])


def test_observations_are_asked_annotated_first() -> None:
    m = Relating("narrower-counts")
    similar = Similarity(m)
    similar.learn(OBSERVATION, [("ibd", "crohn"), ("crohn", "ibd")])
    assert (similar(OBSERVATION, "ibd", "crohn"), similar(OBSERVATION, "crohn", "ibd")) == (1.0, 0.0)
    assert correspond(np.array([[similar(OBSERVATION, "ibd", "crohn")]]), m.threshold) == [(0, 0)]


def test_the_report_names_the_policy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    report = evaluate(lists_of(LISTS), Relating("narrower-counts"), k=2, bootstrap=0)
    assert report.made_with["policy"] == "narrower-counts"
    assert report.to_dict()["match"] == "Match function relating, policy narrower-counts."
    report.print()
    assert "policy narrower-counts" in " ".join(capsys.readouterr().out.split())
    text = report.save(tmp_path / "r.html").read_text("utf-8")
    assert "policy narrower-counts" in text.split("<h1")[0] + text.split("</h1>")[0]
    assert "narrower-counts: an answer matches that names" in text and "either direction counts" in text
    plain = evaluate(lists_of(LISTS), By(), k=2, bootstrap=0)
    assert plain.made_with["policy"] is None and plain.to_dict()["match"] == "Match function By."


def test_the_policy_goes_to_load(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[object] = []

    def load(path: object, **options: object) -> Relating:
        given.append(options.get("policy"))
        return Relating(str(options.get("policy") or "specification"))

    monkeypatch.setattr("dxmatch.matcher.match_function.load", load)
    assert evaluate(lists_of(LISTS), policy="strict", k=2, bootstrap=0).made_with["policy"] == "strict"
    evaluate(lists_of(LISTS), k=2, bootstrap=0)
    assert given == ["strict", None]
    with pytest.raises(OptionError, match=rf"one of {', '.join(POLICIES)} \(did you mean 'strict'\?\)"):
        evaluate(lists_of(LISTS), policy="stric")
    with pytest.raises(OptionError, match=r"given to dxmatch\.load"):
        evaluate(lists_of(LISTS), Relating(), policy="strict")


def test_relations_are_those_of_m() -> None:
    filled = with_relations_by_matcher(lists_of(LISTS), Relating())
    codes, words = filled.cells("relation")
    said = {
        (filled.strings[entry], words[code]) for entry, code in zip(filled.entries, codes, strict=True) if entry >= 0
    }
    assert {("crohn", "broad synonym"), ("ibd", "exact synonym"), ("gout", "not related")} <= said
    report = dxmatch.evaluate(lists_of(LISTS), Relating(), relation="model", metrics="weighted", k=2, bootstrap=0)
    # of case one A is (5 - 2)², then nothing: 9 / 1.8; of two, near both references: 9; of three 9
    assert report.row(REGISTRY["semantic_score"].symbol, algorithm="A")["value"] == pytest.approx((9 / 1.8 + 9 + 9) / 3)
    assert any("the match function tells" in note for note in report.notes)


def test_a_given_relation_stays_and_what_m_cannot_say_is_blank() -> None:
    lists = lists_of(
        {"one": {"A": ["crohn", "??x"], "truth": ["ibd"]}}, relation=["exact disease group", None, None]
    )  # fmt: skip
    filled = with_relations_by_matcher(lists, Relating())
    codes, words = filled.cells("relation")
    assert sorted(words[code] if code >= 0 else "" for code in codes) == ["", "exact disease group"]


def test_m_without_a_relation_model_is_refused() -> None:
    with pytest.raises(OptionError, match="an M that has a relation model"):
        evaluate(lists_of(LISTS), By(), relation="model")

    class Wrong(Relating):
        def relations(self, a: Sequence[str], b: Sequence[str], /) -> SimpleNamespace:
            return SimpleNamespace(semantic_distance=np.ones(1))

    with pytest.raises(ModelError, match=r"gave \(1,\) relations"):
        evaluate(lists_of(LISTS), Wrong(), relation="model")
