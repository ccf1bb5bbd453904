"""The sentence-transformers provider, on a tiny random model made here and on all-MiniLM-L6-v2."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from dxmatch.errors import InputError, MissingExtra, ModelError
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


def test_the_vectors_are_the_librarys_alone_and_in_a_batch(encoder: SentenceEncoder, tiny_sentence_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    assert isinstance(encoder, Encoder)
    plain = SentenceTransformer(str(tiny_sentence_model), device="cpu").encode(NAMES, normalize_embeddings=True)
    np.testing.assert_allclose(encoder.encode(NAMES), plain, atol=1e-5)
    random = np.random.default_rng(0)
    texts = NAMES + [
        "".join(random.choice([*"abcdef "], random.integers(3, 40))).strip() or "a" for _ in range(3 * ROWS)
    ]
    together = encoder.encode(texts)
    assert together.shape == (len(texts), 64) and together.dtype == np.float32
    for i, text in enumerate(texts):
        assert encoder.encode([text]).tobytes() == together[i : i + 1].tobytes()
    assert encoder.encode(texts[::-1]).tobytes() == together[::-1].tobytes()
    assert encoder.encode([]).shape == (0, 64)


def test_identity_follows_weights_and_prompt(
    encoder: SentenceEncoder, tiny_sentence_model: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(tiny_sentence_model, tmp_path / "copy")
    assert SentenceEncoder(copy, device="cpu").identity == encoder.identity
    assert SentenceEncoder(copy, prompt="query: ", device="cpu").identity != encoder.identity
    with (copy / "modules.json").open("a") as handle:
        handle.write("\n")
    assert SentenceEncoder(copy, device="cpu").identity != encoder.identity


def test_a_text_that_is_cut_is_told(encoder: SentenceEncoder) -> None:
    with pytest.warns(UserWarning, match=r"reads 48 tokens; 1 longer text\(s\) were cut"):
        assert np.isfinite(encoder.encode(["a b " * 100, "fever"])).all()


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
