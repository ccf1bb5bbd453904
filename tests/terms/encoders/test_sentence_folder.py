"""Sentence-transformers folders made to do harm, and what a model folder may call an encoder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from dxmatch.errors import InputError, ModelError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.terms.encoders.declared import EncoderSpec
from dxmatch.terms.encoders.hub import hub_folder
from dxmatch.terms.encoders.sentence_folder import check_sentence_folder
from dxmatch.tests.terms.encoders.hostile_folders import ENCODERS, NAMES

from ...blocked_network import no_network  # noqa: F401

REFUSED = {
    "Popen as module": "a module of the class 'subprocess.Popen'. Allowed: Dense, ",
    "own code as module": "a module of the class 'modeling_x.Model'",
    "pickle by a back way": "a module of the class 'sentence_transformers.base.model.pickle'",
    "torch by a back way": "a module of the class",
    "a module's function": "a module of the class",
    "router": "a module of the class",
    "no class": "a module of the class 7",
    "path up": "a module outside the folder: '../..'",
    "path absolute": "a module outside the folder: '/etc'",
    "modules no list": "not a list of modules",
    "modules no JSON": "not JSON",
    "auto_map config": "code of the model's own (auto_map), which dxmatch never runs",
    "auto_map tokenizer": "code of the model's own (auto_map)",
    "auto_map deep": "code of the model's own (auto_map)",
    "custom pipelines": "code of the model's own (custom_pipelines)",
    "adapter of a hub": "an adapter, which stands on another model",
    "kernels": "a kernel of the hub (_attn_implementation): 'kernels-community/flash-attn'",
    "tokenizer of a hub": "a file outside the folder (tokenizer_name_or_path): 'attacker/tokenizer'",
    "arguments trust": "model_args other than",
    "arguments offload": "model_kwargs other than",
    "vocabulary by path": "a file outside the folder (vocab_file): '/etc/passwd'",
    "vocabulary by address": "a file outside the folder (vocab_file): 'https://attacker/vocab.txt'",
    "dense by system": "an activation that is none of torch.nn: 'os.system'",
    "dense by torch's hub": "an activation that is none of torch.nn: 'torch.hub.load'",
    "link to passwd": "a link that leads out of the folder",
    "link of weights": "a link that leads out of the folder",
    "link of a folder": "a link that leads out of the folder",
    "config not UTF-8": "not JSON",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_folder_that_leads_out_or_brings_code(kind: str, tiny_sentence_model: Path, tmp_path: Path) -> None:
    encoder = Path(shutil.copytree(tiny_sentence_model, tmp_path / "encoder"))
    check_sentence_folder(encoder)
    ENCODERS[kind](encoder, tmp_path / "marker")
    with pytest.raises(ModelError) as raised:
        check_sentence_folder(encoder)
    assert REFUSED[kind] in str(raised.value) and str(raised.value).isprintable()
    assert not (tmp_path / "marker").exists()


def test_a_hubs_cache_links_to_its_blobs(tiny_sentence_model: Path, tmp_path: Path) -> None:
    repository = tmp_path / "models--owner--tiny"
    snapshot = Path(shutil.copytree(tiny_sentence_model, repository / "snapshots" / ("1" * 40)))
    (repository / "blobs").mkdir()
    shutil.move(snapshot / "model.safetensors", repository / "blobs" / "2")
    (snapshot / "model.safetensors").symlink_to("../../blobs/2")
    check_sentence_folder(snapshot)
    (snapshot / "more.txt").symlink_to("../../../elsewhere")
    with pytest.raises(ModelError, match="leads out of the folder"):
        check_sentence_folder(snapshot)


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


@pytest.mark.parametrize("revision", ["../../x", "a..b", "/etc", "", "a b", "\n", "x" * 300])
def test_what_is_no_revision(revision: str) -> None:
    with pytest.raises(InputError, match="no revision of the hub"):
        hub_folder("owner/model", revision)


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
