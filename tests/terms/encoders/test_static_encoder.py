"""The static encoder: hashes, bits alone and in a batch, the file format and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.recipe.encoder.examples import BucketLists
from dxmatch.terms.encoders.static import FILE, Shape, StaticEncoder

SMALL = Shape(buckets=512, word_buckets=128, dimensions=16, pairs=True)
# Names, other scripts, astral characters, lone surrogates, runs of blanks; never blanks alone.
TEXTS = st.text(st.characters(codec=None), min_size=1, max_size=60).filter(str.strip)


RANDOM = np.random.default_rng(0)
ENCODER = StaticEncoder(
    SMALL, RANDOM.integers(0, 256, (512, 8), dtype=np.uint8), RANDOM.random(512, dtype=np.float32) + np.float32(0.01)
)
ARRAYS = ENCODER.arrays()


def test_a_bucket_stays_where_trained_weights_lie() -> None:
    """Words, pairs of words and n-grams by the hash that `hashing` describes: by code points, also beyond 16 bits. Of 20,000 pairs: tests/golden/pairs."""
    shapes = (Shape(buckets=1000, word_buckets=100, longest=3, pairs=pairs) for pairs in (True, False))
    with_pairs, without = (BucketLists.of(["left 𝔘"], shape).buckets.tolist() for shape in shapes)
    assert with_pairs == [4, 901, 307, 905, 162, 70, 65, 937] and without == [4, 901, 307, 905, 162, 70, 937]


def test_a_vector_worked_by_hand() -> None:
    """One word "x": the word's bucket and the gram "<x>"; dimension 0 in the low bits, dimension 1 in the high ones."""
    shape = Shape(buckets=2, word_buckets=1, dimensions=2)
    rows = np.array([[0xF0 | 0x8], [0x70 | 0xB]], np.uint8)
    encoder = StaticEncoder(shape, rows, np.array([2.0, 4.0], np.float32))
    # word: 2 * (8 - 7.5, 15 - 7.5) = (1, 15); gram: 4 * (11 - 7.5, 7 - 7.5) = (14, -2); sum (15, 13)
    np.testing.assert_allclose(encoder.encode(["x"])[0], np.array([15, 13]) / np.sqrt(15**2 + 13**2), rtol=1e-7)


@settings(deadline=None, max_examples=100)
@given(st.lists(TEXTS, min_size=1, max_size=40))
def test_alone_and_in_a_batch_the_same_bits_in_the_order_asked(texts: list[str]) -> None:
    together = ENCODER.encode(texts)
    assert together.shape == (len(texts), 16) and together.dtype == np.float32
    assert together.tobytes() == b"".join(ENCODER.encode([text]).tobytes() for text in texts)
    assert ENCODER.encode(texts[::-1]).tobytes() == together[::-1].tobytes()
    np.testing.assert_allclose(np.linalg.norm(together.astype(float), axis=1), 1, atol=1e-6)


def test_what_encode_refuses() -> None:
    with pytest.raises(OptionError, match="a list of strings"):
        ENCODER.encode("fever")
    for texts in (["fever", ""], ["fever"] * 100 + [" "]):
        with pytest.raises(InputError, match="without a character"):
            ENCODER.encode(texts)


def test_saved_and_loaded_is_the_same(tmp_path: Path) -> None:
    folder = ENCODER.save(tmp_path / "deep" / "folder")
    again = StaticEncoder.load(folder)
    assert (again.identity, again.shape) == (ENCODER.identity, SMALL)
    assert again.encode(["heart attack"]).tobytes() == ENCODER.encode(["heart attack"]).tobytes()
    whole = (folder / FILE).read_bytes()
    assert again.save(tmp_path / "again").joinpath(FILE).read_bytes() == whole
    for damaged in (whole[:-9], whole[9:], b""):
        (folder / FILE).write_bytes(damaged)
        with pytest.raises(ModelError, match=FILE):
            StaticEncoder.load(folder)
    with pytest.raises(ModelError, match="could not be read"):
        StaticEncoder.load(tmp_path / "nowhere")


def test_identity_follows_what_shapes_a_vector() -> None:
    rows, scales = ARRAYS["rows"].copy(), ARRAYS["scales"].copy()
    rows[3, 2] += 1
    scales[5] += 1
    other = Shape(buckets=512, word_buckets=128, dimensions=16, pairs=False)
    changed = (
        (SMALL, rows, ARRAYS["scales"]),
        (SMALL, ARRAYS["rows"], scales),
        (other, ARRAYS["rows"], ARRAYS["scales"]),
    )
    assert len({ENCODER.identity, *(StaticEncoder(*one).identity for one in changed)}) == 4


def configured(**fields: object) -> dict[str, np.ndarray]:
    return {"config": np.frombuffer(json.dumps(json.loads(ARRAYS["config"].tobytes()) | fields).encode(), np.uint8)}


ROWS, SCALES = ARRAYS["rows"], ARRAYS["scales"]
CONFIGS: list[dict[str, object]] = [
    {"buckets": 0}, {"buckets": 2**40}, {"buckets": "512"}, {"word_buckets": 512}, {"dimensions": 15}, {"shortest": 2},
    {"longest": 2}, {"pairs": 1}, {"version": 2}, {"format": "other"}, {"unknown": 1},
]  # fmt: skip
WRONG = [
    ({"more": SCALES}, "array"), ({"rows": ROWS[:-1]}, "array"), ({"rows": ROWS.astype(np.int8)}, "array"),
    ({"scales": SCALES[:, None]}, "array"), ({"scales": SCALES * np.float32(np.nan)}, "out of range"),
    ({"scales": -SCALES}, "out of range"), ({"scales": SCALES * np.float32(1e7)}, "out of range"),
    *((configured(**fields), "config") for fields in CONFIGS),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "told"), WRONG)
def test_arrays_and_settings_that_do_not_fit(wrong: dict[str, np.ndarray], told: str) -> None:
    with pytest.raises(ModelError, match=told):
        StaticEncoder.from_arrays({**ARRAYS, **wrong})
