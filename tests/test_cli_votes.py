"""`dxmatch votes` as a user meets it: batch files out and in, tables in, what is known, wrong usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dxmatch.errors import DxmatchError
from dxmatch.tests.command_line import Done, invoke

VOTE = '[[feature]]\nname = "vote_{}"\nkind = "vote"\nmodel = "{}"\nendpoint = "batches"\n'
SET = '[endpoint.batches]\nurl = "http://localhost:9/v1"\n' + VOTE.format("a", "org/model-a")
SET += VOTE.format("b", "model-b") + 'soft = true\n[[feature]]\nname = "levenshtein"\nkind = "levenshtein"\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "set.toml").write_text(SET)
    (tmp_path / "pairs.csv").write_text(
        "a,b\nheart attack,myocardial infarction\nAngina,fever\nfever,Angina\nrash,Rash!\n"
    )
    return tmp_path


def run(*arguments: str) -> Done:
    return invoke(["votes", *arguments])


def test_batches_out_and_in(here: Path) -> None:
    """Of three different pairs two are equal after normalisation; so one question for each of two models."""
    out = run("export", "pairs.csv", "--features", "set.toml", "-o", "batches").output
    assert "2 of these equal on both sides" in out
    files = sorted((here / "batches").iterdir())
    assert [file.name for file in files] == ["vote-2_model-b_001.jsonl", "vote-2_org-model-a_001.jsonl"]
    results = []
    for file, answer in zip(files, ("No.", "Yes, they are."), strict=True):
        (request,) = [json.loads(line) for line in file.read_text().splitlines()]
        message = {"role": "assistant", "content": answer}
        body = {
            "choices": [{"message": message, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        }
        results.append(
            {"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}, "error": None}
        )
    failed = {"custom_id": results[0]["custom_id"], "response": None, "error": {"code": "batch_expired"}}
    (here / "results.jsonl").write_text("\n".join(json.dumps(line) for line in (failed, *reversed(results))))
    told = run("import", "results.jsonl").output
    assert "batch_expired" in told
    status = run("status").output
    assert "org/model-a, prompt vote-2" in status
    assert status.count("1 answer, 1 match, 0 unscored") == 1
    assert status.count("1 answer, 0 match, 0 unscored") == 1
    assert "Nothing to ask" in run("ask", "pairs.csv", "--features", "set.toml").output


def test_a_table_in(here: Path) -> None:
    (here / "votes.csv").write_text("a,b,model,verdict\nangina,Fever,gpt-4,1\nrash,measles,gpt-4,\n")
    assert "2 new votes" in run("import", "votes.csv").output
    assert "gpt-4, prompt imported" in run("status").output
    with pytest.raises(DxmatchError, match="verdict"):
        run("import", "pairs.csv")


def test_wrong_usage(here: Path) -> None:
    with pytest.raises(DxmatchError, match="absent.sqlite"):
        run("status", "--store", "absent.sqlite")
    with pytest.raises(DxmatchError, match="no such vote or pick; did you mean 'vote_a'"):
        run("ask", "pairs.csv", "--features", "set.toml", "--only", "votes_a", "--dry-run")
    with pytest.raises(DxmatchError, match="none: the set asks no language model"):
        run("ask", "pairs.csv", "--features", "offline", "--only", "contrast", "--dry-run")
    assert "Nothing to ask" in run("ask", "pairs.csv", "--features", "offline", "--dry-run").output
    (here / "abbreviations.csv").write_text("abbreviation,expansion\nx,y\n")
    result = run("ask", "pairs.csv", "--model", "m", "--abbreviations", "abbreviations.csv")
    assert result.code == 2


def test_what_can_be_asked_without_the_encoder_of_a_pick(here: Path) -> None:
    pick = '[[feature]]\nname = "p"\nkind = "icd_pick"\nmodel = "m"\nendpoint = "batches"\nencoder = "far"\n'
    (here / "set.toml").write_text(SET + pick + '[encoder.far]\nmodel = "./no-such-folder"\n')
    for command in (("ask", "pairs.csv", "--dry-run"), ("export", "pairs.csv", "-o", "batches")):
        with pytest.raises(
            DxmatchError, match="p: the candidates of the pick are found by the encoder 'far'.*"
        ) as caught:
            run(*command, "--features", "set.toml")
        assert "What is asked without it, by its name ('only'): vote_a, vote_b." in str(caught.value)
    assert (
        "vote_b: model-b" in run("ask", "pairs.csv", "--features", "set.toml", "--dry-run", "--only", "vote_b").output
    )
