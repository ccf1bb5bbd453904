"""What the commands leave behind: files that their owner alone can read, and no cell in what they say."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

Command = Callable[..., Any]
ROOT = Path(__file__).parent
WRITING = {
    "score, a job in parts": "score pairs.parquet -o o/parts --chunk-rows 2",
    "evaluate": "evaluate lists.csv --resamples 0 --metrics recall --judge.model lab:big --endpoints e.toml --store o/votes.sqlite -o o/r.html -o o/r.json -o o/r.tex --matches o/m.csv --judgements o/j.csv --charts o/charts",
    "suggest": "suggest lists.csv --a diagnosis --b reference -n 4 -o o/round --experts anna",
    "ask, batches": "ask cases.csv -m lab:big --endpoints e.toml --export o/batches --rejects o/x.csv --store o/votes.sqlite",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, example: Path) -> Iterator[Path]:
    """Inputs of every kind, an empty folder "o", and a umask that hides nothing from the group."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"a": ["heart attack", "gout", "flu"], "b": ["acute MI", "flu", "gout"]}), "pairs.parquet")
    lists = (example / "lists.csv").read_text("utf-8").splitlines()
    one = [lists[0], *(line for line in lists if line.startswith("case_01"))]
    Path("lists.csv").write_text("\n".join(one), "utf-8")
    Path("cases.csv").write_text("case_id,text\n1,A red toe.\n2,A cough.\n,No name.\n", "utf-8")
    Path("o").mkdir()
    before = os.umask(0o002)
    yield tmp_path
    os.umask(before)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("what", WRITING)
def test_what_a_command_writes_is_its_owners_alone(what: str, here: Path, command: Command, request: Any) -> None:
    if "lab:big" in WRITING[what]:
        loopback = request.getfixturevalue("loopback")
        loopback.rules({"text": '{"verdict": "included", "basis": "1. Gout"}'})
        Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    done = command(*WRITING[what].split())
    assert done.code == 0, done.err
    made = [*(here / "o").rglob("*")]
    assert made and [each for each in made if each.stat().st_mode & 0o077] == [], "others can read it"
    page = (ROOT.parent / "docs" / "privacy.md").read_text("utf-8")
    assert [each for each in made if each.suffix not in page] == [], "docs/privacy.md does not name it"


MARK = "Zzyzx syndrome"
FAILING = {
    "no header": ("{m},{m} of the heart\ngout,flu\n", "score t.csv -o o.csv"),
    "more cells than columns": ("a,b\n{m},gout,flu\n", "score t.csv -o o.csv"),
    "not UTF-8": ("a,b\n{m} \udcff,gout\n", "score t.csv -o o.csv"),
    "no label": ("a,b,label\n{m},gout,{m}\n", "train t.csv -o m"),
    "a verdict that is none": ("a,b,v\n{m},gout,{m}\n", "votes import t.csv --verdict v --model me"),
    "a rank that is none": ("case_id,rater,rank,diagnosis\n1,x,{m},{m}\n", "evaluate t.csv"),
    "two references": ("case_id,rater,rank,diagnosis,reference\n{m},x,1,flu,{m}\n{m},x,2,gout,flu\n", "evaluate t.csv"),
    "an unknown code": ("case_id,rater,rank,diagnosis,icd10,reference\n1,x,1,flu,{m},gout\n", "evaluate t.csv --metrics hierarchical"),
    "JSON that is no object": ('{{"a": "{m}", "b": "gout"}}\n["{m}"]\n', "score t.jsonl -o o.csv"),
    "mixed scripts": ("a,b\nZzyzxо disease,gout\n", "score t.csv -o o.csv"),
    "doubtful lists": ("case_id,rater,rank,diagnosis,reference\n{m},x,1,the man has {m} and came to us on Monday with his wife,gout\n{m},x,3,{m},gout\n", "evaluate t.csv --resamples 0 --metrics recall"),
}  # fmt: skip


@pytest.mark.parametrize("what", FAILING)
def test_no_message_holds_a_cell(
    what: str, here: Path, command: Command, caplog: Any, recwarn: pytest.WarningsRecorder, monkeypatch: Any
) -> None:
    content, asked = FAILING[what]
    Path("t.jsonl" if "t.jsonl" in asked else "t.csv").write_bytes(
        content.format(m=MARK).encode("utf-8", "surrogateescape")
    )
    Path("e.toml").write_text('[endpoint.lab]\nurl = "http://127.0.0.1:9"\n')

    def said(*options: str) -> str:
        caplog.clear()
        recwarn.clear()
        done = command(*asked.split(), *options)
        told = (*(record.getMessage() for record in caplog.records), *(str(each.message) for each in recwarn))
        return "\n".join([done.out, done.err, *told]).casefold()

    assert "zzyzx" in said(), "the case does not test anything"
    monkeypatch.setenv("DXMATCH_HIDE_CELLS", "1")
    assert "zzyzx" not in (shown := said("--debug")), shown
