"""All seventeen features as a user meets them: asked of a server on loopback, trained on, scored, and refused where too few are known."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.csv as pa_csv
import pytest

import dxmatch
from dxmatch.features.feature_set import FeatureSet

from .terms.conftest import SMALL

KEY = "sk-loopback-7f3a9c"


@pytest.fixture(scope="module")
def paper17(tiny_sentence_model: Path) -> str:
    """The built-in set, with a tiny model in place of the two encoders that a hub would have to give, and picks from a small tree:
    from all of ICD-10 they would embed some 55,000 names."""
    text = (Path(dxmatch.__file__).parent / "features" / "sets" / "paper17.toml").read_text("utf-8")
    folders = {
        "andorei/BERGAMOT-multilingual-GAT": tiny_sentence_model.parent / "plain",
        "Snowflake/snowflake-arctic-embed-l-v2.0": tiny_sentence_model,
    }
    for hub_name, folder in folders.items():
        assert hub_name in text
        text = re.sub(f'model = "{hub_name}"\nrevision = "[0-9a-f]{{40}}"', f'model = "{folder}"', text)
    return text.replace('entries = "names"', f'entries = "names"\nsource = "{SMALL}"')


def own_word(folder: Path) -> list[str]:
    """The options that say where the encoders of mine.toml lie: a model folder never does."""
    with (folder / "mine.toml").open("rb") as file:
        encoders = tomllib.load(file)["encoder"]
    local = {name: one["model"] for name, one in encoders.items() if Path(one["model"]).is_absolute()}
    return [word for name, model in local.items() for word in ("--encoders", f"{name}={model}")]


@pytest.fixture
def run(command: Callable[..., Any]) -> Callable[..., str]:
    def typed(*arguments: str, code: int = 0) -> str:
        done = command(*arguments)
        assert done.code == code and KEY not in done.output, done.output
        return done.output

    return typed


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Any, paper17: str, example: Path) -> Path:
    """A folder with the set, its endpoints on loopback, and 120 labelled pairs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXMATCH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GIGACHAT_TOKEN", KEY)
    served = re.sub(r'url = "[^"]+"', f'url = "{loopback.url}"', paper17)
    (tmp_path / "mine.toml").write_text(served, "utf-8")
    rows = (example / "pairs.csv").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "pairs.csv").write_text("".join(rows[:121]), "utf-8")
    return tmp_path


@pytest.mark.slow
def test_ask_train_score(here: Path, loopback: Any, run: Callable[..., str]) -> None:
    dry = run("votes", "ask", "pairs.csv", "--features", "mine.toml", "--dry-run")
    assert "vote_phi4: microsoft/phi-4 at microsoft/phi-4" in dry
    assert not (here / "votes.sqlite").exists()
    assert loopback.log()["calls"] == 0

    loopback.rules({"contains": "names of ICD-10 entries", "text": "1"})
    asked = run("votes", "ask", "pairs.csv", "--features", "mine.toml")
    wanted = int(re.search(r"To ask: ([\d,]+) questions", asked)[1].replace(",", ""))  # type: ignore[index]
    assert f"{wanted:,} answers kept, 0 of them without a verdict" in asked
    assert loopback.log()["calls"] == wanted
    assert "Nothing to ask." in run("votes", "ask", "pairs.csv", "--features", "mine.toml")

    trained = run("train", "pairs.csv", "--features", "mine.toml", "--store", "votes.sqlite", "-o", "m")
    assert "Known for a part of the pairs: ratio_bigram" in trained
    assert "vote" not in trained.partition("Known for a part of the pairs:")[2]
    run(
        "score", "pairs.csv", "-o", "scored.csv", "--matcher", "m", "--store", "votes.sqlite", "--endpoints", "mine.toml",
        "--add", "features", *own_word(here),
    )  # fmt: skip
    scored = pa_csv.read_csv(here / "scored.csv")
    names = FeatureSet.read("paper17").names
    assert scored.column_names[-17:] == list(names)
    for name in names:
        if not name.startswith("ratio_"):
            assert scored.column(name).null_count <= (name == "icd_nearest")  # nothing of ICD-10 is near to "Pnuemonia"
    assert set(scored.column("vote_phi4").to_pylist()) == {0.0, 1.0}

    # What a model folder says goes nowhere: it knows no address and no key.
    kept = "".join(
        file.read_text("utf-8") for file in (here / "m").rglob("*") if file.suffix in (".json", ".md", ".txt")
    )
    assert loopback.url not in kept
    assert "GIGACHAT_TOKEN" not in kept
    for file in here.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_refused_without_what_it_needs(here: Path, run: Callable[..., str]) -> None:
    train = ("train", "pairs.csv", "--features", "mine.toml", "-o", "m")
    assert "must be the file of votes" in run(*train, code=2)
    assert "votes.sqlite" in run(*train, "--store", "votes.sqlite", code=1)
    one = ("votes", "ask", "pairs.csv", "--features", "mine.toml", "--only", "vote_phi4", "--max-calls", "5")
    assert "the cap of 5 calls is reached" in run(*one, code=1)
    refused = run(*train, "--store", "votes.sqlite", code=1)
    assert re.search(
        r"vote_\w+ is known for \d\.\d % of the pairs.*; ask for the rest with 'dxmatch votes ask'", refused
    )
    told = run(*train, "--store", "votes.sqlite", "--min-coverage", "0")
    assert re.search(r"vote_phi4 \d\.\d %", told)
    score = ("score", "pairs.csv", "-o", "scored.csv", "--matcher", "m", "--store", "votes.sqlite")
    assert "a model folder never says what is read beside it" in run(*score, "--min-coverage", "0", code=1)
    told = run(*score, "--min-coverage", "0", *own_word(here), code=1)
    assert "served by the endpoint 'embeddings'" in told and "[endpoint.NAME]" in told


@pytest.mark.parametrize("features", ["paper17", "paper17-ru"])
def test_one_endpoint_for_each_voter_or_one_for_all(tmp_path: Path, features: str) -> None:
    """A table by a model's own name goes before the one that its entry names; GigaChat has an endpoint of its own."""
    asked = {f.options["model"]: f.options["endpoint"] for f in FeatureSet.read(features).asked}
    tables = {"all": '[endpoint.local]\nurl = "http://all/v1"\n', "each": "".join(f'[endpoint."{model}"]\nurl = "http://{i}/v1"\n' for i, model in enumerate(asked))}  # fmt: skip
    found = {}
    for name, text in tables.items():
        (tmp_path / name).write_text(text, "utf-8")
        mine = FeatureSet.read(features, tmp_path / name)
        found[name] = [mine.endpoints[mine.endpoint_of(model, endpoint)].url for model, endpoint in asked.items()]
    assert found["each"] == [f"http://{i}/v1" for i in range(len(asked))] and len(asked) >= 5
    assert {*found["all"]} - {"http://all/v1"} == {FeatureSet.read(features).endpoints["gigachat"].url}
