"""An encoder and a model with it: the same bytes in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.nightly
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
