from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from dxmatch.training.statistics.correlation import correlations


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    base = rng.random(200)
    columns = [
        base,
        np.exp(3 * base),
        rng.random(200),
        np.full(200, 0.5),
        1 - base + 0.02 * rng.random(200),
        rng.random(200),
    ]
    out = np.stack(columns, axis=1).astype(np.float32)
    out[rng.random(out.shape) < 0.1] = np.nan
    out[:, 5] = np.nan
    out[:2, 5] = 0.1, 0.2
    return out


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_pairwise_complete_as_pandas_says(table, method):
    wanted = pd.DataFrame(table.astype(float)).corr(method=method, min_periods=3).to_numpy()
    found = getattr(correlations(table), method)
    assert found == pytest.approx(wanted, nan_ok=True)
    assert np.isnan(found[3]).all() and np.isnan(found[5]).all()


def test_groups_that_say_the_same(table):
    """Each two of a group are close: a chain of neighbours is none."""
    found = correlations(table)
    assert found.redundant() == [[0, 1, 4]]
    x = np.linspace(0, 1, 400)
    rng = np.random.default_rng(1)
    chain = np.stack([x, x + 0.35 * rng.random(400), x + 0.35 * rng.random(400) + 0.5 * rng.random(400)], axis=1)
    rho = correlations(chain).spearman
    limit = (rho[0, 2] + min(rho[0, 1], rho[1, 2])) / 2
    groups = correlations(chain).redundant(limit)
    assert len(groups) == 1 and len(groups[0]) == 2


def test_order_puts_alike_side_by_side(table):
    order = correlations(table).order
    assert sorted(order) == list(range(6))
    places = [order.index(i) for i in (0, 1, 4)]
    assert max(places) - min(places) == 2
