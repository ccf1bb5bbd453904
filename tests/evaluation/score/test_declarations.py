"""Every metric is declared in full, callable by name, and held to the properties that it declares."""

from __future__ import annotations

import doctest
import inspect
import json
import sys
from dataclasses import MISSING, FrozenInstanceError, fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.of_names import OF_NAMES
from dxmatch.evaluation.score.declare import REGISTRY, Metric, all_metrics, called, declare
from dxmatch.evaluation.score.reference_page import reference_page
from dxmatch.evaluation.score.relative import experts_behind

from ..made import expected_in, rows_in
from .examples import EXAMPLES

ALWAYS = [field.name for field in fields(Metric) if field.default is MISSING and field.default_factory is MISSING]
every_metric = pytest.mark.parametrize("metric", all_metrics(), ids=lambda metric: metric.name)
PAIRED = "pair of experts"


def axes_of(metric, name):
    return [axis.strip() for axis in metric.axes.get(name, "").split(",") if axis.strip()]


def at_axis(value, depth, change):
    """`value` with its axis at `depth` changed by `change(a list or array) -> the same, reordered`."""
    if depth == 0:
        return change(value)
    if isinstance(value, np.ndarray):
        return np.moveaxis(change(np.moveaxis(value, depth, 0)), 0, depth)
    return type(value)(at_axis(part, depth - 1, change) for part in value)


def taken(value, places):
    return value[np.asarray(places)] if isinstance(value, np.ndarray) else type(value)(value[i] for i in places)


def each_axis(metric, arguments, axis, change):
    """All arguments with `axis` changed."""
    changed = dict(arguments)
    for name in arguments:
        for depth, found in enumerate(axes_of(metric, name)):
            if found == axis:
                changed[name] = at_axis(changed[name], depth, change)
    return changed


def reordered(metric, arguments, axis, seed):
    """The order of `axis` changed; what lies in one list of one length is always moved alike."""

    def shuffled(value):
        return taken(value, np.random.default_rng(seed).permutation(len(value)))

    def pairs_shuffled(value):
        z = experts_behind(len(value))
        i, j = np.triu_indices(z, 1)
        pair_of = np.zeros((z, z), int)
        pair_of[i, j] = pair_of[j, i] = np.arange(len(i))
        experts = np.random.default_rng(seed).permutation(z)
        return taken(value, pair_of[experts[i], experts[j]])

    changed = each_axis(metric, arguments, axis, shuffled)
    return each_axis(metric, changed, PAIRED, pairs_shuffled) if axis == "expert" else changed


def twice(metric, arguments, axis):
    return each_axis(metric, arguments, axis, lambda value: taken(value, [i for i in range(len(value)) for _ in "12"]))


def value_of(metric, arguments):
    return np.asarray(metric.function(**arguments), float)


def bounds(metric):
    return [float(end) for end in metric.description.range.strip("[]()").split(",")]


def example(metric, seed):
    return EXAMPLES[metric.name](np.random.default_rng(seed))


@every_metric
def test_declared_in_full(metric):
    for name in ALWAYS:
        assert getattr(metric, name), name
    called_by_name = OF_NAMES.get(metric.name, metric.function)
    assert getattr(dxmatch.metrics, metric.name) is called_by_name and metric.name in dir(dxmatch.metrics)
    with pytest.raises(FrozenInstanceError):
        metric.name = "other"
    assert metric.satisfies(), f"{metric.name} is in no set: declare order_free, repeat_free, symmetric, grows_with …"
    arguments = set(inspect.signature(metric.function).parameters)
    used = {*metric.axes, *metric.symmetric, *metric.grows_with, *metric.falls_with, *example(metric, 0)}
    assert used <= arguments, f"{metric.name} has no argument {used - arguments}"
    named = {axis for name in metric.axes for axis in axes_of(metric, name)}
    named |= {"expert"} if PAIRED in named else set()
    assert {*metric.order_free, *metric.repeat_free} <= named, f"{metric.name}: no argument has an axis that it names"
    # a source that can be found
    assert all("<https://" in reference for reference in metric.description.references)


@every_metric
def test_examples_hold_what_is_undefined_too(metric):
    undefined = sum(bool(np.isnan(value_of(metric, example(metric, seed))).any()) for seed in range(300))
    says_nan = any("NaN" in what for _, what in metric.description.degenerate)
    assert (undefined > 0) == says_nan, f"{undefined} of 300 examples are NaN"
    assert undefined < 200


@every_metric
@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1))
def test_holds_what_is_declared_of_it(metric, seed):
    """Its range; what changes no value; and where an entry rises to the largest of its argument, which way the value goes."""
    arguments = example(metric, seed)
    value, (low, high) = value_of(metric, arguments), bounds(metric)
    assert ((value >= low - 1e-9) & (value <= high + 1e-9) | np.isnan(value)).all() and not np.isinf(value).any()
    others = {f"order of {axis}": reordered(metric, arguments, axis, seed) for axis in metric.order_free}
    others |= {f"twice each {axis}": twice(metric, arguments, axis) for axis in metric.repeat_free}
    if metric.symmetric:
        one, other = metric.symmetric
        others["places changed"] = {**arguments, one: arguments[other], other: arguments[one]}
    for what, changed in others.items():
        assert value_of(metric, changed) == pytest.approx(value, rel=1e-9, abs=1e-12, nan_ok=True), what
    for name, sign in [(n, 1) for n in metric.grows_with] + [(n, -1) for n in metric.falls_with]:
        raised = np.array(arguments[name])
        known = np.flatnonzero(~np.isnan(raised))
        if known.size:
            raised.flat[known[seed % known.size]] = np.nanmax(raised)
            change = sign * (value_of(metric, {**arguments, name: raised}) - value)
            assert ((change >= -1e-9) | np.isnan(change)).all(), name


def called_with(row):
    """The value of a metric for arguments in JSON; a mapping at their end holds those by name."""
    given = json.loads(row["arguments"])
    named = given.pop() if isinstance(given[-1], dict) else {}
    return getattr(dxmatch.metrics, row["metric"])(*given, **named)


@pytest.mark.parametrize("row", rows_in("score/by_hand"), ids=lambda row: f"{row['metric']} {row['why']}")
def test_worked_by_hand(row):
    assert called_with(row) == pytest.approx(expected_in(row), nan_ok=True)


@pytest.mark.parametrize("row", rows_in("score/refused"), ids=lambda row: f"{row['metric']} {row['arguments']}")
def test_refused(row):
    with pytest.raises(OptionError if row["told"][0] == "'" else InputError, match=row["told"]):
        called_with(row)


def test_what_is_no_declaration():
    with pytest.raises(AttributeError, match="'rpda'"):
        _ = dxmatch.metrics.rpda
    with pytest.raises(ValueError, match="two metrics are called"):
        declare("x")(REGISTRY["rpad"].function)


def test_the_reference_page_is_current():
    page = (Path(__file__).parents[3] / "docs" / "metrics.md").read_text("utf-8")
    assert page == reference_page(), "run: python -m dxmatch.evaluation.score.reference_page > docs/metrics.md"


@pytest.mark.parametrize("name", sorted({metric.function.__module__ for metric in all_metrics()}))
def test_examples_in_the_documentation(name):
    found = doctest.testmod(sys.modules[name])
    assert not found.failed


@pytest.mark.parametrize(("said", "names"), [
    ("Top-5 Accuracy", ["top_k_accuracy"]), ("Acc(M)@5", ["top_k_accuracy"]), ("Cohen's kappa", ["cohen_kappa"]), ("patient-level recall", ["patient_recall"]),
    ("Semantic Relationship Score", ["semantic_score"]), ("faithfulness", ["explanation_of_common", "explanation_of_all"]),
])  # fmt: skip
def test_what_papers_call_it(said, names):
    assert [one.name for one in called([said])] == names
    with pytest.raises(InputError, match="did you mean 'semantic relationship score'"):
        called(["semantic relation score"])
