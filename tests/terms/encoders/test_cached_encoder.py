"""Vectors on disk: the same bits, nothing encoded twice, and no fault of the disk stops a job."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dxmatch.errors import InputError, ModelError
from dxmatch.terms.encoders import Encoder
from dxmatch.terms.encoders.cached import ROWS, CachedEncoder

NAMES = ["gout", "flu", "heart attack", "болезнь крона", "gout", "a\0b", "\ud800", "flu" * 3000]


class Counting:
    """Unit vectors by the hash of the text; remembers what it was asked."""

    identity = "counting/encoder@1+x"

    def __init__(self, dimensions: int = 8) -> None:
        self.dimensions = dimensions
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        rows = [self.vector(text) for text in texts]
        return np.array(rows, np.float32).reshape(len(texts), self.dimensions)

    def vector(self, text: str) -> NDArray[np.float32]:
        if not text:
            raise InputError("a text without a character")
        random = np.random.default_rng(list(text.encode("utf-8", "surrogatepass")))
        vector = random.standard_normal(self.dimensions)
        return (vector / np.linalg.norm(vector)).astype(np.float32)


@pytest.fixture(autouse=True)
def warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def asked_on_the_way(folder: Path, texts: Sequence[str], dimensions: int = 8) -> list[str]:
    """What a new cached encoder must still encode; its vectors are checked on the way."""
    encoder = Counting(dimensions)
    np.testing.assert_array_equal(CachedEncoder(encoder, folder).encode(texts), Counting(dimensions).encode(texts))
    return encoder.asked


def test_the_same_bits_and_nothing_twice(tmp_path: Path) -> None:
    encoder = CachedEncoder(Counting(), tmp_path / "new" / "folder")
    assert isinstance(encoder, Encoder)
    assert encoder.identity == Counting.identity
    assert encoder.encode([]).shape == (0, 8)
    assert not encoder.path.exists()
    first = encoder.encode(NAMES)
    assert first.dtype == np.float32 and first.tobytes() == Counting().encode(NAMES).tobytes()
    assert sorted(encoder.encoder.asked) == sorted(set(NAMES))  # type: ignore[attr-defined]
    assert asked_on_the_way(tmp_path / "new" / "folder", [*NAMES[::-1], *NAMES]) == []
    assert asked_on_the_way(tmp_path / "new" / "folder", ["gout", "mumps", "flu", "mumps"]) == ["mumps"]
    assert [file.name for file in (tmp_path / "new" / "folder").iterdir()] == [encoder.path.name]
    assert b"heart attack" not in encoder.path.read_bytes(), "no diagnosis is in the file"


def test_each_batch_is_kept(tmp_path: Path) -> None:
    class Failing(Counting):
        def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if len(self.asked) >= 2 * ROWS:
                raise InputError("the server is gone")
            return super().encode(texts)

    names = [f"diagnosis {i:04}" for i in range(3 * ROWS)]
    with pytest.raises(InputError, match="gone"):
        CachedEncoder(Failing(), tmp_path).encode(names)
    assert asked_on_the_way(tmp_path, names) == names[2 * ROWS :]


def test_a_model_of_another_width_under_the_same_name(tmp_path: Path) -> None:
    asked_on_the_way(tmp_path, ["gout"])
    with pytest.raises(ModelError, match="now gives 16 numbers per string, and gave 8 before"):
        CachedEncoder(Counting(16), tmp_path).encode(["gout", "flu"])


@pytest.mark.parametrize(
    "damage", [lambda whole: b"x" * len(whole), lambda whole: whole[:4096] + bytes(len(whole) - 4096), lambda _: b""]
)
def test_a_damaged_file_is_told_and_left_alone(tmp_path: Path, damage: Any) -> None:
    names = [f"diagnosis {i}" for i in range(200)]
    asked_on_the_way(tmp_path, names)
    path = next(tmp_path.iterdir())
    path.write_bytes(damage(path.read_bytes()))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        asked_on_the_way(tmp_path, names)
    assert all("may be deleted" in str(warning.message) for warning in told) and (told or damage(b"x") == b"")
    path.unlink(missing_ok=True)
    asked_on_the_way(tmp_path, names)
    assert asked_on_the_way(tmp_path, names) == []


def test_no_flipped_bit_is_given_out(tmp_path: Path) -> None:
    """The vectors are always the encoder's; whether it was asked is another matter."""
    names = [f"diagnosis {i}" for i in range(100)]
    asked_on_the_way(tmp_path, names)
    path = next(tmp_path.iterdir())
    whole = path.read_bytes()
    for at in range(0, len(whole), 397):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        with warnings.catch_warnings(action="ignore"):
            asked_on_the_way(tmp_path, names)
        Path(f"{path}-journal").unlink(missing_ok=True)
