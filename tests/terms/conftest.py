from __future__ import annotations

import shutil
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dxmatch.terms.icd import IcdIndex, IcdTree, open_tree
from dxmatch.terms.text.normalizer import Normalizer

from ..blocked_network import no_network  # noqa: F401


class HashingEncoder:
    """Untrained: signed counts of hashed words and character n-grams, each text on its own. Remembers what it was asked."""

    def __init__(self, dimensions: int = 96) -> None:
        self.dimensions, self.identity = dimensions, "hashing"
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        out = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(out, texts, strict=True):
            marked = f"<{text}>"
            for gram in [marked[i : i + n] for n in (3, 4) for i in range(len(marked) - n + 1)] + text.split() * 2:
                h = zlib.crc32(gram.encode("utf-8", "surrogatepass"))
                row[h % self.dimensions] += 1.0 if h & 1 << 16 else -1.0
            row /= np.sqrt(np.square(row).sum()) or 1
        return out


@pytest.fixture(scope="session")
def cm() -> IcdTree:
    return open_tree("icd10cm")


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> IcdIndex:
    """Of ICD-10-CM, and in no user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DXMATCH_CACHE", str(tmp_path_factory.mktemp("cache")))
        return IcdIndex.open("icd10cm", HashingEncoder(), Normalizer())


SMALL = Path(__file__).parents[1] / "data" / "small_tree.csv"


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def small(tmp_path: Path, own_cache: Path) -> Path:
    """A tree of its own, beside a cache of its own."""
    return shutil.copy(SMALL, tmp_path / "small.csv")
