"""DiReCT's metrics of counts and names."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.errors import OptionError
from dxmatch.evaluation.score import reasoning as metrics

# three notes: annotated 4, 2, 1; predicted 5, 1, 0; 3, 1, 0 correspond, of which 1, 1, 0 are explained
O, SAID, BOTH, RIGHT = [4, 2, 1], [5, 1, 0], [3, 1, 0], [1, 1, 0]


@pytest.mark.parametrize(
    ("metric", "counts", "shares"),
    [
        ("observation_precision", (BOTH, SAID), [3 / 5, 1, None]),
        ("observation_recall", (BOTH, O), [3 / 4, 1 / 2, 0]),
        ("observation_completeness", (BOTH, O, SAID), [3 / 6, 1 / 2, 0]),
        ("explanation_of_common", (RIGHT, BOTH), [1 / 3, 1, None]),
        ("explanation_of_all", (RIGHT, BOTH, O, SAID), [1 / 6, 1 / 2, 0]),
        ("premise_share", (RIGHT, SAID), [1 / 5, 1, None]),
    ],
)
def test_by_hand(metric, counts, shares):
    """A note with nothing to divide by counts as 0, or is left out."""
    function, known = getattr(metrics, metric), [share for share in shares if share is not None]
    assert function(*counts) == pytest.approx(sum(known) / 3)
    assert function(*counts, nothing=None) == pytest.approx(np.mean(known))
    assert function(*([0] for _ in counts)) == 0 and np.isnan(function(*([0] for _ in counts), nothing=None))


@pytest.mark.parametrize(
    ("call", "option"),
    [
        *((lambda p=p, a=a: metrics.observation_recall(p, a), "'(paired|annotated)'")
          for p, a in (([1], [0]), ([-1], [1]), ([0.5], [1]), ([], []), ([1], [1, 1]))),
        (lambda: metrics.explanation_of_common([2], [1]), "'explained'"),
        (lambda: metrics.premise_share([2], [1]), "'premised'"),
        (lambda: metrics.category_accuracy(["a"], []), "'predicted'"),
        (lambda: metrics.category_accuracy("a", ["a"]), "'annotated'"),
    ],
)  # fmt: skip
def test_refused(call, option):
    with pytest.raises(OptionError, match=option):
        call()


def test_names_are_compared_without_case_and_blanks():
    said = ["acute gout", None, "Pseudogout"]
    assert metrics.diagnosis_accuracy(["Acute  Gout", "Gout", "Gout"], said) == 1 / 3
    assert metrics.category_accuracy(["Gout"], ["GOUT "]) == 1
