"""Every metric is declared in full, callable by name, and listed here with what it must satisfy."""

from __future__ import annotations

import doctest
import importlib
import math
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

import dxmatch
from dxmatch.matcher.metrics import REGISTRY, Metric, all_metrics
from dxmatch.matcher.metrics.declaration import declare

AE, EE = np.array([[1, 1, 0], [2, 1, 1]]), np.array([[1, 0, 1], [0, 2, 1]])
# for each metric: good arguments, and arguments for which it is undefined (None where it always has a value)
EXAMPLES = {
    "precision_at_k": ((AE, 2), None),
    "recall_at_k": ((AE,), None),
    "p_opt": ((AE, EE, 2), (AE, EE * [1, 0, 1], 2)),
    "p_avg": ((AE, EE, 2), (AE, EE * 0, 2)),
    "r_opt": ((AE, EE, 2), (AE, EE * [1, 0, 1], 2)),
    "r_avg": ((AE, EE, 2), (AE, EE * 0, 2)),
    "rpad": ((AE, EE, 2), (AE, EE * 0, 2)),
    "rrad": ((AE, EE, 2), (AE, EE * 0, 2)),
    "sigma_algorithm": (([0.1, 0.2],), ([0.1],)),
    "sigma_experts": (([0.1, 0.2, 0.3],), ([0.1],)),
    "cohen_kappa": (([0, 1], [0, 0]), ([0, 0], [0, 0])),
}


def test_every_metric_has_its_examples():
    assert set(EXAMPLES) == set(REGISTRY)


@pytest.mark.parametrize("metric", all_metrics(), ids=lambda metric: metric.name)
def test_declared_in_full(metric):
    for field in fields(Metric):
        assert getattr(metric, field.name), field.name
    assert getattr(dxmatch.metrics, metric.name) is metric.function
    assert metric.name in dir(dxmatch.metrics)
    for when, what in metric.degenerate:
        assert when and what
    with pytest.raises(FrozenInstanceError):
        metric.name = "other"


@pytest.mark.parametrize("name", EXAMPLES)
def test_defined_and_undefined(name):
    good, bad = EXAMPLES[name]
    value = np.asarray(REGISTRY[name].function(*good))
    assert np.isfinite(value).all() and (value >= (-1 if name == "cohen_kappa" else 0)).all()
    if REGISTRY[name].range == "[0, 1]":
        assert (value <= 1).all()
    if bad is None:
        assert not any("NaN" in what for _, what in REGISTRY[name].degenerate)
    else:
        assert math.isnan(REGISTRY[name].function(*bad))
        assert any("NaN" in what for _, what in REGISTRY[name].degenerate)


def test_printed_names():
    assert REGISTRY["rpad"].printed(3, 1.0) == "RPAD@3"
    assert REGISTRY["rpad"].printed(3, 0.5) == "RPAD(H=0.5)@3"
    assert REGISTRY["sigma_algorithm"].printed(2, of="R") == "sigma_A(R)@2"
    assert REGISTRY["cohen_kappa"].printed() == "kappa"


def test_unknown_and_double_names():
    with pytest.raises(AttributeError, match="no metric is called 'rpda'; there are precision_at_k"):
        _ = dxmatch.metrics.rpda
    with pytest.raises(ValueError, match="two metrics are called"):
        declare(**{f.name: "x" for f in fields(Metric) if f.name not in ("name", "function")})(
            REGISTRY["rpad"].function
        )


@pytest.mark.parametrize("name", ["metrics.relative", "metrics.agreement", "multiplicity"])
def test_examples_in_the_documentation(name):
    found = doctest.testmod(importlib.import_module(f"dxmatch.matcher.{name}"))
    assert found.attempted and not found.failed
