"""Files as people have them, and in published formats, by tables of cases: what is read of them, or the refusal."""

from __future__ import annotations

import json
import re
from io import StringIO
from itertools import cycle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.read.cells import list_cell, parted
from dxmatch.evaluation.read.formats.registry import read_answers, recognised
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.files.tables import Table
from dxmatch.tests.command_line import typed

from ..made import POINTS, By, rows_in, with_reading, written


@pytest.mark.parametrize("case", rows_in("../cases/tables"), ids=lambda case: case["text"][:40])
def test_what_is_read_from_a_file(tmp_path: Path, case: dict[str, str]) -> None:
    """tables.csv: name and text of a file, options in JSON; the lists by rater and case in JSON, or what the refusal names after "refused: "."""
    name, text, options, read = case.values()
    (tmp_path / name).write_text(text, encoding="utf-8")
    given = with_reading(json.loads(options) if options else {})
    if read.startswith("refused: "):
        with pytest.raises(InputError, match=re.escape(read.removeprefix("refused: "))):
            read_lists(tmp_path / name, **given)
        return
    lists = read_lists(tmp_path / name, **given)
    assert {who: {case: lists.list_of(case, who) for case in lists.cases} for who in lists.raters} == json.loads(read)


_NAMES = ("gout", "sepsis", "asthma", "lupus", "flu", "anemia", "stroke", "angina", "migraine", "eczema", "scabies")


@pytest.mark.parametrize("case", rows_in("../cases/headings"), ids=lambda case: case["headings"])
def test_what_headings_say(case: dict[str, str]) -> None:
    """headings.csv: the headings; the one of right answers, where none a column "gold" holds them; whose lists they are, with the
    length of each, or "refused"."""
    headings, right, read = case.values()
    columns, name = [*([] if right else ["gold"]), *headings.split(",")], cycle(_NAMES)
    rows = [{"case": f"c{i}", **{column: next(name) for column in columns}} for i in range(5)]
    try:
        lists = read_lists(pd.DataFrame(rows))
    except InputError as error:
        assert read == "refused" and "columns" in str(error)
    else:
        lengths = lists.lengths[0].tolist()
        assert "; ".join(f"{who} {n}" for who, n in zip(lists.raters, lengths, strict=True)) == read
        assert lists.reference[0][:1] == (rows[0][right or "gold"],)


FINAL = rows_in("../cases/final_diagnoses")
"""A file, options in JSON, a file of right answers; of the first case the right answers and the final one, null where it is the right answer."""


@pytest.mark.parametrize("case", FINAL, ids=[one["why"] for one in FINAL])
def test_what_is_right_and_what_is_final(case: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / case["name"]).write_text(case["text"])
    (tmp_path / "right.json").write_text(case["right"])
    options = {"references": tmp_path / "right.json"} if case["right"] else {}
    options |= with_reading(json.loads(case["options"] or "{}"))
    if case["read"].startswith("refused: "):
        with pytest.raises(InputError, match=case["read"].removeprefix("refused: ")):
            read_lists(tmp_path / case["name"], **options)
        return
    lists, (right, final) = read_lists(tmp_path / case["name"], **options), json.loads(case["read"])
    assert (lists.reference[0], any(lists.of_final().reference)) == (tuple(right), final is not None)
    assert final is None or lists.of_final().reference[0] == tuple(final)
    assert lists.raters in (["A", "B"], ["base", "tuned"]), "nor is the organ a model"
    assert ("not read: organ" in lists.origin.recognised) == ("organ" in case["text"])


def test_a_case_without_a_final_diagnosis_is_told() -> None:
    frame = pd.read_csv(StringIO(FINAL[0]["text"]))
    frame = pd.concat([frame, frame.assign(case_id="d").query("role != 'final'")])
    report = dxmatch.evaluate(frame.assign(organ=1), matcher=By(), resampling=POINTS)
    assert "; not read: organ" in report.setup.opening
    assert [one["count"] for one in report.to_dict()["findings"] if "count" in one] == [1], "a sentence has none"
    page = report.to_html()
    assert '"final":["gout",""]' in page and "Final diagnosis" in page


def test_a_dry_run_shows_what_was_read(tmp_path: Path) -> None:
    file = tmp_path / "raw.csv"
    file.write_text(
        'id,gold,gpt,claude\n1,gout,"1. Gout\n2. flu",Final diagnosis: gout\n2,flu,asthma,"Could be anything, really."\n'
    )
    shown = typed("evaluate", file, "--dry-run")
    assert shown.code == 0 and not list(tmp_path.glob("*.html"))
    told = ("gpt: 1. Gout, 2. flu", "the right answer is flu", "Unread, of claude in 2: Could be anything, really.")
    assert all(words in shown.output for words in told)


def test_a_function_of_a_record_reads_any_other_file(tmp_path: Path) -> None:
    """Right answers of a record without a model stand beside those of others, as of a sample that ended in an error."""
    table, objects = tmp_path / "odd.csv", tmp_path / "odd.json"
    table.write_text("patient;who;first;then;truth\n7;ann;gout;flu;gout\n7;gpt;;;gout\n8;ann;flu;;sepsis\n")
    objects.write_text('[{"p": 7, "by": {"ann": ["gout", "flu"], "gpt": []}, "t": "gout"}, {"p": 8, "t": "flu"}]')

    def read(path: Path, record: Any, **more: Any) -> Any:
        return read_lists(path, reading=dxmatch.Reading(record=record, **more))

    def of_row(row: Any) -> Any:
        names = [row[column] for column in ("first", "then") if row[column]]
        return {"case_id": row["patient"], "model": row["who"], "diagnoses": names, "references": row["truth"]}

    def of_object(one: Any) -> Any:
        by = one.get("by", {None: None}).items()
        return [{"case_id": one["p"], "model": who, "diagnoses": said, "references": [one["t"]]} for who, said in by]

    for lists in (read(table, of_row), read(objects, of_object, missing="own")):
        assert lists.raters == ["ann", "gpt"] and lists.reference[0] == ("gout",)
        assert (lists.list_of("7", "ann"), lists.list_of("7", "gpt")) == (["gout", "flu"], [])
    lists = read(table, lambda row: {"case_id": row["first"], "text": row["then"]})
    assert lists.raters == ["model"], "a list of nobody's"
    for wrong, told in (({"case_id": "none"}, r"\(KeyError: 'none'\)"), ({"patient": "patient"}, ".*case_id")):
        with pytest.raises(InputError, match=f"odd.csv, row 2: the option 'record' made no answer {told}"):
            read(table, lambda row, wrong=wrong: {ours: row[name] for ours, name in wrong.items()})


# Published formats

FORMATS = rows_in("../cases/formats")
"""files in JSON, texts as they are, lists in .jsonl as lines; the format of `place`, "" for none; as JSON the case, model, list (null where it cannot
be read), right answers and groups of each answer, or the rows of the long form; or what the refusal says after "refused: "."""


def told(path: Path, name: str) -> list[Any]:
    found = read_answers(path, name)
    if isinstance(found, Table):
        return found.data.to_pylist()
    texts = [one.diagnoses or (list_cell(one.text).names if one.text else []) for one in found]
    right = [json.dumps(r) if isinstance(r := one.references, list) else str(r or "") for one in found]
    return [[a.case_id, a.model, text, [*parted(r)], a.more] for a, text, r in zip(found, texts, right, strict=True)]


@pytest.mark.parametrize("case", FORMATS, ids=[f"{one['format']}: {one['why']}" for one in FORMATS])
def test_a_format(tmp_path: Path, case: dict[str, str]) -> None:
    name, read, path = case["format"], case["read"], written(tmp_path, json.loads(case["files"])) / case["place"]
    if name == "inspect":
        pytest.importorskip("inspect_ai", reason="the extra 'inspect' is not installed")
    if read.startswith("refused: "):
        with pytest.raises(InputError, match=read.removeprefix("refused: ")):
            read_answers(path, name)
        return
    assert recognised(path) == name == recognised(tmp_path)
    assert not name or told(path, name) == json.loads(read)
    with pytest.raises(OptionError, match=r"option 'format' must be one of inspect, lm-eval, .*kernel29"):
        read_answers(tmp_path, "helm")


def test_a_log_that_is_packed(tmp_path: Path) -> None:
    log = pytest.importorskip("inspect_ai.log", reason="the extra 'inspect' is not installed")
    (case,) = [one for one in FORMATS if one["why"] == "answers, a group, and an error"]
    made = log.read_eval_log(str(written(tmp_path, json.loads(case["files"])) / "logs" / "a.json"))
    made.status = "cancelled"
    log.write_eval_log(made, str(tmp_path / "a.eval"))
    assert recognised(tmp_path / "a.eval") == "inspect"
    assert told(tmp_path / "a.eval", "inspect") == json.loads(case["read"])
    assert "not finished (its status: cancelled): 3 samples" in read_lists(tmp_path / "a.eval").origin.warnings[0]


def test_files_of_a_format_that_differ_in_a_right_answer(tmp_path: Path) -> None:
    one, other = ({"id": 3, "Final Diagnosis": right, "LLM Response": "1. Gout"} for right in ("Gout", "Flu"))
    written(tmp_path, {"m_answer.jsonl": [one], "n_answer.jsonl": [other]})
    for answers, right in ((tmp_path, None), ({"m": {"3": ["Gout"]}}, tmp_path)):
        with pytest.raises(InputError, match="n_answer.jsonl, row 1, .*: the reference differs within the case '3'.*Got: .*Flu"):  # fmt: skip
            read_lists(answers, references=right)
