from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dxmatch.terms.icd import IcdIndex, IcdTree, open_tree
from dxmatch.terms.text.normalizer import Normalizer


class HashingEncoder:
    """Untrained: signed counts of hashed words and character n-grams, each text on its own."""

    def __init__(self, dimensions: int = 96) -> None:
        self.dimensions, self.identity = dimensions, f"hashing-{dimensions}"
        self.calls: list[int] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.calls.append(len(texts))
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
def normalizer() -> Normalizer:
    return Normalizer()


@pytest.fixture(scope="session")
def encoder() -> HashingEncoder:
    return HashingEncoder()


@pytest.fixture(scope="session")
def opened(cm: IcdTree, normalizer: Normalizer, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., IcdIndex]:
    """Opens an index of ICD-10-CM; what is made for tests alone is in no user's cache."""
    folder = tmp_path_factory.mktemp("cache")

    def made(encoder: HashingEncoder, **options: Any) -> IcdIndex:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DXMATCH_CACHE", str(folder))
            return IcdIndex.open("icd10cm", encoder, normalizer, **options)

    return made


@pytest.fixture(scope="session")
def index(opened: Callable[..., IcdIndex], encoder: HashingEncoder) -> IcdIndex:
    return opened(encoder)


SMALL = """code,name,parent
IX,Diseases of the circulatory system,
I20-I25,Ischaemic heart diseases,IX
I21,Acute myocardial infarction,I20-I25
I21.9,"Acute myocardial infarction, unspecified",I21
I21.0,Anterior wall infarction,I21
I20,Angina pectoris,I20-I25
I10,Essential hypertension,IX
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree of its own, beside a cache of its own."""
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "c"))
    path = tmp_path / "small.csv"
    path.write_text(SMALL, encoding="utf-8")
    return path
