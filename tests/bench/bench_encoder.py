"""The shipped encoder beside all-MiniLM-L6-v2: strings a second on one core, on ICD-10-CM's names in random order (in short, on made names).

python -m tests.bench encoder              and, on the real data: python -m tests.bench encoder_accuracy
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dxmatch.terms.encoders.static import StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.encoder.data import icd_synonyms

from .made import make_names
from .report import ASKED, Row, Work, best_of, in_unit, show, versus
from .shared import minilm

WEIGHTS = Path(__file__).resolve().parents[2] / "models" / "offline-en" / "encoder"
SHORT = 30
"""A short name has at most so many letters."""
ASKED_NAMES = 50_000
"""Short names a second on one core that the encoder is to reach."""


class Peer:
    """all-MiniLM-L6-v2, in the library's own batches."""

    identity, dimensions = "all-MiniLM-L6-v2", 384

    def __init__(self) -> None:
        self._model = minilm()

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._model.encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)


def rows(scale: str = "full") -> Iterator[Row]:
    ours, normalizer = StaticEncoder.load(WEIGHTS), Normalizer()
    raw = sorted(set(icd_synonyms().second)) if scale == "full" else make_names(10_000)
    raw = [raw[i] for i in np.random.default_rng(0).permutation(len(raw))[:50_000]]
    names = [normalizer(text) for text in raw]
    short = [name for name in names if len(name) <= SHORT]
    ours.encode(names)
    encode = Work(lambda: ours.encode(short), len(short))
    rate = in_unit("/s", best_of(encode.run, 5), encode.amount)
    yield Row("short names encoded", "names/s", rate, ASKED, ASKED_NAMES, 1.0)
    yield versus("all names encoded", "names/s", Work(lambda: ours.encode(names), len(names)))
    some = raw[:10_000]
    both = Work(lambda: ours.encode([normalizer(text) for text in some]), len(some))
    yield versus("all names normalised and encoded", "names/s", both)
    if scale == "full":
        import torch

        torch.set_num_threads(1)
        peer, few = Peer(), short[:500]
        peer.encode(few[:8])
        yield versus("short names encoded", "names/s", encode, "MiniLM", Work(lambda: peer.encode(few), len(few)), runs=2)  # fmt: skip


def main() -> None:
    show(rows(), Path("out/bench/encoder.json"))
    print(f"Load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; each encoder had one thread.")


if __name__ == "__main__":
    main()
