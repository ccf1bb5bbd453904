"""`[encoder.NAME]` of a TOML file: what is refused, what is opened, and that nothing of a folder runs."""

from __future__ import annotations

import contextlib
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.encoders.cached import CachedEncoder
from dxmatch.terms.encoders.declared import EncoderSpec
from dxmatch.terms.encoders.endpoint import EndpointEncoder
from dxmatch.terms.encoders.folders import hub_folder

from ...blocked_network import no_network  # noqa: F401

HERE = Endpoint("here", "http://127.0.0.1:9/v1")


def declared(text: str, name: str = "giga") -> EncoderSpec:
    return EncoderSpec.from_table(name, tomllib.loads(text), "mine.toml")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "more",
    ['revision = "v1"\nprompt = "query: "\ndevice = "cpu"', 'pooling = "cls"', 'endpoint = "here"\nrevision = "v1"\nprompt = "query: "\ndimensions = 256'],
)  # fmt: skip
def test_declared_and_written_back(more: str) -> None:
    table = tomllib.loads('model = "a/b"\n' + more)
    spec = EncoderSpec.from_table("giga", table, "mine.toml")
    assert spec.name == "giga" and spec.to_dict() == table


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"mine\.toml: encoder giga: no 'model'. Allowed: text that is not blank."),
        ('model = " "', "no usable 'model'"),
        ('model = "a/b"\nrevison = "v1"', "an unknown key; did you mean 'revision'?.*Got: 'revison'"),
        ('model = "a/b"\ntrust_remote_code = true', "an unknown key"),
        ('model = "a/b"\nendpoint = "e"\ndimensions = 0', "no usable 'dimensions'.*a whole number from 1"),
        ('model = "a/b"\npooling = "middle"', "no usable 'pooling'. Allowed: cls, lasttoken, max, mean"),
        ('model = "a/b"\ndimensions = 256', "no 'dimensions' for a model that is loaded here"),
        ('model = "a/b"\nendpoint = "e"\npooling = "cls"', "no 'pooling' for a model that is served by an endpoint"),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        declared(text)
    for name in ("shipped", "a b"):
        with pytest.raises(InputError, match="a name that cannot be used"):
            declared('model = "a/b"', name)
    with pytest.raises(InputError, match="not a table"):
        EncoderSpec.from_table("giga", "a/b", "mine.toml")


def test_a_served_encoder(tmp_path: Path) -> None:
    text = 'model = "a/b"\nendpoint = "here"\nrevision = "v1"\nprompt = "query: "\ndimensions = 256'
    encoder = declared(text).open({"here": HERE})
    assert isinstance(encoder, CachedEncoder) and encoder.path.parent == tmp_path / "cache" / "vectors"
    assert encoder.identity == EndpointEncoder(HERE, "a/b", "v1", 256, "query: ").identity
    told = r"'giga' is served by the endpoint 'there'; a model folder never says.*Or: asking=dxmatch.Asking\(endpoints=…\) says it\."
    with pytest.raises(InputError, match=told):
        declared('model = "a/b"\nendpoint = "there"').open({"here": HERE})


def encode(folder: Path, *texts: str, **options: Any) -> Any:
    from dxmatch.terms.encoders.sentence import SentenceEncoder

    return SentenceEncoder(folder, device="cpu", **options).encode(texts)


def test_a_loaded_encoder(tiny_sentence_model: Path) -> None:
    spec = EncoderSpec("tiny", str(tiny_sentence_model), prompt="query ", device="cpu")
    folders = {"tiny": tiny_sentence_model}
    vectors = spec.open({}, folders=folders).encode(["fever", "gout", "fever"])
    again = spec.open({}, folders=folders)
    # What comes before the first "+" is compared when a trained model is loaded.
    assert isinstance(again, CachedEncoder) and "+" not in again.identity
    again.encoder.encode = None  # type: ignore[method-assign] # all is on disk
    assert again.encode(["fever", "gout", "fever"]).tobytes() == vectors.tobytes()
    assert vectors[:2].tobytes() == encode(tiny_sentence_model, "fever", "gout", prompt="query ").tobytes()


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


def test_a_pinned_revision(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two commits of a hub's model, in a cache laid out as the hub's own library does; the network is never asked."""
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path))
    repository = tmp_path / "models--owner--tiny"
    (repository / "refs").mkdir(parents=True)
    for commit, name in (("1" * 40, "v1"), ("2" * 40, "v2"), ("2" * 40, "main")):
        (repository / "refs" / name).write_text(commit)
        (repository / "snapshots" / commit).mkdir(parents=True, exist_ok=True)
    found = [hub_folder("owner/tiny", revision).name[0] for revision in ("v1", "v2", "1" * 40, None)]
    assert found == ["1", "2", "1", "2"]
    with pytest.raises(InputError, match="at v3: .*allow_download=True"):
        hub_folder("owner/tiny", "v3")


AUTO = {
    "auto_map": {"AutoModel": "modeling_x.Model", "AutoTokenizer": "modeling_x.Model"},
    "model_type": "unknown-type",
}
HOSTILE: dict[str, tuple[str, Any]] = {
    "own code as module": ("modules.json", [{"idx": 0, "name": "0", "path": "", "type": "modeling_x.Model"}]),
    "auto_map of the model": ("config.json", AUTO | {"trust_remote_code": True}),
    "auto_map of the tokenizer": ("tokenizer_config.json", AUTO | {"trust_remote_code": True}),
    "arguments": ("sentence_bert_config.json", {"model_args": {"trust_remote_code": True}, "config_args": {"trust_remote_code": True}}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_no_code_of_a_folder_runs(kind: str, tiny_sentence_model: Path, tmp_path: Path) -> None:
    """Its library refuses such a folder, or opens it as data; nothing is fetched."""
    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "encoder"))
    marker, (file, said) = tmp_path / "marker", HOSTILE[kind]
    (folder / "modeling_x.py").write_text(f"import os\nos.mkdir({str(marker)!r})\nclass Model: ...\n")
    there = json.loads((folder / file).read_text())
    (folder / file).write_text(json.dumps(there | said if isinstance(there, dict) else [*there, *said]))
    with contextlib.suppress(ModelError, OptionError):
        assert np.isfinite(encode(folder, "gout")).all()
    assert not marker.exists()


@pytest.mark.parametrize("name", ["attacker/model", "{encoder}", "../encoder", "~/encoder", "/etc/passwd", ".", "//attacker/share/model", "https://huggingface.co/attacker/model", "attacker/model@main", "attacker/model\n"])  # fmt: skip
def test_no_name_of_a_model_folder_is_opened(name: str, tiny_sentence_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    """Not even where such a folder stands in the working directory."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(tiny_sentence_model, tmp_path / "attacker" / "model")
    with pytest.raises(InputError):
        EncoderSpec("enc", name.format(encoder=tiny_sentence_model)).open({})


def test_a_users_own_file_names_folders_from_where_it_stands(tiny_sentence_model: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "models" / "tiny"))
    cosine = "[[feature]]\nname = '{0}'\nkind = 'cosine'\nencoder = '{1}'\n"
    (tmp_path / "set.toml").write_text(
        cosine.format("x", "mine") + cosine.format("y", "sentence-transformers:models/tiny") + "[encoder.mine]\nmodel = 'models/tiny'\n"
    )  # fmt: skip
    features = FeatureSet.read(tmp_path / "set.toml")
    assert features.folders == {"mine": folder, "sentence-transformers:models/tiny": folder}
    assert FeatureSet.from_dict(features.to_dict()).folders == {}, "a model keeps the words alone"
