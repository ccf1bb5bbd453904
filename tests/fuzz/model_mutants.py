"""Damaged copies of the shipped model: `python -m tests.fuzz model_mutants --number 1000`.

Half of them with the old hashes: refused, or the same scores. Half with every hash made to fit, as who can write the folder can do:
refused, or finite probabilities; and all of them refused where the whole folder's identity is asked for. In a process of its own,
so that neither a crash nor a hang passes unseen.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

BATCH = 50
SECONDS_EACH = 120
SHIPPED = Path(__file__).parents[2] / "models" / "offline-en"
PAIRS = Path(__file__).parents[2] / "example" / "pairs.csv"


def run(number: int, seed: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dxmatch.tests.fuzz.model_mutants", folder, str(number), str(seed)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"}
        )
    if done.returncode:
        return [f"the process ended with {done.returncode}:\n{done.stderr[-3000:]}"]
    said = json.loads(done.stdout.splitlines()[-1])
    print(f"   seed {seed}: {said['outcomes']}", flush=True)
    return said["findings"]


def spoiled(content: bytes, chance: random.Random) -> bytes:
    """Cut, or with bits flipped: of a safetensors file as often in its header as behind it."""
    if chance.random() < 0.2:
        start, end = sorted(chance.choices(range(len(content) + 1), k=2))
        return content[:start] + content[end:]
    flipped = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 10])):
        flipped[chance.randrange(min(chance.choice([5_000, len(content)]), len(content)))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def worker(folder: Path, number: int, seed: int) -> dict[str, Any]:
    from dxmatch.errors import DxmatchError, ModelError
    from dxmatch.files.pairs import read_pairs
    from dxmatch.matcher.loading import Loading
    from dxmatch.matcher.match_function import load
    from dxmatch.tests.small_model import fitted

    warnings.simplefilter("ignore")
    read, chance = read_pairs(PAIRS), random.Random(seed)
    a, b = (column.to_pylist()[:120] for column in (read.a, read.b))
    whole = load()
    right, identity = whole.probabilities(a, b), whole.identities[-1]
    copy = Path(shutil.copytree(SHIPPED, folder / "copy"))
    manifest = (copy / "model.json").read_bytes()
    findings, outcomes = [], Counter[str]()
    for at in range(number):
        file, fits = chance.choice(["model.json", "model.safetensors", "model.safetensors", "CARD.md"]), at % 2 == 1
        before = (copy / file).read_bytes()
        (copy / file).write_bytes(spoiled(before, chance))
        if fits and file != "model.json":
            fitted(copy)
        signal.alarm(SECONDS_EACH)
        try:
            found = load(copy).probabilities(a, b)
            same = np.array_equal(found, right, equal_nan=True)
            outcome = "same scores" if same else "other scores"
            if not (fits or same or file == "model.json"):
                findings.append(f"{file}: other scores, with hashes that do not fit")
            if not ((found >= 0) & (found <= 1) | np.isnan(right)).all():
                findings.append(f"{file}: no probabilities")
            try:
                load(copy, loading=Loading(identity=identity))
                findings.append(f"{file}: passes for the shipped model")
            except ModelError:
                pass
        except DxmatchError:
            outcome = "refused"
        except Exception as error:
            outcome = "crash"
            findings.append(f"{file}: {type(error).__name__}: {error}"[:500])
        signal.alarm(0)
        outcomes[f"{'fitted' if fits else 'not fitted'}: {outcome}"] += 1
        (copy / file).write_bytes(before)
        (copy / "model.json").write_bytes(manifest)
    return {"findings": findings, "outcomes": dict(outcomes)}


if __name__ == "__main__":
    print(json.dumps(worker(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))
