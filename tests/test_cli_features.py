"""`dxmatch features init`: files that load as they are written, and the whole way from one to scored pairs on a real server."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.endpoints.servers import SERVERS, server_of
from dxmatch.errors import InputError, OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.new_set import ADDED

OFFLINE = FeatureSet.read("offline")


@pytest.mark.parametrize("start", ["offline", "paper17", "paper17-ru"])
@pytest.mark.parametrize("server", [*SERVERS, "http://gpu-3:8000", "https://models.example.org/api/v1/"])
def test_what_is_written_loads(server: str, start: str, tmp_path: Path) -> None:
    """Every kind of question to two models, before the columns of the set, which are as they were."""
    steps = dxmatch.init_features(
        file := tmp_path / "mine.toml", ADDED, server=server, models=["org/Model-A:8b", 'model "b"'], start=start
    )
    written, base = FeatureSet.read(file), FeatureSet.read(start)
    assert written.names[:6] == (
        "vote_model_a_8b", "soft_vote_model_a_8b", "icd_model_a_8b", "vote_model_b", "soft_vote_model_b", "icd_model_b",
    )  # fmt: skip
    assert written.features[7:] == base.features and written.language == base.language
    assert written.features[6].kind == "cosine"
    named = {feature.options["endpoint"] for feature in written.features[:6]}
    urls = {written.endpoints[name].url for name in named}
    assert len(urls) == (1 if server_of(server).many_models else 2)
    assert {one.concurrency for one in (written.endpoints[name] for name in named)} == {server_of(server).concurrency}
    ours = [step for step in steps if step.startswith("dxmatch ")]
    assert [step.split()[1] for step in ours] == ["votes", "votes", "votes", "train", "votes", "score"]
    assert all(f"#   {step}" in file.read_text("utf-8") for step in steps)
    assert OFFLINE.exclusion is not None and (start != "offline" or written.exclusion is not None)


@pytest.mark.parametrize(
    ("server", "url", "at_once", "key", "command"),
    [
        ("ollama", "http://localhost:11434/v1", range(1, 5), None, "ollama pull m"),
        ("vllm", "http://localhost:8000/v1", range(64, 65), None, "vllm serve m --port 8000"),
        ("llamacpp", "http://localhost:8080/v1", range(1, 9), None, "llama-server -hf m --alias m --port 8080"),
        ("openai", "https://api.openai.com/v1", range(8, 33), "OPENAI_API_KEY", "export OPENAI_API_KEY=…"),
        ("http://gpu:8000", "http://gpu:8000/v1", range(64, 65), None, "dxmatch votes check --features mine.toml"),
        ("http://gpu:7/api", "http://gpu:7/api", range(8, 9), None, "dxmatch votes check --features mine.toml"),
    ],
)
def test_servers(server: str, url: str, at_once: range, key: str | None, command: str, tmp_path: Path) -> None:
    steps = dxmatch.init_features(tmp_path / "mine.toml", server=server, models=["m"])
    (endpoint,) = FeatureSet.read(tmp_path / "mine.toml").endpoints.values()
    assert (endpoint.url, endpoint.key_env) == (url, key) and endpoint.concurrency in at_once
    assert any(step.startswith(command) for step in steps)


def test_a_plain_copy_names_no_model(tmp_path: Path) -> None:
    steps = dxmatch.init_features(tmp_path / "plain.toml")
    assert FeatureSet.read(tmp_path / "plain.toml").features == OFFLINE.features
    assert [step.split()[1] for step in steps] == ["train", "score"] and "--store" not in " ".join(steps)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"add": ["voet"]}, OptionError, "'add' parameter must be a list of vote, soft-vote, pick, embedding"),
        ({"add": "vote"}, OptionError, "'add'"),
        ({"server": "olama"}, OptionError, "ollama, vllm, llamacpp, openai, or the URL of a server"),
        ({"server": "http://[::1"}, OptionError, "'server'"),
        ({"start": "papr"}, OptionError, "'start' parameter must be one of offline, paper17, paper17-ru"),
        ({"path": "mine.tml"}, OptionError, "the path of a .toml file"),
        ({"models": [" "]}, InputError, "the model has no name"),
        ({"models": ["A/b", "c/b"]}, InputError, "two features of one name"),
    ],
)
def test_refused_and_nothing_written(
    options: dict[str, Any], error: type[Exception], said: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=said):
        dxmatch.init_features(
            **{
                "path": tmp_path / "mine.toml",
                **options,
                **({"path": tmp_path / options["path"]} if "path" in options else {}),
            }
        )
    assert not list(tmp_path.iterdir())


def test_a_file_is_replaced_only_where_one_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text("# mine\n")
    refused = command("features", "init", "--with", "vote")
    assert refused.code == 1 and "mine.toml: is there already. Or: --overwrite replaces it." in refused.err
    assert (tmp_path / "mine.toml").read_text() == "# mine\n"
    done = command("features", "init", "--with", "vote", "--overwrite")
    assert done.code == 0 and "ollama pull llama3.1:8b" in done.out
    assert tomllib.loads((tmp_path / "mine.toml").read_text("utf-8"))["endpoint"]["ollama"]["concurrency"] == 2


@pytest.mark.slow
def test_the_whole_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any], loopback: Any, example: Path
) -> None:
    """Each step that `init` names is run as it stands, on a server of loopback; the pairs to score were never asked before."""
    monkeypatch.chdir(tmp_path)
    rows = (example / "pairs.csv").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "labelled.csv").write_text("".join(rows[:81]), "utf-8")
    (tmp_path / "pairs.csv").write_text("a,b\ngout,gouty arthritis\nmumps,measles\n", "utf-8")
    loopback.rules(
        {"contains": "names of ICD-10 entries", "text": "1"}, {"contains": "data block agree", "text": "Yes."}
    )
    server = f"http://127.0.0.1:{loopback.port}"
    made = command("features", "init", "--with", "vote", "--with", "pick", "--server", server, "-m", "llama3.1:8b")
    steps = [line.split() for line in made.out.splitlines() if line.startswith("    dxmatch ")]
    assert [step[1] for step in steps] == ["votes", "votes", "votes", "train", "votes", "score"]
    for step in steps:
        done = command(*step[1:])
        assert done.code == 0, (step, done.out, done.err)
    scored = list(csv.DictReader((tmp_path / "scored.csv").open(encoding="utf-8")))
    assert [0 <= float(row["probability"]) <= 1 for row in scored] == [True, True]
    m_folder, store = tmp_path / "my-model", tmp_path / "votes.sqlite"
    m = dxmatch.load(m_folder, store=store)
    assert m.features.names[:2] == ("vote_llama3_1_8b", "icd_llama3_1_8b") and m.features.names[2:] == OFFLINE.names
    assert 0 <= m.probability("gout", "gouty arthritis") <= 1
    with pytest.raises(InputError, match="vote_llama3_1_8b is known for 0.0 % of the pairs"):
        m.probability("asthma", "bronchitis")
    assert 0 <= dxmatch.load(m_folder, store=store, min_coverage=0).probability("asthma", "bronchitis") <= 1
    with pytest.raises(
        OptionError, match="'store' parameter must be the file of votes .* no model is asked in passing"
    ):
        dxmatch.load(m_folder).probability("gout", "gouty arthritis")
