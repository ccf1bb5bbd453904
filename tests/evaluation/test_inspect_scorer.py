"""M as a scorer inside an Inspect evaluation, with Inspect's mock model."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.errors import MissingExtra, ModelError, OptionError

MODULE = "dxmatch.evaluation.inspect_scorer"


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    for name in ("inspect_ai", "inspect_ai.scorer", "inspect_ai.solver"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"The scorer for Inspect needs .*'dxmatch\[inspect\]'"):
        importlib.import_module(MODULE)


@pytest.fixture
def inspect_ai(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    module = pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    return module


@pytest.fixture
def evaluated(inspect_ai: Any) -> Callable[..., Any]:
    """(samples as {answer: target}, scorer) -> the log; the mock model gives each sample its answer."""
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    def run(samples: dict[str, Any], *, metadata: Sequence[dict[str, str]] = (), **task: Any) -> Any:
        answers = list(samples)

        def reply(messages: Any, *_: Any) -> Any:
            output = ModelOutput.from_content("mockllm/model", answers[int(messages[-1].text)])
            # Without it, Inspect counts the tokens, with a vocabulary that it downloads.
            output.usage = ModelUsage()
            return output

        dataset = [
            Sample(id=f"case_{i}", input=str(i), target=target, metadata=metadata[i] if metadata else None)
            for i, target in enumerate(samples.values())
        ]
        made = inspect_ai.Task(dataset, solver=generate(), **task)
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        (log,) = inspect_ai.eval(made, model=model, display="none")
        return log

    return run


def dxmatch_scorer(*arguments: Any, **options: Any) -> Any:
    return importlib.import_module(MODULE).dxmatch_scorer(*arguments, **options)


def dxmatch_metrics(by: str | None = None) -> Any:
    return importlib.import_module(MODULE).dxmatch_metrics(by)


def figures(log: Any) -> dict[str, dict[str, float]]:
    assert log.status == "success", log.error
    return {score.name: {name: m.value for name, m in score.metrics.items()} for score in log.results.scores}


SIX: dict[str, Any] = {
    "1. heart attack\n2. angina": "myocardial infarction",  # first
    "- angina\n- heart attack": ["asthma", "myocardial infarction"],  # second, by the second reference
    '["angina", "copd", "heart attack"]': "myocardial infarction",  # third, past k = 2
    "asthma": "copd",  # wrong
    "": "asthma",  # nothing said: wrong, no probability
    "It is hard to say what ails this patient, so let us go through the findings one by one, slowly and with care, "
    "before we come to any end": "asthma",  # unscored
}


def test_a_small_task_by_hand(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    log = evaluated(SIX, scorer=dxmatch_scorer(hand_matcher, k=2))
    # 5 scored. top1: 1 of 5. topk: 2 of 5. probability: (1 + 1 + 0 + 0) / 4.
    # Standard errors: sqrt(s^2 / n) with s^2 = p (1 - p) n / (n - 1).
    assert figures(log) == {
        "top1": {"accuracy": pytest.approx(1 / 5), "stderr": pytest.approx((0.2 * 0.8 / 4) ** 0.5)},
        "topk": {"accuracy": pytest.approx(2 / 5), "stderr": pytest.approx((0.4 * 0.6 / 4) ** 0.5)},
        "probability": {"mean": pytest.approx(1 / 2), "stderr": pytest.approx((0.5 * 0.5 / 3) ** 0.5)},
    }
    assert [(s.name, s.scored_samples, s.unscored_samples) for s in log.results.scores] == [
        ("top1", 5, 1),
        ("topk", 5, 1),
        ("probability", 4, 2),
    ]
    scores = {sample.id: sample.scores["dxmatch_scorer"] for sample in log.samples}
    assert scores["case_0"].value == {"top1": 1, "topk": 1, "probability": 1.0}
    assert scores["case_0"].answer == "heart attack; angina"
    assert scores["case_1"].value == {"top1": 0, "topk": 1, "probability": 1.0}
    assert scores["case_1"].explanation.splitlines() == [
        "1. angina: no match with asthma (probability 0.000)",
        "2. heart attack: match with myocardial infarction (probability 1.000)",
        "A pair matches from 0.500 up.",
    ]
    assert scores["case_1"].metadata == {
        "diagnoses": ["angina", "heart attack"],
        "probabilities": [0.0, 1.0],
        "nearest_references": ["asthma", "myocardial infarction"],
        "matcher": "by-hand",
        "threshold": 0.5,
    }
    assert scores["case_2"].value == {"top1": 0, "topk": 0, "probability": 0.0}
    assert scores["case_4"].value["topk"] == 0
    assert np.isnan(scores["case_4"].value["probability"])
    assert scores["case_4"].reason == "no_response"
    assert np.isnan(scores["case_5"].value)
    assert scores["case_5"].reason == "invalid_response_format"


def test_the_log_on_disk_is_the_log(inspect_ai: Any, evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    log = evaluated(SIX, scorer=dxmatch_scorer(hand_matcher, k=2))
    again = importlib.import_module("inspect_ai.log").read_eval_log(log.location)
    np.testing.assert_equal(figures(again), figures(log))
    assert [s.scores["dxmatch_scorer"].explanation for s in again.samples] == [
        s.scores["dxmatch_scorer"].explanation for s in log.samples
    ]


def test_an_old_log_is_scored_again_without_the_model(
    inspect_ai: Any, evaluated: Callable[..., Any], hand_matcher: Any
) -> None:
    from inspect_ai.scorer import match

    log = evaluated({"heart attack": "myocardial infarction"}, scorer=match())
    assert figures(log)["match"]["accuracy"] == 0
    again = inspect_ai.score(log, dxmatch_scorer(hand_matcher), display="none", action="append")
    assert figures(again)["top1"]["accuracy"] == 1


def test_figures_by_group(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    samples = {"heart attack": "myocardial infarction", "angina": "heart attack", "asthma": "asthma"}
    fields = [{"field": "heart"}, {"field": "heart"}, {"field": "lung"}]
    log = evaluated(samples, metadata=fields, scorer=dxmatch_scorer(hand_matcher), metrics=dxmatch_metrics(by="field"))
    top1 = figures(log)["top1"]
    assert top1["accuracy"] == pytest.approx(2 / 3)
    assert (top1["grouped_heart"], top1["grouped_lung"]) == (0.5, 1.0)


def test_epochs_are_averaged(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    log = evaluated({"asthma": "asthma", "copd": "asthma"}, epochs=3, scorer=dxmatch_scorer(hand_matcher))
    assert figures(log)["topk"]["accuracy"] == 0.5
    assert len(log.samples) == 6


@pytest.mark.parametrize("target", ["", "  ", "—", ["asthma", ""], []])
def test_a_sample_without_a_target_stops_the_evaluation(
    evaluated: Callable[..., Any], hand_matcher: Any, target: Any
) -> None:
    log = evaluated({"asthma": target}, scorer=dxmatch_scorer(hand_matcher))
    assert log.status == "error"
    assert "sample 'case_0', column 'target': no reference diagnosis" in log.error.message


def test_options_that_cannot_be_right_are_refused_before_any_model_is_asked(inspect_ai: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'k'"):
        dxmatch_scorer(k=0)
    with pytest.raises(ModelError):
        dxmatch_scorer(tmp_path / "nothing")


def test_the_shipped_m_is_one_line(evaluated: Callable[..., Any]) -> None:
    log = evaluated(
        {"1. Unstable angina\n2. Heart attack": "Acute myocardial infarction", "Type 2 diabetes": "Type 1 diabetes"},
        scorer=dxmatch_scorer(),
    )
    assert figures(log)["topk"]["accuracy"] == 0.5
    (score,) = log.samples[0].scores.values()
    assert score.metadata["matcher"].startswith("offline-en@")


def test_m_gives_many_samples_at_once_what_it_gives_each_alone(evaluated: Callable[..., Any], example: Path) -> None:
    import pandas as pd

    import dxmatch

    pairs = pd.read_csv(example / "pairs.csv").drop_duplicates("b").head(60)
    log = evaluated(dict(zip(pairs["b"], pairs["a"], strict=True)), scorer=dxmatch_scorer(), max_samples=60)
    m = dxmatch.load()
    alone = [m.probability(a, b) for a, b in zip(pairs["a"], pairs["b"], strict=True)]
    at_once = {sample.id: sample.scores["dxmatch_scorer"].value["probability"] for sample in log.samples}
    assert [at_once[f"case_{i}"] for i in range(len(pairs))] == alone


def test_m_holds_up_no_other_sample(evaluated: Callable[..., Any]) -> None:
    """Two samples are inside M at the same time: neither would come out alone."""

    class Meeting:
        threshold = 0.5

        def __init__(self) -> None:
            self.both = threading.Barrier(2)

        def probabilities(self, a: Sequence[str], b: Sequence[str]) -> list[float]:
            self.both.wait(timeout=20)
            return [1.0] * len(a)

    log = evaluated({"asthma": "asthma", "copd": "copd"}, scorer=dxmatch_scorer(Meeting()))
    assert figures(log)["top1"]["accuracy"] == 1
