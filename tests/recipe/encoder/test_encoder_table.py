"""The learnt table by hand: sums over buckets, sparse steps, rarity; the loss of a batch; the same bytes in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dxmatch.terms.encoders.static import Shape

torch = pytest.importorskip("torch", reason="training an encoder needs torch (extra 'encoders')")

from dxmatch.recipe.encoder.table import BucketTable, in_batch_loss, reproducible  # noqa: E402

SHAPE = Shape(buckets=20, word_buckets=8, dimensions=6)


def test_a_sum_is_that_of_the_weighted_buckets() -> None:
    table = BucketTable(SHAPE, np.arange(20), 9, np.random.default_rng(0))
    sums = table(np.array([3, 3, 7, 0, 19]), np.array([0, 3, 5])).detach().numpy()
    weighted = table.weighted()
    expected = [2 * weighted[3] + weighted[7], weighted[0] + weighted[19]]
    np.testing.assert_allclose(sums, expected, rtol=1e-5)


def test_a_step_leaves_other_buckets_alone() -> None:
    table = BucketTable(SHAPE, np.ones(20, np.int64), 9, np.random.default_rng(0))
    before = table.weighted()
    optimizer = torch.optim.SparseAdam(table.parameters(), 0.1)
    table(np.array([3, 3, 7]), np.array([0, 2, 3])).sum().backward()
    optimizer.step()
    assert np.flatnonzero((table.weighted() != before).any(axis=1)).tolist() == [3, 7]


def test_rare_buckets_weigh_more() -> None:
    table = BucketTable(SHAPE, np.array([0, 1, 10, 100] * 5), 100, np.random.default_rng(0))
    # log(101 / (f + 1)) / log(101): 1, 0.850, 0.480, and 0 lifted to 0.05
    expected = [1, np.log(101 / 2) / np.log(101), np.log(101 / 11) / np.log(101), 0.05]
    np.testing.assert_allclose(table.log_weights.weight.exp().detach().numpy()[:4, 0], expected, rtol=1e-5)


def test_the_loss_by_hand() -> None:
    """Two pairs along the axes and a contrast on the first: cosines 1 and 0, so that each softmax is plain."""
    one, two = [1.0, 0.0], [0.0, 2.0]
    vectors = torch.tensor([one, two, one, two, one])
    alike = torch.tensor([[False, False, False], [False, False, True]])
    # the first pair has a wrong answer at cosine 0 and the contrast at 1, the second one a wrong answer at 0
    expected = (np.log(2 + np.exp(-2)) + np.log(1 + np.exp(-2))) / 2
    assert in_batch_loss(vectors, alike, 0.5).item() == pytest.approx(expected)


def test_settings_of_torch_are_put_back() -> None:
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    with reproducible(0, 3):
        assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == (3, True)
    assert (torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()) == before


TRAINING = '''
import hashlib, sys
from pathlib import Path
import dxmatch
from dxmatch.recipe.encoder.data import Synonyms, common_synonyms, join
from dxmatch.recipe.encoder.fit import Settings, train_encoder
from dxmatch.training.engines import lightgbm_engine
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.text.normalizer import Normalizer

example, folder = map(Path, sys.argv[1:])
lightgbm_engine.MAX_ROUNDS = 40
common = common_synonyms()
few = Synonyms("few", common.first[:300], common.second[:300], common.ids[:300])
names = join([few], Normalizer())
shape = Shape(buckets=4096, word_buckets=1024, dimensions=32)
train_encoder(names, shape, Settings(epochs=1), threads=2).encoder.save(folder / "encoder")
(folder / "extra.csv").write_text("a,b,label\\n" + "".join(f"{a},{b},1\\n" for a, b in zip(common.first[:50], common.second)))
(folder / "set.toml").write_text("""[[feature]]
name = "cosine_static"
kind = "cosine"
encoder = "shipped"
[[feature]]
name = "levenshtein"
kind = "levenshtein"
""")
model = dxmatch.train(
    example / "pairs.csv", features=folder / "set.toml", encoder=folder / "encoder", split=dxmatch.Split(refit=True),
    labels=dxmatch.LabelRules(extra=dxmatch.Extra(pairs=folder / "extra.csv", weight=0.1)),
)
model.save(folder / "model")
for path in sorted(folder.rglob("*")):
    if path.is_file():
        print(path.relative_to(folder), hashlib.sha256(path.read_bytes()).hexdigest())
'''


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(example: Path, tmp_path: Path) -> None:
    """An encoder and a model with it, whatever the order of Python's sets."""
    written = []
    for seed in ("1", "2"):
        folder = tmp_path / seed
        folder.mkdir()
        command = [sys.executable, "-W", "ignore", "-c", TRAINING, str(example), str(folder)]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        written.append(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)
    assert written[0] == written[1] and "model/CARD.md" in written[0] and "encoder/encoder.safetensors" in written[0]
