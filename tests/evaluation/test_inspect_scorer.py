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

from .made import By

MODULE = "dxmatch.evaluation.inspect_scorer"


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    for name in ("inspect_ai", "inspect_ai.scorer", "inspect_ai.solver"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"The scorer for Inspect needs .*pip install .*\[inspect\]"):
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
    assert [(s.scored_samples, s.unscored_samples) for s in log.results.scores] == [(5, 1), (5, 1), (4, 2)]
    first, second, third, _, silent, unread = (sample.scores["dxmatch_scorer"] for sample in log.samples)
    assert first.value == {"top1": 1, "topk": 1, "probability": 1.0} and first.answer == "heart attack; angina"
    assert second.value == {"top1": 0, "topk": 1, "probability": 1.0}
    assert second.explanation.splitlines() == [
        "1. angina: no match with asthma (probability 0.000)",
        "2. heart attack: match with myocardial infarction (probability 1.000)",
        "A pair matches from 0.500 up.",
    ]
    assert second.metadata == {
        "diagnoses": ["angina", "heart attack"], "probabilities": [0.0, 1.0],
        "nearest_references": ["asthma", "myocardial infarction"], "not_understood": {}, "matcher": "by-hand", "policy": None, "threshold": 0.5,
    }  # fmt: skip
    assert third.value == {"top1": 0, "topk": 0, "probability": 0.0}
    assert silent.value["topk"] == 0 and np.isnan(silent.value["probability"]) and silent.reason == "no_response"
    assert np.isnan(unread.value) and unread.reason == "invalid_response_format"


def test_a_disease_that_is_denied_is_no_answer(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    """Prose that denies the reference, or that no form is known of, is unscored; what it names besides is scored."""
    samples = {
        "This is not asthma": "asthma",
        "The patient has had asthma as a child, so that one would first look at the lungs.": "asthma",
        "It is not asthma. The most likely diagnosis is copd.": "asthma",
        "I think it is copd, less likely asthma": "asthma",
        "copd, asthma, angina": "angina",
    }
    log = evaluated(samples, scorer=dxmatch_scorer(hand_matcher, k=3))
    assert [(s.scored_samples, s.unscored_samples) for s in log.results.scores] == [(3, 2)] * 3
    scores = [sample.scores["dxmatch_scorer"] for sample in log.samples]
    assert all(np.isnan(score.value) for score in scores[:2])
    assert "can be read from the answer: 'This is not asthma'" in scores[0].explanation
    assert [score.metadata["diagnoses"] for score in scores[2:]] == [
        ["copd"],
        ["copd", "asthma"],
        ["copd", "asthma", "angina"],
    ]
    assert [(score.value["top1"], score.value["topk"]) for score in scores[2:]] == [(0, 0), (0, 1), (0, 1)]


@pytest.mark.parametrize("target", ["copd; asthma", ["copd", "asthma"], "copd\nasthma"])
def test_several_references_in_one_target(evaluated: Callable[..., Any], hand_matcher: Any, target: Any) -> None:
    log = evaluated({"asthma": target}, scorer=dxmatch_scorer(hand_matcher))
    (sample,) = log.samples
    assert sample.scores["dxmatch_scorer"].value["top1"] == 1
    assert sample.scores["dxmatch_scorer"].metadata["nearest_references"] == ["asthma"]


def test_what_m_does_not_understand_is_said(evaluated: Callable[..., Any]) -> None:
    m = By()
    m.not_understood = lambda texts: {text: "no diagnosis" for text in texts if text == "lung"}  # pyright: ignore
    log = evaluated({"lung": "asthma"}, scorer=dxmatch_scorer(m))
    score = log.samples[0].scores["dxmatch_scorer"]
    assert "M does not understand 'lung' (no diagnosis): it matches nothing." in score.explanation
    assert score.metadata["not_understood"] == {"lung": "no diagnosis"}


def test_figures_by_group(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    samples = {"heart attack": "myocardial infarction", "angina": "heart attack", "asthma": "asthma"}
    fields = [{"field": "heart"}, {"field": "heart"}, {"field": "lung"}]
    log = evaluated(samples, metadata=fields, scorer=dxmatch_scorer(hand_matcher), metrics=dxmatch_metrics(by="field"))
    top1 = figures(log)["top1"]
    assert top1["accuracy"] == pytest.approx(2 / 3)
    assert (top1["grouped_heart"], top1["grouped_lung"]) == (0.5, 1.0)


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


@pytest.mark.slow
def test_the_shipped_m_is_one_line_and_gives_many_samples_at_once_what_it_gives_each_alone(
    evaluated: Callable[..., Any], example: Path
) -> None:
    import pandas as pd

    import dxmatch

    pairs = pd.read_csv(example / "pairs.csv").drop_duplicates("b").head(60)
    log = evaluated(dict(zip(pairs["b"], pairs["a"], strict=True)), scorer=dxmatch_scorer(), max_samples=60)
    m = dxmatch.load()
    alone = [m.probability(a, b) for a, b in zip(pairs["a"], pairs["b"], strict=True)]
    scores = {sample.id: sample.scores["dxmatch_scorer"] for sample in log.samples}
    assert [scores[f"case_{i}"].value["probability"] for i in range(len(pairs))] == alone
    assert scores["case_0"].metadata["matcher"].startswith("offline-en@")


def test_m_holds_up_no_other_sample(evaluated: Callable[..., Any]) -> None:
    """Two samples are inside M at the same time: neither would come out alone."""
    both = threading.Barrier(2)
    m = By(lambda a, b: both.wait(timeout=20) >= 0)
    log = evaluated({"lung attack": "asthma", "lung": "copd"}, scorer=dxmatch_scorer(m))
    assert figures(log)["top1"]["accuracy"] == 1
