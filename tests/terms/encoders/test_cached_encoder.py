"""Vectors on disk: the same bits, nothing encoded twice, and no fault of the disk stops a job."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dxmatch.errors import InputError, ModelError
from dxmatch.terms.encoders.cached import ROWS, CachedEncoder

from ..conftest import HashingEncoder

NAMES = ["gout", "flu", "heart attack", "болезнь крона", "gout", "a\0b", "\ud800", "flu" * 3000]
pytestmark = pytest.mark.filterwarnings("error")


def asked_on_the_way(folder: Path, texts: Sequence[str]) -> list[str]:
    """What a new cached encoder must still encode; its vectors are checked on the way."""
    encoder = HashingEncoder()
    assert CachedEncoder(encoder, folder).encode(texts).tobytes() == HashingEncoder().encode(texts).tobytes()
    return encoder.asked


def test_the_same_bits_and_nothing_twice(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert CachedEncoder(HashingEncoder(), folder).encode([]).shape == (0, 96) and not folder.exists()
    assert sorted(asked_on_the_way(folder, NAMES)) == sorted(set(NAMES))
    assert asked_on_the_way(folder, [*NAMES[::-1], *NAMES]) == []
    assert asked_on_the_way(folder, ["gout", "mumps", "flu", "mumps"]) == ["mumps"]
    (file,) = folder.iterdir()
    assert b"heart attack" not in file.read_bytes(), "no diagnosis is in the file"
    with pytest.raises(ModelError, match="now gives 16 numbers per string, and gave 96 before"):
        CachedEncoder(HashingEncoder(16), folder).encode(["gout", "typhus"])


def test_each_batch_is_kept(tmp_path: Path) -> None:
    class Failing(HashingEncoder):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.asked) >= 2 * ROWS:
                raise InputError("the server is gone")
            return super().encode(texts)

    names = [f"diagnosis {i:04}" for i in range(3 * ROWS)]
    with pytest.raises(InputError, match="gone"):
        CachedEncoder(Failing(), tmp_path).encode(names)
    assert asked_on_the_way(tmp_path, names) == names[2 * ROWS :]


def test_a_damaged_file_is_told_and_gives_no_wrong_vector(tmp_path: Path) -> None:
    """Also where a single bit of it is another."""
    names = [f"diagnosis {i}" for i in range(100)]
    asked_on_the_way(tmp_path, names)
    (path,) = tmp_path.iterdir()
    whole, said = path.read_bytes(), []
    flipped = [whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :] for at in range(0, len(whole), 397)]
    for damaged in (b"x" * len(whole), whole[:4096] + bytes(len(whole) - 4096), b"", *flipped):
        path.write_bytes(damaged)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            asked_on_the_way(tmp_path, names)
        said.append([str(warning.message) for warning in told])
        Path(f"{path}-journal").unlink(missing_ok=True)
    assert all(said[:2]) and all("may be deleted" in text for each in said for text in each)
