"""All seventeen features as a user meets them: asked of a server on loopback, trained on, scored, and refused where too few are known."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.tests.command_line import invoke

KEY = "sk-loopback-7f3a9c"
TREE = "code,name,parent\nIX,Diseases of the circulatory system,\n" + "".join(
    f"{code},{name},{code[:3] if '.' in code else 'IX'}\n"
    for code, name in {
        "I20": "Angina pectoris", "I20.0": "Unstable angina", "I21": "Acute myocardial infarction", "I10": "Essential hypertension",
        "I48": "Atrial fibrillation and flutter", "I48.0": "Paroxysmal atrial fibrillation", "I50": "Heart failure", "I50.1": "Left ventricular failure",
        "I26": "Pulmonary embolism", "I30": "Acute pericarditis", "I33": "Acute endocarditis", "I35": "Aortic valve disorders",
        "I42": "Cardiomyopathy", "I42.0": "Dilated cardiomyopathy", "I63": "Cerebral infarction", "I64": "Stroke", "I71": "Aortic aneurysm",
        "I71.0": "Dissection of aorta", "I80": "Phlebitis and thrombophlebitis", "I83": "Varicose veins",
    }.items()
)  # fmt: skip
"""Picks from all of ICD-10 would embed some 55,000 names."""


@pytest.fixture(scope="module")
def paper17(tiny_sentence_model: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The built-in set, with a tiny model in place of the two encoders that a hub would have to give, and picks from a small tree."""
    text = (Path(dxmatch.__file__).parent / "features" / "sets" / "paper17.toml").read_text("utf-8")
    folders = {
        "andorei/BERGAMOT-multilingual-GAT": tiny_sentence_model.parent / "plain",
        "Snowflake/snowflake-arctic-embed-l-v2.0": tiny_sentence_model,
    }
    for hub_name, folder in folders.items():
        assert hub_name in text
        text = re.sub(f'model = "{hub_name}"\nrevision = "[0-9a-f]{{40}}"', f'model = "{folder}"', text)
    tree = tmp_path_factory.mktemp("tree") / "tree.csv"
    tree.write_text(TREE, "utf-8")
    return text.replace('entries = "names"', f'entries = "names"\nsource = "{tree}"')


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def own_word(folder: Path) -> list[str]:
    """The options that say where the encoders of mine.toml lie: a model folder never does."""
    with (folder / "mine.toml").open("rb") as file:
        encoders = tomllib.load(file)["encoder"]
    local = {name: one["model"] for name, one in encoders.items() if Path(one["model"]).is_absolute()}
    return [word for name, model in local.items() for word in ("--encoders", f"{name}={model}")]


@pytest.fixture
def here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loopback: Any, paper17: str, cache: Path, example: Path
) -> Path:
    """A folder with the set, its endpoints on loopback, and 120 labelled pairs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DXMATCH_CACHE", str(cache))
    monkeypatch.setenv("GIGACHAT_TOKEN", KEY)
    served = re.sub(r'url = "[^"]+"', f'url = "{loopback.url}"', paper17)
    (tmp_path / "mine.toml").write_text(served, "utf-8")
    rows = (example / "pairs.csv").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "pairs.csv").write_text("".join(rows[:121]), "utf-8")
    return tmp_path


def dxmatch_run(*arguments: str, code: int = 0) -> str:
    try:
        run = invoke(arguments)
        came, said = run.code, run.output
    except DxmatchError as error:
        came, said = 1, str(error)
    assert came == code, said
    assert KEY not in said
    return said


@pytest.mark.slow
def test_ask_train_score(here: Path, cache: Path, loopback: Any) -> None:
    dry = dxmatch_run("votes", "ask", "pairs.csv", "--features", "mine.toml", "--dry-run")
    assert "vote_phi4: microsoft/phi-4 at microsoft/phi-4" in dry
    assert not (here / "votes.sqlite").exists()
    assert loopback.log()["calls"] == 0

    loopback.rules({"contains": "names of ICD-10 entries", "text": "1"})
    asked = dxmatch_run("votes", "ask", "pairs.csv", "--features", "mine.toml")
    wanted = int(re.search(r"To ask: ([\d,]+) questions", asked)[1].replace(",", ""))  # type: ignore[index]
    assert f"{wanted:,} answers kept, 0 of them without a verdict" in asked
    assert loopback.log()["calls"] == wanted
    assert "Nothing to ask." in dxmatch_run("votes", "ask", "pairs.csv", "--features", "mine.toml")

    trained = dxmatch_run("train", "pairs.csv", "--features", "mine.toml", "--store", "votes.sqlite", "-o", "m")
    assert "Known for a part of the pairs: ratio_bigram" in trained
    assert "vote" not in trained.partition("Known for a part of the pairs:")[2]
    dxmatch_run(
        "score", "pairs.csv", "-o", "scored.csv", "--matcher", "m", "--store", "votes.sqlite", "--endpoints", "mine.toml",
        "--add", "features", *own_word(here),
    )  # fmt: skip
    scored = pa_csv.read_csv(here / "scored.csv")
    names = FeatureSet.read("paper17").names
    assert scored.column_names[-17:] == list(names)
    assert len(names) == 17
    for name in names:
        if not name.startswith("ratio_"):
            assert scored.column(name).null_count == 0
    assert set(scored.column("vote_phi4").to_pylist()) == {0.0, 1.0}

    # What a model folder says goes nowhere: it knows no address and no key.
    kept = "".join(
        file.read_text("utf-8") for file in (here / "m").rglob("*") if file.suffix in (".json", ".md", ".txt")
    )
    assert loopback.url not in kept
    assert "GIGACHAT_TOKEN" not in kept
    for file in [*here.rglob("*"), *cache.rglob("*")]:
        assert not file.is_file() or KEY.encode() not in file.read_bytes()


def test_refused_without_what_it_needs(here: Path) -> None:
    train = ("train", "pairs.csv", "--features", "mine.toml", "-o", "m")
    assert "must be the file of votes" in dxmatch_run(*train, code=1)
    assert "votes.sqlite" in dxmatch_run(*train, "--store", "votes.sqlite", code=1)
    one = ("votes", "ask", "pairs.csv", "--features", "mine.toml", "--only", "vote_phi4", "--max-calls", "5")
    assert "the cap of 5 calls is reached" in dxmatch_run(*one)
    refused = dxmatch_run(*train, "--store", "votes.sqlite", code=1)
    assert re.search(
        r"vote_\w+ is known for \d\.\d % of the pairs.*; ask for the rest with 'dxmatch votes ask'", refused
    )
    told = dxmatch_run(*train, "--store", "votes.sqlite", "--min-coverage", "0")
    assert re.search(r"vote_phi4 \d\.\d %", told)
    score = ("score", "pairs.csv", "-o", "scored.csv", "--matcher", "m", "--store", "votes.sqlite")
    assert "a model folder never says what is read beside it" in dxmatch_run(*score, "--min-coverage", "0", code=1)
    told = dxmatch_run(*score, "--min-coverage", "0", *own_word(here), code=1)
    assert "served by the endpoint 'embeddings'" in told and "[endpoint.NAME]" in told


def test_picks_are_asked_once_and_serve_the_feature(here: Path, loopback: Any) -> None:
    loopback.rules({"contains": "names of ICD-10 entries", "text": "2"})
    (here / "preset.toml").write_text('features = "mine.toml"\n')
    pick = ("icd", "flu-like fever", "Angina pectoris", "--pick", "icd_qwen25_7b", "--preset", "preset.toml")
    dxmatch_run(*pick, "-o", "first.jsonl")
    assert loopback.log()["calls"] == 1
    dxmatch_run(*pick, "-o", "again.jsonl")
    assert loopback.log()["calls"] == 1
    assert (here / "first.jsonl").read_bytes() == (here / "again.jsonl").read_bytes()
    mine = dxmatch.IcdPreset(features="mine.toml")
    table = dxmatch.icd(
        pa.table({"diagnosis": ["flu-like fever", "Angina pectoris"]}), pick="icd_qwen25_7b", preset=mine
    ).to_pylist()
    assert [row["how"] for row in table] == ["picked", "direct"]
    assert table[0]["icd10"] == table[0]["candidates"][1]["code"]
    assert len(table[0]["candidates"]) == 15

    loopback.rules({"contains": "names of ICD-10 entries", "text": "none of these"})
    odd = pa.table({"diagnosis": ["an odd finding"]})
    (row,) = dxmatch.icd(odd, pick="icd_qwen25_7b", preset=mine).to_pylist()
    assert (row["icd10"], row["how"], row["reason"]) == (None, "unscored", "the answer names no verdict")
    with pytest.raises(InputError, match="no such ICD pick; did you mean 'icd_qwen25_7b'"):
        dxmatch.icd(["x y"], pick="icd_qwen25_8b", preset=mine)


def test_unique_strings_as_a_reference_table(here: Path) -> None:
    table = dxmatch.icd(["Angina", "heart attack", "Angina"], unique=True)
    assert table["diagnosis"].to_pylist() == ["Angina", "heart attack"]
    with pytest.warns(UserWarning, match="row 2"):
        assert dxmatch.icd(["Angina", "Angina", "?!"], unique=True)["diagnosis"].to_pylist() == ["Angina"]


_VOTERS = {
    "vote_llama31_70b": "meta-llama/Llama-3.1-70B-Instruct",
    "vote_qwen25_7b": "Qwen/Qwen2.5-7B-Instruct",
    "vote_gigachat_max": "GigaChat-Max",
    "vote_vikhr_nemo_12b": "Vikhrmodels/Vikhr-Nemo-12B-Instruct-R-21-09-24",
    "vote_phi4": "microsoft/phi-4",
}


@pytest.mark.parametrize("features", ["paper17", "paper17-ru"])
def test_one_endpoint_for_each_voter_or_one_for_all(here: Path, features: str) -> None:
    """A table by a model's own name goes before the one that its entry names; a set of one's own may leave the seventeenth out."""
    each = "".join(
        f'[endpoint."{model}"]\nurl = "http://one-{number}:8000/v1"\n' for number, model in enumerate(_VOTERS.values())
    )
    (here / "each.toml").write_text(each, "utf-8")
    (here / "all.toml").write_text('[endpoint.local]\nurl = "http://all:8000/v1"\n', "utf-8")
    ask = ("votes", "ask", "pairs.csv", "--features", features, "--dry-run", *(f"--only={name}" for name in _VOTERS))
    told = dxmatch_run(*ask, "--endpoints", "each.toml").replace("\n", " ")
    for number, (name, model) in enumerate(_VOTERS.items()):
        assert f"{name}: {model} at {model} (http://one-{number}:8000/v1)" in told
    told = dxmatch_run(*ask, "--endpoints", "all.toml")
    assert told.count("(http://all:8000/v1)") == 4 and "gigachat.devices" in told, "GigaChat has an endpoint of its own"
