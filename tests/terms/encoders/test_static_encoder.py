"""The static encoder: hashes, bits alone and in a batch, the file format and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.models.folder import shipped_parts
from dxmatch.recipe.encoder.examples import BucketLists
from dxmatch.terms.encoders.static import FILE, Shape, StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer

from ...plain_hashing import PAIR, WORD, buckets, hashed

SMALL = Shape(buckets=512, word_buckets=128, dimensions=16, pairs=True)
# Names, other scripts, astral characters, lone surrogates, runs of blanks; never blanks alone.
TEXTS = st.text(st.characters(codec=None), min_size=1, max_size=60).filter(str.strip)


def random_encoder(shape: Shape = SMALL, seed: int = 0) -> StaticEncoder:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 256, (shape.buckets, shape.dimensions // 2), dtype=np.uint8)
    return StaticEncoder(shape, rows, random.random(shape.buckets, dtype=np.float32) + np.float32(0.01))


@pytest.fixture(scope="module")
def encoder() -> StaticEncoder:
    return random_encoder()


# A changed hash would make all weights that were ever trained worthless.
GOLDEN = {
    (WORD, "fever"): 1312851005, (PAIR, "heart attack"): 3997607054, (3, "<he"): 1173940831,
    (4, "крон"): 1904885003, (5, "𝔘bcde"): 3563085284, (WORD, ""): 90457223,
}  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.lists(st.text(max_size=40), min_size=1, max_size=5), st.booleans(), st.integers(3, 5), st.integers(0, 2))
def test_buckets_equal_the_plain_ones(texts: list[str], pairs: bool, shortest: int, more: int) -> None:
    assert [hashed(*key) for key in GOLDEN] == [*GOLDEN.values()]
    cut = (100, 900, shortest, shortest + more, pairs)
    words, grams, *_ = cut
    lists = BucketLists.of(
        texts, Shape(buckets=words + grams, word_buckets=words, shortest=shortest, longest=shortest + more, pairs=pairs)
    )
    assert lists.buckets.tolist() == [bucket for text in texts for bucket in buckets(text, *cut)]
    assert lists.starts[1:].tolist() == np.cumsum([len(buckets(text, *cut)) for text in texts]).tolist()


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
    encoder = random_encoder()
    together = encoder.encode(texts)
    assert together.shape == (len(texts), 16) and together.dtype == np.float32
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert together.tobytes() == alone.tobytes()
    assert encoder.encode(texts[::-1]).tobytes() == together[::-1].tobytes()
    np.testing.assert_allclose(np.linalg.norm(together.astype(float), axis=1), 1, atol=1e-6)


def test_what_encode_refuses(encoder: StaticEncoder) -> None:
    with pytest.raises(OptionError, match="a list of strings"):
        encoder.encode("fever")
    for texts in (["fever", ""], ["  "], ["fever"] * 100 + [" "]):
        with pytest.raises(InputError, match="without a character"):
            encoder.encode(texts)


def test_save_and_load(encoder: StaticEncoder, tmp_path: Path) -> None:
    tensors = encoder.arrays()
    told = StaticEncoder(SMALL, tensors["rows"], tensors["scales"], training={"seed": 1}, measured={"at_1": 0.5})
    assert told.save(tmp_path / "deep" / "folder") == tmp_path / "deep" / "folder"
    again = StaticEncoder.load(tmp_path / "deep" / "folder")
    assert (again.identity, again.shape) == (encoder.identity, SMALL)
    assert (again.training, again.measured) == ({"seed": 1}, {"at_1": 0.5})
    assert again.encode(["heart attack"]).tobytes() == encoder.encode(["heart attack"]).tobytes()
    whole = (tmp_path / "deep" / "folder" / FILE).read_bytes()
    assert again.save(tmp_path / "again").joinpath(FILE).read_bytes() == whole
    for damaged in (whole[:-9], whole[9:], b""):
        (tmp_path / "again" / FILE).write_bytes(damaged)
        with pytest.raises(ModelError, match=FILE):
            StaticEncoder.load(tmp_path / "again")
    with pytest.raises(ModelError, match="could not be read"):
        StaticEncoder.load(tmp_path / "nowhere")


def test_identity_follows_what_shapes_a_vector(encoder: StaticEncoder) -> None:
    assert encoder.identity.startswith("static-") and len(encoder.identity) == 19
    tensors = encoder.arrays()
    for name, at in (("rows", (3, 2)), ("scales", 5)):
        changed = {key: value.copy() for key, value in tensors.items()}
        changed[name][at] += 1
        assert StaticEncoder(SMALL, changed["rows"], changed["scales"]).identity != encoder.identity
    other = Shape(buckets=512, word_buckets=128, dimensions=16, pairs=False)
    assert StaticEncoder(other, tensors["rows"], tensors["scales"]).identity != encoder.identity


def configured(encoder: StaticEncoder, config: bytes) -> StaticEncoder:
    return StaticEncoder.from_arrays({**encoder.arrays(), "config": np.frombuffer(config, np.uint8)})


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("buckets", 0), ("buckets", 2**40), ("buckets", "512"), ("word_buckets", 512), ("dimensions", 15), ("shortest", 2),
        ("longest", 2), ("pairs", 1), ("version", 2), ("format", "other"), ("unknown", 1),
    ],
)  # fmt: skip
def test_a_config_that_cannot_be_right(encoder: StaticEncoder, field: str, value: object) -> None:
    config = json.loads(encoder.arrays()["config"].tobytes()) | {field: value}
    with pytest.raises(ModelError, match="config"):
        configured(encoder, json.dumps(config).encode())


def test_arrays_that_do_not_fit(encoder: StaticEncoder) -> None:
    config, rows, scales = encoder.arrays().values()
    for wrong in (
        {"rows": rows}, {"rows": rows, "scales": scales, "more": scales}, {"rows": rows[:-1], "scales": scales},
        {"rows": rows.astype(np.int8), "scales": scales}, {"rows": rows, "scales": scales.astype(np.float64)},
        {"rows": rows, "scales": scales[:, None]}, {"rows": rows.ravel(), "scales": scales},
    ):  # fmt: skip
        with pytest.raises(ModelError, match="array"):
            StaticEncoder.from_arrays({"config": config, **wrong})
    for bad in (np.nan, np.inf, -1.0, 1e7):
        with pytest.raises(ModelError, match="a scale out of range"):
            wrong = scales.copy()
            wrong[9] = bad
            StaticEncoder.from_arrays({"config": config, "rows": rows, "scales": wrong})


def test_the_shipped_encoder_knows_synonyms_and_is_small() -> None:
    shipped = StaticEncoder.from_arrays(shipped_parts().encoder or {})
    assert sum(array.nbytes for array in shipped.arrays().values()) <= 20_000_000
    names = ["kidney stone", "nephrolithiasis", "kidney cancer", "myocardal infarktion", "myocardial infarction"]
    vectors = shipped.encode([*map(Normalizer(), names)])
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2] + 0.2
    assert cosines[3, 4] > 0.4 > cosines[3, :3].max() + 0.1
