"""`[encoder.NAME]` of a TOML file: what is refused, and what is opened."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import textwrap
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
from dxmatch.tests.terms.encoders.hostile_folders import ENCODERS, NAMES

from ...blocked_network import no_network  # noqa: F401

HERE = Endpoint("here", "http://127.0.0.1:9/v1")


def declared(text: str, name: str = "giga") -> EncoderSpec:
    return EncoderSpec.from_table(name, tomllib.loads(text), "mine.toml")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "text",
    [
        'model = "a/b"',
        'model = "a/b"\nrevision = "v1"\nprompt = "query: "\ndevice = "cpu"',
        'model = "a/b"\npooling = "cls"',
        'model = "a/b"\nendpoint = "here"',
        'model = "a/b"\nendpoint = "here"\nrevision = "v1"\nprompt = "query: "\ndimensions = 256',
    ],
)
def test_declared_and_written_back(text: str) -> None:
    spec = declared(text)
    assert spec.name == "giga"
    assert spec.to_dict() == tomllib.loads(text) == json.loads(json.dumps(spec.to_dict()))
    assert EncoderSpec.from_table("giga", spec.to_dict(), "model.json") == spec


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", r"mine\.toml: encoder giga: no 'model'. Allowed: text that is not blank."),
        ("model = 5", "no usable 'model'.*Got: 5"),
        ('model = " "', "no usable 'model'"),
        ('model = "a/b"\nrevison = "v1"', "an unknown key; did you mean 'revision'?.*Got: 'revison'"),
        ('model = "a/b"\nprompt = ""', "no usable 'prompt'"),
        ('model = "a/b"\nendpoint = true', "no usable 'endpoint'"),
        ('model = "a/b"\ntrust_remote_code = true', "an unknown key"),
        ('model = "a/b"\nendpoint = "e"\ndimensions = 0', "no usable 'dimensions'.*a whole number from 1"),
        ('model = "a/b"\nendpoint = "e"\ndimensions = true', "no usable 'dimensions'"),
        ('model = "a/b"\npooling = "middle"', "no usable 'pooling'. Allowed: cls, lasttoken, max, mean"),
        ('model = "a/b"\ndimensions = 256', "no 'dimensions' for a model that is loaded here"),
        ('model = "a/b"\nendpoint = "e"\npooling = "cls"', "no 'pooling' for a model that is served by an endpoint"),
        ('model = "a/b"\nendpoint = "e"\ndevice = "cpu"', "no 'device' for a model that is served by an endpoint"),
    ],
)
def test_what_is_refused(text: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        declared(text)


def test_names_that_are_refused_and_what_is_no_table() -> None:
    for name in ("shipped", "", "a b", "a:b"):
        with pytest.raises(InputError, match="a name that cannot be used"):
            declared('model = "a/b"', name)
    with pytest.raises(InputError, match="not a table"):
        EncoderSpec.from_table("giga", "a/b", "mine.toml")


def test_a_served_encoder(tmp_path: Path) -> None:
    spec = declared('model = "a/b"\nendpoint = "here"\nrevision = "v1"\nprompt = "query: "\ndimensions = 256')
    encoder = spec.open({"here": HERE})
    assert isinstance(encoder, CachedEncoder) and encoder.path.parent == tmp_path / "cache" / "vectors"
    assert encoder.identity == EndpointEncoder(HERE, "a/b", "v1", 256, "query: ").identity


def test_an_endpoint_that_nobody_gave() -> None:
    spec = declared('model = "a/b"\nendpoint = "there"')
    with pytest.raises(
        InputError,
        match=r"'giga' is served by the endpoint 'there'; a model folder never says.*Or: asking=dxmatch.Asking\(endpoints=…\) says it\.",
    ):
        spec.open({"here": HERE})


def test_a_loaded_encoder(tiny_sentence_model: Path) -> None:
    from dxmatch.terms.encoders.sentence import SentenceEncoder

    spec = EncoderSpec("tiny", str(tiny_sentence_model), prompt="query ", device="cpu")
    # What comes before the first "+" is compared when a trained model is loaded.
    folders = {"tiny": tiny_sentence_model}
    assert "+" not in spec.open({}, folders=folders).identity
    vectors = spec.open({}, folders=folders).encode(["fever", "gout", "fever"])
    again = spec.open({}, folders=folders)
    assert isinstance(again, CachedEncoder)
    again.encoder.encode = None  # type: ignore[method-assign] # all is on disk
    assert again.encode(["fever", "gout", "fever"]).tobytes() == vectors.tobytes()
    plain = SentenceEncoder(tiny_sentence_model, prompt="query ", device="cpu")
    assert again.identity == plain.identity and vectors[:2].tobytes() == plain.encode(["fever", "gout"]).tobytes()


@pytest.fixture
def with_default_prompt(tiny_sentence_model: Path, tmp_path: Path) -> Path:
    """The tiny model, saying as some do that its prompt "query" is to be used by default."""
    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "prompted"))
    path = folder / "config_sentence_transformers.json"
    config = json.loads(path.read_text())
    path.write_text(
        json.dumps({**config, "prompts": {"query": "query ", "document": ""}, "default_prompt_name": "query"})
    )
    return folder


def test_the_prompts_that_a_model_declares(with_default_prompt: Path, tiny_sentence_model: Path) -> None:
    from dxmatch.terms.encoders.sentence import SentenceEncoder

    def encode(folder: Path, prompt: str | None, *texts: str) -> Any:
        return SentenceEncoder(folder, prompt=prompt, device="cpu").encode(texts)

    asked = encode(tiny_sentence_model, None, "query fever", "query acute gout")
    np.testing.assert_allclose(encode(with_default_prompt, None, "fever", "acute gout"), asked, atol=1e-6)
    np.testing.assert_allclose(encode(with_default_prompt, "query ", "fever", "acute gout"), asked, atol=1e-6)
    plain = encode(tiny_sentence_model, None, "fever", "acute gout")
    np.testing.assert_allclose(encode(with_default_prompt, "", "fever", "acute gout"), plain, atol=1e-6)


def test_a_plain_transformer_is_told_how_to_pool(tiny_sentence_model: Path) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    from dxmatch.terms.encoders.sentence import SentenceEncoder

    plain = tiny_sentence_model.parent / "plain"
    names = ["fever", "acute gout"]
    mean = SentenceEncoder(plain, pooling="mean", device="cpu")
    whole = SentenceEncoder(tiny_sentence_model, device="cpu")
    np.testing.assert_allclose(mean.encode(names), whole.encode(names), atol=1e-6)
    cls = SentenceEncoder(plain, pooling="cls", device="cpu")
    assert len({mean.identity, cls.identity, whole.identity}) == 3
    tokenizer, model = AutoTokenizer.from_pretrained(plain), AutoModel.from_pretrained(plain)
    for name, vector in zip(names, cls.encode(names), strict=True):
        with torch.no_grad():
            first = model(**tokenizer(name, return_tensors="pt")).last_hidden_state[0, 0]
        np.testing.assert_allclose(vector, first / first.norm(), atol=1e-6)
    with pytest.raises(ModelError, match=r"without modules\.json"):
        SentenceEncoder(plain, device="cpu")
    with pytest.raises(OptionError, match="left out where the model says it itself"):
        SentenceEncoder(tiny_sentence_model, pooling="cls", device="cpu")


HUB = """
    import sys
    from dxmatch.terms.encoders.declared import EncoderSpec
    from dxmatch.errors import InputError, ModelError

    for revision in ("v1", "v2", "1" * 40, None):
        print(EncoderSpec("tiny", "owner/tiny", revision=revision, device="cpu").open({}).identity)
    try:
        EncoderSpec("tiny", "owner/tiny", revision="v3", device="cpu").open({})
    except InputError:
        print("no v3")
    print(EncoderSpec("plain", "owner/plain", pooling="cls", device="cpu").open({}).identity)
    try:
        EncoderSpec("plain", "owner/plain", device="cpu").open({})
    except ModelError as error:
        print(error)
"""


@pytest.mark.slow
def test_a_pinned_revision(tiny_sentence_model: Path, tmp_path: Path) -> None:
    """Two commits of a hub's model, in a cache laid out as the hub's own library does; the network is never asked."""
    repository = tmp_path / "hub" / "models--owner--tiny"
    (repository / "refs").mkdir(parents=True)
    for commit, name in (("1" * 40, "v1"), ("2" * 40, "v2"), ("2" * 40, "main")):
        (repository / "refs" / name).write_text(commit)
        if not (repository / "snapshots" / commit).exists():
            shutil.copytree(tiny_sentence_model, repository / "snapshots" / commit)
    plain = tmp_path / "hub" / "models--owner--plain"
    (plain / "refs").mkdir(parents=True)
    (plain / "refs" / "main").write_text("3" * 40)
    shutil.copytree(tiny_sentence_model.parent / "plain", plain / "snapshots" / ("3" * 40))
    env = {**os.environ, "HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1"}
    told = subprocess.check_output([sys.executable, "-c", textwrap.dedent(HUB)], text=True, env=env).splitlines()
    first, second, by_commit, default, absent, pooled, refused = told
    assert first == by_commit == f"owner/tiny@{'1' * 40}-8"
    assert second == default == f"owner/tiny@{'2' * 40}-8"
    assert absent == "no v3"
    assert pooled == f"owner/plain@{'3' * 40}-8-cls"
    assert refused.startswith("owner/plain: without modules.json")


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENCODERS)
def test_no_code_of_a_folder_runs(kind: str, tiny_sentence_model: Path, tmp_path: Path) -> None:
    """Its library refuses such a folder, or opens it as data; nothing is fetched."""
    from dxmatch.terms.encoders.sentence import SentenceEncoder

    folder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "encoder"))
    ENCODERS[kind](folder, tmp_path / "marker")
    with contextlib.suppress(ModelError, OptionError):
        assert np.isfinite(SentenceEncoder(folder, device="cpu").encode(["gout"])).all()
    assert not (tmp_path / "marker").exists()


@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_a_model_folder_is_opened(
    name: str, tiny_sentence_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where such a folder stands in the working directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SENTENCE_TRANSFORMERS_HOME", str(tmp_path / "hub"))
    shutil.copytree(tiny_sentence_model, tmp_path / "attacker" / "model")
    model = name.format(encoder=tiny_sentence_model, url="http://127.0.0.1:1") if "{" in name else name
    with pytest.raises(InputError):
        EncoderSpec("enc", model).open({})


def test_a_users_own_file_names_folders_from_where_it_stands(tiny_sentence_model: Path, tmp_path: Path) -> None:
    own = tmp_path / "set.toml"
    shutil.copytree(tiny_sentence_model, tmp_path / "models" / "tiny")
    cosine = "[[feature]]\nname = '{0}'\nkind = 'cosine'\nencoder = '{1}'\n"
    own.write_text(
        cosine.format("x", "mine") + cosine.format("y", "sentence-transformers:models/tiny")
        + cosine.format("z", "hub") + "[encoder.mine]\nmodel = 'models/tiny'\n[encoder.hub]\nmodel = 'models/tiny'\nrevision = 'main'\n"
    )  # fmt: skip
    features = FeatureSet.read(own)
    folder = tmp_path / "models" / "tiny"
    assert features.folders == {"mine": folder, "sentence-transformers:models/tiny": folder}
    assert FeatureSet.from_dict(features.to_dict()).folders == {}, "a model keeps the words alone"
