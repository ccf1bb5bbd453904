"""The readers of formats in which others keep answers: `tests/cases/formats.csv`, files written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.read.cells import list_cell, parted
from dxmatch.evaluation.read.formats.registry import read_answers, recognised
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.tables import Table

from ..made import rows_in

CASES = rows_in("../cases/formats")
"""files in JSON, texts as they are, lists in .jsonl as lines; the format of `place`, "" for none; as JSON the case, model, list (null where it cannot
be read), right answers and groups of each answer, or the rows of the long form; or what the refusal says after "refused: "."""


def _right(told: Any) -> list[str]:
    return [*parted(json.dumps(told) if isinstance(told, list) else str(told or ""))]


def put(folder: Path, files: dict[str, Any]) -> Path:
    for name, held in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        of_lines = path.suffix == ".jsonl" and isinstance(held, list)
        texts = [held] if isinstance(held, str) else map(json.dumps, held) if of_lines else [json.dumps(held)]
        path.write_text("\n".join(texts), "utf-8")
    return folder


def told(path: Path, name: str) -> list[Any]:
    found = read_answers(path, name)
    if isinstance(found, Table):
        return found.data.to_pylist()
    texts = [one.diagnoses or (list_cell(one.text).names if one.text else []) for one in found]
    return [[a.case_id, a.model, text, _right(a.references), a.more] for a, text in zip(found, texts, strict=True)]


@pytest.mark.parametrize("case", CASES, ids=[f"{one['format']}: {one['why']}" for one in CASES])
def test_a_format(tmp_path: Path, case: dict[str, str]) -> None:
    name, read, path = case["format"], case["read"], put(tmp_path, json.loads(case["files"])) / case["place"]
    if name == "inspect":
        pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    if read.startswith("refused: "):
        with pytest.raises(InputError, match=read.removeprefix("refused: ")):
            read_answers(path, name)
        return
    assert recognised(path) == name == recognised(tmp_path)
    assert not name or told(path, name) == json.loads(read)


def test_a_format_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"'format' parameter must be one of inspect, lm-eval, .*kernel29"):
        read_answers(tmp_path, "helm")


def test_a_log_that_is_packed(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log", reason="the extra 'inspect' is not installed")
    (case,) = [one for one in CASES if one["why"] == "answers, a group, and an error"]
    made = log.read_eval_log(str(put(tmp_path, json.loads(case["files"])) / "logs" / "a.json"))
    log.write_eval_log(made, str(tmp_path / "a.eval"))
    assert recognised(tmp_path / "a.eval") == "inspect"
    assert told(tmp_path / "a.eval", "inspect") == json.loads(case["read"])


def test_answers_that_cannot_be(tmp_path: Path) -> None:
    one, other = ({"id": 3, "Final Diagnosis": right, "LLM Response": "1. Gout"} for right in ("Gout", "Flu"))
    put(tmp_path, {"twice_answer.jsonl": [one, one], "a/m_answer.jsonl": [one], "a/n_answer.jsonl": [other]})
    with pytest.raises(
        InputError, match="row 2.*a second answer of rank 1 by 'twice' for case '3' .the first is in row 1"
    ):
        read_lists(tmp_path / "twice_answer.jsonl")
    differs = "n_answer.jsonl, row 1, .*: the reference differs within the case '3'.*Got: .*Flu"
    for answers, right in ((tmp_path / "a", None), ({"m": {"3": ["Gout"]}}, tmp_path / "a")):
        with pytest.raises(InputError, match=differs):
            read_lists(answers, references=right)


def test_right_answers_with_their_groups(tmp_path: Path) -> None:
    files = {one["why"]: put(tmp_path / one["why"], json.loads(one["files"])) / one["place"] for one in CASES}
    subsets = files["files as subsets, an ID twice"]
    said = {"m": {answer.case_id: ["Gallstones"] for answer in read_answers(subsets, "clinbench-hpb")}}
    lists = read_lists(said, references=subsets, by="subset")
    assert lists.references.groups["subset"] == ["Journal"] * 3 + ["Website"]
    assert lists.reference == [("Gallstones", "Hypertension")] * 4
    with pytest.raises(InputError, match="llama: no column holds right answers"):
        read_lists(said, references=files["a prediction"])
