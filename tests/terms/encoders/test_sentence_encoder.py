"""The sentence-transformers provider, on a tiny random model made here and on all-MiniLM-L6-v2."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from dxmatch.errors import InputError, MissingExtra, ModelError, OptionError
from dxmatch.terms.encoders import Encoder
from dxmatch.terms.encoders.sentence import ROWS, SentenceEncoder

pytest.importorskip("sentence_transformers", reason="a sentence encoder needs sentence-transformers (extra 'encoders')")

NAMES = [
    "fever", "heart attack", "acute myocardial infarction", "panic attack", "type 2 diabetes mellitus with ketoacidosis",
    "gout", "chronic obstructive pulmonary disease", "mumps", "болезнь крона", "stroke", "left femur fracture", "flu",
]  # fmt: skip


@pytest.fixture(scope="module")
def encoder(tiny_sentence_model: Path) -> SentenceEncoder:
    return SentenceEncoder(tiny_sentence_model, device="cpu")


def test_unit_rows_in_the_order_asked(encoder: SentenceEncoder) -> None:
    vectors = encoder.encode(NAMES)
    assert isinstance(encoder, Encoder)
    assert vectors.shape == (len(NAMES), 64) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(float), axis=1), 1, atol=1e-6)
    assert encoder.encode(NAMES[::-1]).tobytes() == vectors[::-1].tobytes()
    assert len({row.tobytes() for row in vectors}) == len(NAMES)
    assert encoder.encode([]).shape == (0, 64)


def test_the_vectors_are_the_librarys(encoder: SentenceEncoder, tiny_sentence_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(tiny_sentence_model), device="cpu").encode(NAMES, normalize_embeddings=True)
    np.testing.assert_allclose(encoder.encode(NAMES), plain, atol=1e-5)


def test_alone_and_in_a_batch_the_same_bits(encoder: SentenceEncoder) -> None:
    random = np.random.default_rng(0)
    texts = ["".join(random.choice([*"abcdef "], random.integers(3, 40))).strip() or "a" for _ in range(5 * ROWS)]
    together = encoder.encode(texts)
    for i, text in enumerate(texts):
        assert encoder.encode([text]).tobytes() == together[i : i + 1].tobytes()


def test_identity_follows_weights_prompt_and_rows(
    encoder: SentenceEncoder, tiny_sentence_model: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(tiny_sentence_model, tmp_path / "copy")
    assert SentenceEncoder(copy, device="cpu").identity == encoder.identity
    assert SentenceEncoder(copy, prompt="query: ", device="cpu").identity != encoder.identity
    assert SentenceEncoder(copy, rows=4, device="cpu").identity != encoder.identity
    with (copy / "modules.json").open("a") as handle:
        handle.write("\n")
    assert SentenceEncoder(copy, device="cpu").identity != encoder.identity


def test_a_text_that_is_cut_is_told(encoder: SentenceEncoder) -> None:
    with pytest.warns(UserWarning, match=r"reads 48 tokens; 1 longer text\(s\) were cut"):
        assert np.isfinite(encoder.encode(["a b " * 100, "fever"])).all()


def test_what_encode_refuses(encoder: SentenceEncoder) -> None:
    with pytest.raises(OptionError, match="a list of strings"):
        encoder.encode("fever")
    with pytest.raises(InputError, match="without a character"):
        encoder.encode(["fever", " "])


def test_what_is_no_model(tiny_sentence_model: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"without modules\.json"):
        SentenceEncoder(tmp_path)
    broken = shutil.copytree(tiny_sentence_model, tmp_path / "broken")
    weights = next(broken.rglob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:200])
    with pytest.raises(ModelError, match="could not be loaded"):
        SentenceEncoder(broken, device="cpu")


def test_a_hub_name_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants as constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="could not be fetched from the hub"):
        SentenceEncoder("nobody/no-such-model", device="cpu", allow_download=True)
    with pytest.raises(
        InputError,
        match=r"not in the hub's cache, and nothing is fetched unasked.*Or: loading=dxmatch.Loading\(allow_download=True\)",
    ):
        SentenceEncoder("nobody/no-such-model", device="cpu")


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"\[encoders\]"):
        SentenceEncoder("any/model")
