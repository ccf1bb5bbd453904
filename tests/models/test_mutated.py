"""Damaged copies of a model folder, by chance but the same in every run.

With the old hashes each is refused. With hashes made to fit, none crashes or hangs the process: it is refused, or it loads and gives
finite numbers. They run in a process of their own (this file as a script), in which an item that takes too long kills the process,
so that neither a crash nor a hang can pass unseen.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from dxmatch.errors import DxmatchError, ModelError
from dxmatch.models.ensemble import Members
from dxmatch.models.folder import load
from dxmatch.tests.small_model import signed

SHIPPED = Path(__file__).parents[2] / "models" / "offline-en"
SECONDS_EACH = 20
ODD_NUMBERS = (
    b"", b"0", b"-1", b"1", b"2", b"7", b"1e300", b"-1e300", b"1e999", b"1e-320", b"nan", b"inf", b"-inf", b"NaN",
    b"2147483647", b"2147483648", b"-2147483648", b"99999999999999999999", b"0x10", b"1_0", b"0.5.5", b"--1", b"true",
)  # fmt: skip
ODD_BYTES = (b"", b"\n", b"\r\n", b" ", b"=", b"0", b"\0", b"9" * 400, b"\n\n", b"\xff\xfe\x80\x02")
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def spoil(content: bytes, chance: random.Random) -> bytes:
    """Cut, with bits flipped, bytes put in, numbers changed (twice as often), lines moved; once in 50 times empty."""
    kind = chance.choices(["cut", "flip", "insert", "number", "lines", "empty"], [50, 50, 50, 95, 49, 6])[0]
    start, end = sorted(chance.choices(range(len(content) + 1), k=2))
    if kind == "cut":
        return chance.choice([content[:start], content[start:], content[:start] + content[end:]])
    if kind == "flip":
        flipped = bytearray(content)
        for _ in range(chance.choice([1, 1, 2, 10])):
            flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
        return bytes(flipped)
    if kind == "insert":
        return content[:start] + chance.choice(ODD_BYTES) + content[start:]
    if kind == "number":
        for _ in range(chance.choice([1, 1, 3])):
            if found := NUMBER.search(content, chance.randrange(len(content))):
                content = content[: found.start()] + chance.choice(ODD_NUMBERS) + content[found.end() :]
        return content
    if kind == "lines":
        lines = content.split(b"\n")
        i, j = chance.choices(range(len(lines)), k=2)
        lines[i], lines[j] = chance.choice([(lines[j], lines[i]), (lines[i], lines[i]), (b"", lines[j])])
        return b"\n".join(lines)
    return b""


def mutants(folder: Path, copies: int, seed: int) -> Iterator[tuple[str, bytes]]:
    """`copies` times a file of the folder and what it holds after a mutation; the trees twice as often as the rest."""
    chance = random.Random(seed)
    whole = {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
    trees = [file for file in whole if file.startswith("trees")]
    number = 0
    while number < copies:
        file = chance.choice(trees if chance.random() < 0.6 else ["model.json", *whole])
        mutated = spoil(whole[file], chance)  # swapped lines may be equal
        if mutated != whole[file]:
            number += 1
            yield file, mutated


def fitting(manifest: bytes, file: str, content: bytes) -> bytes:
    """The model.json whose hashes fit `file` with `content`."""
    if file == "model.json":
        return signed(content)
    value = json.loads(manifest)
    value["files"][file] = hashlib.sha256(content).hexdigest()
    return signed(json.dumps(value).encode())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer that kills on this system")
@pytest.mark.parametrize(("name", "copies"), [("small", 500), ("shipped", 50)])
def test_old_hashes_refuse_and_fitting_ones_neither_crash_nor_hang(folder, tmp_path, name, copies):
    copy = folder if name == "small" else shutil.copytree(SHIPPED, tmp_path / "shipped")
    last = tmp_path / "last"
    arguments = [sys.executable, __file__, str(copy), str(copies), str(last)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(arguments, capture_output=True, text=True, timeout=1_000, env=environment, check=False)
    at = last.read_text() if last.exists() else "none"
    assert done.returncode == 0, f"ended with {done.returncode} at item {at}:\n{done.stderr[-3_000:]}"
    outcome = json.loads(done.stdout)
    assert sum(outcome.values()) == copies and outcome["refused"] > copies / 2
    assert name == "shipped" or outcome["finite"] > 20, "too few get through to LightGBM for the test to mean anything"


def score(folder: Path, table: np.ndarray) -> None:
    """What a match function does with a folder: every part is used."""
    import lightgbm

    loaded = load(folder)
    table = table[:, : len(loaded.manifest.feature_names)]
    boosters = [lightgbm.Booster(model_str=text) for text in loaded.trees]
    raw = [booster.predict(table, raw_score=True, num_threads=1) for booster in boosters]
    probability = loaded.manifest.calibration(np.sum(raw, axis=0) / len(raw))
    assert probability.shape == (len(table),)
    assert ((probability >= 0) & (probability <= 1)).all()
    members = Members(loaded.trees)
    assert members(table).tobytes() == np.stack(raw, axis=1).tobytes()
    with contextlib.suppress(ModelError):  # counts that do not add up
        assert np.isfinite(members.contributions(table[:3])).all()
    if loaded.encoder:
        from dxmatch.terms.encoders.static import StaticEncoder

        vectors = StaticEncoder.from_bytes(loaded.encoder).encode(["myocardial infarction", "gout"])
        assert np.isfinite(vectors).all()


def worker(folder: Path, copies: int, last: Path) -> None:
    import faulthandler
    import resource

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (12 * 2**30, 12 * 2**30))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    chance = np.random.default_rng(0)
    table = chance.normal(0.5, 1, (64, 1_000)).astype(np.float32)
    table[chance.random(table.shape) < 0.2] = np.nan
    score(folder, table)
    manifest = (folder / "model.json").read_bytes()
    outcomes: Counter[str] = Counter()
    for number, (file, mutated) in enumerate(mutants(folder, copies, seed=2)):
        last.write_text(f"{number}")
        signal.setitimer(signal.ITIMER_REAL, SECONDS_EACH)
        whole = (folder / file).read_bytes()
        (folder / file).write_bytes(mutated)
        with pytest.raises(ModelError):
            load(folder)
        (folder / "model.json").write_bytes(fitting(manifest, file, mutated))
        try:
            score(folder, table)
            outcomes["finite"] += 1
        except DxmatchError:
            outcomes["refused"] += 1
        (folder / file).write_bytes(whole)
        (folder / "model.json").write_bytes(manifest)
    signal.setitimer(signal.ITIMER_REAL, 0)
    score(folder, table)
    print(json.dumps(outcomes))


if __name__ == "__main__":
    worker(Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
