from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.endpoints.endpoint import Endpoint, endpoints_of, read_services
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet

SECRET = "sk-a1b2c3d4e5"


AT = {"url": "http://h/v1"}


@pytest.mark.parametrize(("table", "message"), [
    ({}, "no 'url'"), ("http://h/v1", "not a table"),
    *[({"url": url}, "no usable 'url'") for url in ("localhost:8000", "ftp://h/v1", "http://h:port/v1", f"http://me:{SECRET}@h/v1", f"http://h/v1?api-key={SECRET}")],
    ({**AT, "proxy": f"http://me:{SECRET}@p"}, "no usable 'proxy'"), ({**AT, "key_env": SECRET}, "never the key itself"),
    ({**AT, "key": SECRET}, "an unknown key; did you mean 'key_env'"), ({**AT, "concurency": 4}, "did you mean 'concurrency'"),
    *[({**AT, "concurrency": wrong}, "a whole number from 1") for wrong in (0, True)],
    ({**AT, "timeout": "60"}, "a number above 0"), ({**AT, "per_minute": float("inf")}, "a number above 0"),
])  # fmt: skip
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


def test_paper17() -> None:
    """Its columns in the order of the source, under their public names; what a model keeps has no address in it."""
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
    price = "[price.'microsoft/phi-4']\nprompt = 1\ncompletion = 2\n"
    (tmp_path / "e.toml").write_text(f"[endpoint.local]\nurl = 'http://elsewhere/v1/'\nper_minute = 5\n{price}")
    paper = FeatureSet.read("paper17", tmp_path / "e.toml")
    assert paper.endpoints["local"] == Endpoint("local", "http://elsewhere/v1", per_minute=5)
    assert paper.endpoints["gigachat"] == FeatureSet.read("paper17").endpoints["gigachat"]
    assert paper.prices["microsoft/phi-4"].of(1e6, 1e6) == 3
    for text, problem in (("name = 'x'\n", "no endpoints"), (None, "cannot be read")):
        (tmp_path / "e.toml").unlink() if text is None else (tmp_path / "e.toml").write_text(text)
        with pytest.raises(InputError, match=problem):
            read_services(tmp_path / "e.toml")


VOTE = "[[feature]]\nname='v'\nkind='vote'\nmodel='m'\n"
COSINE = "[[feature]]\nname='c'\nkind='cosine'\n"
STRING = "[[feature]]\nname='c'\nkind='levenshtein'\n"


@pytest.mark.parametrize(("text", "message"), [
    (VOTE, r"feature v names no endpoint that is declared.*\[endpoint.NAME\]"), (VOTE + "endpoint='locl'\n[endpoint.local]\nurl='http://h/v1'", "did you mean 'local'"),
    (VOTE.replace("model='m'", "endpoint='e'"), "no 'model'"), (VOTE + "modle='m'", "did you mean 'model'"), (VOTE.replace("vote", "voet"), "did you mean 'vote'"),
    (VOTE + "order='bth'", "Allowed: both, canonical"), (VOTE + "repeats='3'", "no usable 'repeats'. Allowed: a whole number. Got: '3'"),
    (VOTE + "repeats=0", "'repeats' is not between 1 and 100"), (VOTE + "soft=1", "no usable 'soft'. Allowed: true or false. Got: 1"),
    (VOTE.replace("'m'", "' '"), "the model has no name"), (VOTE + "parameters={messages=1}", "sets what dxmatch sets itself: messages"),
    (VOTE + "prompt='imported'\nrepeats=2", "an imported vote is never asked for"), (VOTE.replace("vote", "icd_pick") + "k=0", "'k' is not between 1 and 100"),
    (COSINE + "encoder='giag'\n[encoder.giga]\nmodel='m'", "an unknown encoder; did you mean 'giga'"),
    (COSINE + "encoder='g'\n[encoder.g]\nmodel='m'\nendpoint='e'", "encoder g names no endpoint that is declared"),
    (STRING + "[price.m]\nprompt=-1\ncompletion=1", "price of m: no usable 'prompt'"),
    ("encoder=1\n" + STRING, "no usable 'encoder'. Allowed: tables \\[encoder.NAME\\]. Got: 1"),
])  # fmt: skip
def test_providers_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        FeatureSet.read(tmp_path / "set.toml")
