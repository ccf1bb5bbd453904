from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.endpoints.endpoint import Endpoint, endpoints_of, read_services
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet

SECRET = "sk-a1b2c3d4e5"


def test_an_endpoint() -> None:
    table = {"url": "https://models.example/v1/", "key_env": "MY_KEY", "concurrency": 64, "per_minute": 500}
    assert endpoints_of({"endpoint": {"e": table}}, "f.toml")["e"] == Endpoint(
        "e", "https://models.example/v1", "MY_KEY", concurrency=64, per_minute=500
    )


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({}, "no 'url'"),
        ({"url": "localhost:8000"}, "no usable 'url'"),
        ({"url": "ftp://h/v1"}, "no usable 'url'"),
        ({"url": "http://h:port/v1"}, "no usable 'url'"),
        ({"url": f"http://me:{SECRET}@h/v1"}, "no usable 'url'"),
        ({"url": f"http://h/v1?api-key={SECRET}"}, "no usable 'url'"),
        ({"url": "http://h/v1", "proxy": f"http://me:{SECRET}@p"}, "no usable 'proxy'"),
        ({"url": "http://h/v1", "key_env": SECRET}, "never the key itself"),
        ({"url": "http://h/v1", "key": SECRET}, "an unknown key; did you mean 'key_env'"),
        ({"url": "http://h/v1", "api_key": SECRET}, "an unknown key"),
        ({"url": "http://h/v1", "concurency": 4}, "did you mean 'concurrency'"),
        ({"url": "http://h/v1", "concurrency": 0}, "a whole number from 1"),
        ({"url": "http://h/v1", "concurrency": True}, "a whole number from 1"),
        ({"url": "http://h/v1", "timeout": "60"}, "a number above 0"),
        ({"url": "http://h/v1", "per_minute": float("inf")}, "a number above 0"),
        ("http://h/v1", "not a table"),
    ],
)
def test_endpoints_that_cannot_be_right(table: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        endpoints_of({"endpoint": {"e": table}}, "f.toml")
    assert SECRET not in str(error.value)


def test_the_key_comes_from_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    endpoint = Endpoint("e", "http://h/v1", "DXMATCH_TEST_KEY")
    with pytest.raises(InputError, match="DXMATCH_TEST_KEY, which is not set"):
        endpoint.key()
    monkeypatch.setenv("DXMATCH_TEST_KEY", SECRET)
    assert endpoint.key() == SECRET
    assert SECRET not in repr(endpoint)
    assert Endpoint("e", "http://h/v1").key() == ""


def test_a_file_of_endpoints(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text("[endpoint.a]\nurl = 'http://h/v1'\n")
    assert list(read_services(tmp_path / "e.toml")[0]) == ["a"]
    (tmp_path / "none.toml").write_text("name = 'x'\n")
    with pytest.raises(InputError, match="no endpoints"):
        read_services(tmp_path / "none.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_services(tmp_path / "absent.toml")


def test_paper17() -> None:
    """The columns of the design, in its order, under their public names; what a model keeps has no address in it."""
    paper = FeatureSet.read("paper17")
    assert paper.names == (
        "vote_llama31_70b", "vote_qwen25_7b", "vote_gigachat_max", "vote_vikhr_nemo_12b", "vote_phi4",
        "icd_qwen25_7b", "icd_vikhr_nemo_12b", "icd_nearest", "cosine_giga", "cosine_bergamot", "cosine_arctic",
        "ratio_unigram", "ratio_bigram", "ratio_stem", "ratio_lemma", "ratio_pos", "levenshtein",
    )  # fmt: skip
    kept = paper.to_dict()
    assert FeatureSet.from_dict(kept) == paper
    assert "http" not in str(kept)
    assert "GIGACHAT_TOKEN" not in str(kept)


def test_endpoints_of_another_file_go_first(tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(
        "[endpoint.local]\nurl = 'http://elsewhere/v1'\n[price.'microsoft/phi-4']\nprompt = 1\ncompletion = 2\n"
    )
    paper = FeatureSet.read("paper17", tmp_path / "e.toml")
    assert paper.endpoints["local"].url == "http://elsewhere/v1"
    assert paper.endpoints["gigachat"] == FeatureSet.read("paper17").endpoints["gigachat"]
    assert paper.prices["microsoft/phi-4"].of(1e6, 1e6) == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'", r"feature v is without an endpoint.*\[endpoint.NAME\]"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nendpoint='locl'\n[endpoint.local]\nurl='http://h/v1'", "did you mean 'local'"),
        ("[[feature]]\nname='v'\nkind='vote'\nendpoint='e'", "no 'model'"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nmodle='m'", "did you mean 'model'"),
        ("[[feature]]\nname='v'\nkind='voet'\nmodel='m'", "did you mean 'vote'"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\norder='bth'", "Allowed: both, canonical"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nrepeats='3'", "no usable 'repeats'. Allowed: a whole number. Got: '3'"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nrepeats=0", "'repeats' is not between 1 and 100"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nsoft=1", "no usable 'soft'. Allowed: true or false. Got: 1"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel=' '", "the model has no name"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nparameters={messages=1}", "sets what dxmatch sets itself: messages"),
        ("[[feature]]\nname='v'\nkind='vote'\nmodel='m'\nprompt='imported'\nrepeats=2", "an imported vote is never asked for"),
        ("[[feature]]\nname='c'\nkind='cosine'\nencoder='giag'\n[encoder.giga]\nmodel='m'", "an unknown encoder; did you mean 'giga'"),
        ("[[feature]]\nname='c'\nkind='cosine'\nencoder='g'\n[encoder.g]\nmodel='m'\nendpoint='e'", "encoder g: an unknown endpoint"),
        ("[[feature]]\nname='c'\nkind='levenshtein'\n[price.m]\nprompt=-1\ncompletion=1", "price of m: no usable 'prompt'"),
        ("encoder=1\n[[feature]]\nname='c'\nkind='levenshtein'", "no usable 'encoder'. Allowed: tables \\[encoder.NAME\\]. Got: 1"),
        ("[[feature]]\nname='v'\nkind='icd_pick'\nmodel='m'\nk=0", "'k' is not between 1 and 100"),
    ],
)  # fmt: skip
def test_providers_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        FeatureSet.read(tmp_path / "set.toml")
