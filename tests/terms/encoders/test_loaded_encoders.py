"""Encoders that sentence-transformers loads, on a tiny random model: as `[encoder.NAME]` declares them, and that nothing of a folder runs."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.errors import InputError, MissingExtra, ModelError, OptionError
from dxmatch.terms.encoders.declared import EncoderSpec
from dxmatch.terms.encoders.folders import hub_folder
from dxmatch.terms.encoders.sentence import ROWS, SentenceEncoder

from ...case_table import cases

pytest.importorskip("sentence_transformers", reason="a sentence encoder needs sentence-transformers (extra 'encoders')")


@pytest.mark.parametrize(("name", "text", "refused"), cases("encoders"))
def test_what_may_be_declared(name: str, text: str, refused: str) -> None:
    table = tomllib.loads(text)
    with pytest.raises(InputError, match=refused) if refused else contextlib.nullcontext():
        assert EncoderSpec.from_table(name, table, "mine.toml").to_dict() == table


def encode(folder: Path, *texts: str, **options: Any) -> Any:
    return SentenceEncoder(folder, device="cpu", **options).encode(texts)


def test_the_vectors_are_the_librarys_alone_and_in_a_batch(tiny_sentence_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    encoder, random = SentenceEncoder(tiny_sentence_model, device="cpu"), np.random.default_rng(0)
    texts = ["fever", "type 2 diabetes mellitus with ketoacidosis", "болезнь крона"]
    texts += ["".join(random.choice([*"abcdef "], random.integers(3, 40))).strip() or "a" for _ in range(ROWS)]
    together = encoder.encode(texts)
    plain = SentenceTransformer(str(tiny_sentence_model), device="cpu").encode(texts, normalize_embeddings=True)
    np.testing.assert_allclose(together, plain, atol=1e-5)
    for i in range(0, len(texts), 3):
        assert encoder.encode([texts[i]]).tobytes() == together[i : i + 1].tobytes()
    assert encoder.encode(texts[::-1]).tobytes() == together[::-1].tobytes()
    assert encoder.encode([]).shape == (0, 64)
    with pytest.warns(UserWarning, match=r"reads 48 tokens; 1 longer text\(s\) were cut"):
        assert np.isfinite(encoder.encode(["a b " * 100, "fever"])).all()


def test_a_declared_encoder_keeps_its_vectors(tiny_sentence_model: Path, own_cache: Path) -> None:
    spec, folders = EncoderSpec("tiny", "a/b", prompt="query ", device="cpu"), {"tiny": tiny_sentence_model}
    vectors = spec.open({}, folders=folders).encode(["fever", "gout", "fever"])
    assert vectors[:2].tobytes() == encode(tiny_sentence_model, "fever", "gout", prompt="query ").tobytes()
    again = spec.open({}, folders=folders)
    again.encoder.encode = None  # type: ignore[attr-defined] # all is on disk
    assert again.encode(["fever", "gout", "fever"]).tobytes() == vectors.tobytes()
    assert again.identity != SentenceEncoder(tiny_sentence_model, device="cpu").identity, "it follows the prompt"


def test_the_prompts_that_a_model_declares(tiny_sentence_model: Path, tmp_path: Path) -> None:
    """The tiny model, saying as some do that its prompt "query" is to be used by default."""
    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "prompted"))
    path = folder / "config_sentence_transformers.json"
    said = {"prompts": {"query": "query ", "document": ""}, "default_prompt_name": "query"}
    path.write_text(json.dumps(json.loads(path.read_text()) | said))
    asked, plain = encode(tiny_sentence_model, "query fever"), encode(tiny_sentence_model, "fever")
    for prompt, expected in ((None, asked), ("query ", asked), ("", plain)):
        np.testing.assert_allclose(encode(folder, "fever", prompt=prompt), expected, atol=1e-6)


def test_a_plain_transformer_is_told_how_to_pool(tiny_sentence_model: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    plain = tiny_sentence_model.parent / "plain"
    np.testing.assert_allclose(encode(plain, "fever", pooling="mean"), encode(tiny_sentence_model, "fever"), atol=1e-6)
    tokenizer, model = AutoTokenizer.from_pretrained(plain), AutoModel.from_pretrained(plain)
    with torch.no_grad():
        first = model(**tokenizer("acute gout", return_tensors="pt")).last_hidden_state[0, 0]
    np.testing.assert_allclose(encode(plain, "acute gout", pooling="cls")[0], first / first.norm(), atol=1e-6)
    with pytest.raises(ModelError, match=r"without modules\.json"):
        encode(plain, "fever")
    with pytest.raises(OptionError, match="left out where the model says it itself"):
        encode(tiny_sentence_model, "fever", pooling="cls")


def test_a_pinned_revision_and_a_name_that_cannot_be_reached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two commits of a hub's model, in a cache laid out as the hub's own library does; the network is never asked."""
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    repository = tmp_path / "models--owner--tiny"
    (repository / "refs").mkdir(parents=True)
    for commit, name in (("1" * 40, "v1"), ("2" * 40, "v2"), ("2" * 40, "main")):
        (repository / "refs" / name).write_text(commit)
        (repository / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    found = [hub_folder("owner/tiny", revision).name[0] for revision in ("v1", "v2", "1" * 40, None)]
    assert found == ["1", "2", "1", "2"]
    with pytest.raises(
        InputError, match="at v3: .*not in the hub's cache, and nothing is fetched unasked.*'allow_download'"
    ):
        hub_folder("owner/tiny", "v3")


def test_what_cannot_be_loaded(tiny_sentence_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = shutil.copytree(tiny_sentence_model, tmp_path / "broken")
    weights = next(broken.rglob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:200])
    with pytest.raises(ModelError, match="could not be loaded"):
        encode(broken, "fever")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingExtra, match=r"\[encoders\]"):
        encode(tiny_sentence_model, "fever")


TRUST = {"trust_remote_code": True}
AUTO = {"auto_map": {"AutoModel": "modeling_x.Model", "AutoTokenizer": "modeling_x.Model"}, "model_type": "own"} | TRUST
HOSTILE: dict[str, Any] = {
    "modules.json": [{"idx": 0, "name": "0", "path": "", "type": "modeling_x.Model"}], "config.json": AUTO, "tokenizer_config.json": AUTO,
    "sentence_bert_config.json": {"model_args": TRUST, "config_args": TRUST},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("file", HOSTILE)
def test_no_code_of_a_folder_runs(file: str, tiny_sentence_model: Path, tmp_path: Path) -> None:
    """Its library refuses such a folder, or opens it as data; nothing is fetched."""
    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "encoder"))
    marker, said = tmp_path / "marker", HOSTILE[file]
    (folder / "modeling_x.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nclass Model: ...\n")
    there = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(there | said if isinstance(there, dict) else [*there, *said]))
    with contextlib.suppress(ModelError, OptionError):
        assert np.isfinite(encode(folder, "gout")).all()
    assert not marker.exists()
