"""The shipped encoder beside all-MiniLM-L6-v2: strings a second on one core, and accuracy where the real data are."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dxmatch.features.encoders.static import StaticEncoder
from dxmatch.features.text import Normalizer
from dxmatch.training.encoder_data import icd_synonyms
from dxmatch.training.encoder_measure import icd_category_right, pairs_average_precision, read_queries

from .report import Row, best_of, show
from .shared import DATA, minilm

WEIGHTS = Path(__file__).resolve().parents[2] / "models" / "offline-en" / "encoder"
STRINGS, STRINGS_OF_PEER = 50_000, 1_000


class Peer:
    """all-MiniLM-L6-v2, in the library's own batches."""

    identity, dimensions = "all-MiniLM-L6-v2", 384

    def __init__(self) -> None:
        self._model = minilm()

    def encode(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return self._model.encode(list(texts), batch_size=64, normalize_embeddings=True, show_progress_bar=False)


def speed(ours: StaticEncoder, peer: Peer, normalizer: Normalizer) -> list[Row]:
    """On ICD-10-CM's names, in random order; one core each."""
    import torch

    torch.set_num_threads(1)
    raw = sorted(set(icd_synonyms().second))
    raw = [raw[i] for i in np.random.default_rng(0).permutation(len(raw))[:STRINGS]]
    names = [normalizer(text) for text in raw]
    short = [name for name in names if len(name) <= 30]
    few = short[:STRINGS_OF_PEER]
    mean = np.mean([len(name) for name in names])
    print(f"{len(names):,} names of {mean:.0f} characters on average; {len(short):,} of at most 30")
    ours.encode(names[:100])
    peer.encode(few[:8])
    theirs = len(few) / best_of(lambda: peer.encode(few), runs=1)

    def per_second(texts: Sequence[str], raw_too: bool = False) -> float:
        work = (lambda: ours.encode([normalizer(text) for text in texts])) if raw_too else (lambda: ours.encode(texts))
        return len(texts) / best_of(work, runs=5)

    return [
        Row("short names (at most 30 characters) encoded", "/s", per_second(short), "MiniLM", theirs, None),
        Row("all names encoded", "/s", per_second(names)),
        Row("all names normalised and encoded", "/s", per_second(raw[:10_000], raw_too=True)),
        Row("share of the 50,000 short names a second asked for", "x", per_second(short) / 50_000),
    ]


def accuracy(ours: StaticEncoder, peer: Peer, normalizer: Normalizer) -> list[Row]:
    """Of the shipped weights, which have seen Orphadata's names; the figures on unseen names follow below."""
    rows = []
    n, precision = pairs_average_precision(ours, DATA / "craft_md_pairs.csv", normalizer)
    _, theirs = pairs_average_precision(peer, DATA / "craft_md_pairs.csv", normalizer)
    rows.append(Row(f"{n:,} judged pairs: average precision of the cosine", "AP", precision, "MiniLM", theirs))
    queries = read_queries(DATA / "orphadata_icd10.csv", [], normalizer)
    right = [icd_category_right(encoder, queries, normalizer).mean(axis=0) for encoder in (ours, peer)]
    for at, place in ((1, 0), (15, 1)):
        what = f"ICD category right at {at}, {len(queries.texts)} names (seen by ours)"
        rows.append(Row(what, "share", float(right[0][place]), "MiniLM", float(right[1][place])))
    return rows


def unseen(ours: StaticEncoder) -> list[Row]:
    """What the training measured on diseases kept back, as it stands beside the weights."""
    rows = []
    for peer, theirs in ours.measured.items():
        for figure, value in ours.measured["ours"].items() if isinstance(theirs, dict) and peer != "ours" else ():
            for at in ("at_1", "at_15") if isinstance(value, dict) else ():
                what = f"kept back: {figure.replace('_', ' ')} {at.replace('_', ' ')} (n = {value['n']})"
                rows.append(Row(what, "share", value[at], peer, theirs[figure][at]))
            if figure == "pairs_average_precision":
                rows.append(Row("kept back: pairs average precision", "AP", value, peer, theirs[figure]))
    return rows


def main() -> None:
    if not WEIGHTS.is_dir():
        print("No shipped encoder (models/offline-en/encoder): nothing to measure.")
        return
    normalizer, ours, peer = Normalizer(), StaticEncoder.load(WEIGHTS), Peer()
    rows = speed(ours, peer, normalizer)
    if (DATA / "craft_md_pairs.csv").is_file():
        rows += accuracy(ours, peer, normalizer)
    else:
        print(f"No real data at {DATA} (set DXMATCH_DATA): no accuracy.")
    show(rows + unseen(ours), Path("out/bench/encoder.json"))
    print(f"Load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; each encoder had one thread.")


if __name__ == "__main__":
    main()
