"""The learnt table against torch: sums, gradients and Adam."""

from __future__ import annotations

import numpy as np
import pytest

from dxmatch.terms.encoders.static import Shape
from dxmatch.training.encoder.table import BucketTable

torch = pytest.importorskip("torch", reason="the oracle is torch's Adam (extra 'encoders')")

SHAPE = Shape(buckets=20, word_buckets=8, dimensions=6)


def test_sums_and_steps_are_those_of_torch() -> None:
    """Every batch holds every bucket, since torch's Adam also moves what a batch leaves out."""
    random = np.random.default_rng(0)
    table = BucketTable(SHAPE, random.integers(0, 9, 20), 9, random)
    vectors = torch.tensor(table._vectors, requires_grad=True)
    log_weights = torch.tensor(table._log_weights, requires_grad=True)
    adam = torch.optim.Adam([vectors, log_weights], lr=0.02)
    for step in range(1, 6):
        buckets = random.permutation(np.concatenate([np.arange(20), random.integers(0, 20, 15)]))
        starts = np.array([0, 3, 4, 20, 35])
        sums = table.sums(buckets, starts)
        parts = torch.split((vectors * log_weights.exp()[:, None])[buckets], np.diff(starts).tolist())
        expected = torch.stack([part.sum(dim=0) for part in parts])
        np.testing.assert_allclose(sums, expected.detach().numpy(), rtol=1e-4, atol=1e-5)
        gradients = random.standard_normal(sums.shape, np.float32)
        adam.zero_grad()
        (expected * torch.from_numpy(gradients)).sum().backward()
        adam.step()
        table.step(buckets, starts, gradients, step, 0.02)
    with torch.no_grad():
        np.testing.assert_allclose(
            table.weighted(), (vectors * log_weights.exp()[:, None]).numpy(), rtol=1e-3, atol=1e-4
        )


def test_a_step_leaves_other_buckets_alone() -> None:
    table = BucketTable(SHAPE, np.ones(20, np.int64), 9, np.random.default_rng(0))
    before = table.weighted()
    table.step(np.array([3, 3, 7]), np.array([0, 2, 3]), np.ones((2, 6), np.float32), 1, 0.1)
    assert np.flatnonzero((table.weighted() != before).any(axis=1)).tolist() == [3, 7]


def test_rare_buckets_weigh_more() -> None:
    frequencies = np.array([0, 1, 10, 100] * 5)
    table = BucketTable(SHAPE, frequencies, 100, np.random.default_rng(0))
    # log(101 / (f + 1)) / log(101): 1, 0.850, 0.480, and 0 lifted to 0.05
    expected = [1, np.log(101 / 2) / np.log(101), np.log(101 / 11) / np.log(101), 0.05]
    np.testing.assert_allclose(np.exp(table._log_weights[:4]), expected, rtol=1e-5)
