"""M as a scorer inside an Inspect evaluation, with Inspect's mock model."""

from __future__ import annotations

import importlib
import sys
import threading
from collections.abc import Callable, Sequence
from itertools import zip_longest
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
    with pytest.raises(MissingExtra, match=r"pip install .*\[inspect\]"):
        importlib.import_module(MODULE)


@pytest.fixture
def scorer(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    return importlib.import_module(MODULE)


@pytest.fixture
def evaluated(scorer: Any) -> Callable[..., Any]:
    """(samples as {answer: target}, M) -> the log; the mock model gives each sample its answer."""
    import inspect_ai
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model
    from inspect_ai.solver import generate

    def run(samples: dict[str, Any], m: Any, *, metadata: Sequence[Any] = (), **task: Any) -> Any:
        answers = list(samples)

        def reply(messages: Any, *_: Any) -> Any:
            output = ModelOutput.from_content("mockllm/model", answers[int(messages[-1].text)])
            # Without it, Inspect counts the tokens, with a vocabulary that it downloads.
            output.usage = ModelUsage()
            return output

        dataset = [
            Sample(id=f"case_{i}", input=str(i), target=target, metadata=meta)
            for i, (target, meta) in enumerate(zip_longest(samples.values(), metadata))
        ]
        made = inspect_ai.Task(dataset, solver=generate(), scorer=scorer.dxmatch_scorer(m, 2), **task)
        model = get_model("mockllm/model", custom_outputs=reply, memoize=False)
        (log,) = inspect_ai.eval(made, model=model, display="none")
        return log

    return run


def figures(log: Any) -> dict[str, dict[str, float]]:
    assert log.status == "success", log.error
    return {score.name: {name: m.value for name, m in score.metrics.items()} for score in log.results.scores}


SIX: dict[str, Any] = {
    "1. heart attack\n2. angina": "myocardial infarction",  # first
    "- angina\n- heart attack": ["asthma", "myocardial infarction"],  # second, by the second reference
    '["angina", "copd", "heart attack"]': "copd; angina",  # first, of several in one text
    "It is not copd. The most likely diagnosis is angina.": "copd",  # what is denied is no answer
    "": "asthma",  # nothing said: wrong, no probability
    "It is hard to say what ails this patient, so let us go through the findings one by one, slowly and with care, "
    "before we come to any end": "asthma",  # unscored
}


def test_a_small_task_by_hand(evaluated: Callable[..., Any], hand_matcher: Any) -> None:
    log = evaluated(SIX, hand_matcher)
    # 5 scored. top1: 2 of 5. topk: 3 of 5. probability: (1 + 1 + 1 + 0) / 4; standard errors: sqrt(p (1 - p) / (n - 1))
    assert figures(log) == {
        "top1": {"accuracy": pytest.approx(2 / 5), "stderr": pytest.approx((0.4 * 0.6 / 4) ** 0.5)},
        "topk": {"accuracy": pytest.approx(3 / 5), "stderr": pytest.approx((0.6 * 0.4 / 4) ** 0.5)},
        "probability": {"mean": pytest.approx(3 / 4), "stderr": pytest.approx((0.75 * 0.25 / 3) ** 0.5)},
    }
    assert [(s.scored_samples, s.unscored_samples) for s in log.results.scores] == [(5, 1), (5, 1), (4, 2)]
    _, second, _, denied, silent, unread = (sample.scores["dxmatch_scorer"] for sample in log.samples)
    assert second.value == {"top1": 0, "topk": 1, "probability": 1.0} and second.answer == "angina; heart attack"
    assert second.explanation.splitlines()[:2] == [
        "1. angina: no match with asthma (probability 0.000)",
        "2. heart attack: match with myocardial infarction (probability 1.000)",
    ]
    kept = {"diagnoses": ["angina", "heart attack"], "probabilities": [0, 1], "matcher": "by-hand", "threshold": 0.5}
    assert second.metadata | kept == second.metadata
    assert denied.metadata["diagnoses"] == ["angina"]
    assert silent.value["topk"] == 0 and np.isnan(silent.value["probability"]) and silent.reason == "no_response"
    assert np.isnan(unread.value) and unread.reason == "invalid_response_format"


def test_figures_by_group_and_what_m_does_not_understand(evaluated: Callable[..., Any], scorer: Any) -> None:
    m = By(not_understood=lambda texts: {text: "no diagnosis" for text in texts if text == "lung"})
    fields = [{"field": "heart"}, {"field": "heart"}, {"field": "lung"}]
    samples = {"angina": "angina", "copd": "angina", "lung": "asthma"}
    log = evaluated(samples, m, metadata=fields, metrics=scorer.dxmatch_metrics(by="field"))
    top1 = figures(log)["top1"]
    assert (top1["accuracy"], top1["grouped_heart"], top1["grouped_lung"]) == (pytest.approx(1 / 3), 0.5, 0)
    said = log.samples[2].scores["dxmatch_scorer"]
    assert said.metadata["not_understood"] == {"lung": "no diagnosis"} and "'lung'" in said.explanation


@pytest.mark.parametrize("target", ["", "—", ["asthma", ""], []])
def test_a_sample_without_a_target_stops_the_evaluation(evaluated: Callable[..., Any], target: Any) -> None:
    log = evaluated({"asthma": target}, By())
    assert log.status == "error" and "sample 'case_0', column 'target'" in log.error.message


def test_options_that_cannot_be_right_are_refused_before_any_model_is_asked(scorer: Any, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'k'"):
        scorer.dxmatch_scorer(k=0)
    with pytest.raises(ModelError):
        scorer.dxmatch_scorer(tmp_path / "nothing")


def test_m_holds_up_no_other_sample(evaluated: Callable[..., Any]) -> None:
    """Two samples are inside M at the same time: neither would come out alone."""
    both = threading.Barrier(2)
    log = evaluated({"lung attack": "asthma", "lung": "copd"}, By(lambda a, b: both.wait(timeout=20) >= 0))
    assert figures(log)["top1"]["accuracy"] == 1
