"""Files as people have them: the lists that are read, or the refusal."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.tests.command_line import invoke

from ..made import rows_in, with_reading


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


def test_a_dry_run_shows_what_was_read(tmp_path: Path) -> None:
    file = tmp_path / "raw.csv"
    file.write_text(
        'id,gold,gpt,claude\n1,gout,"1. Gout\n2. flu",Final diagnosis: gout\n2,flu,asthma,"Could be anything, really."\n'
    )
    shown = invoke(["evaluate", str(file), "--dry-run"])
    assert shown.code == 0 and not list(tmp_path.glob("*.html"))
    for words in (
        "gpt: 1. Gout, 2. flu",
        "the right answer is flu",
        "Unread, of claude in 2: Could be anything, really.",
    ):
        assert words in shown.output


def test_a_function_of_a_record_reads_any_other_file(tmp_path: Path) -> None:
    """Right answers of a record without a model stand beside those of others, as of a sample that ended in an error."""
    (tmp_path / "odd.csv").write_text(
        "patient;who;first;then;truth\n7;ann;gout;flu;gout\n7;gpt;;;gout\n8;ann;flu;;sepsis\n"
    )
    (tmp_path / "odd.json").write_text(
        '[{"p": 7, "by": {"ann": ["gout", "flu"], "gpt": []}, "t": "gout"}, {"p": 8, "t": "flu"}]'
    )

    def of_row(row: Any) -> Any:
        names = [row[column] for column in ("first", "then") if row[column]]
        return {"case_id": row["patient"], "model": row["who"], "diagnoses": names, "references": row["truth"]}

    def of_object(one: Any) -> Any:
        by = one.get("by", {None: None}).items()
        return [{"case_id": one["p"], "model": who, "diagnoses": said, "references": [one["t"]]} for who, said in by]

    lists = read_lists(tmp_path / "odd.csv", reading=dxmatch.Reading(record=of_row))
    assert lists.raters == ["ann", "gpt"] and lists.list_of("7", "ann") == ["gout", "flu"]
    assert lists.reference == [("gout",), ("sepsis",)]
    lists = read_lists(tmp_path / "odd.json", reading=dxmatch.Reading(record=of_object, missing="own"))
    assert lists.list_of("7", "ann") == ["gout", "flu"] and lists.list_of("7", "gpt") == []
    assert lists.raters == ["ann", "gpt"] and lists.reference[0] == ("gout",)
    lists = read_lists(
        tmp_path / "odd.csv", reading=dxmatch.Reading(record=lambda row: {"case_id": row["first"], "text": row["then"]})
    )
    assert lists.raters == ["model"], "a list of nobody's"
    with pytest.raises(InputError, match=r"row 2: the option 'record' made no answer \(KeyError: 'none'\)"):
        read_lists(tmp_path / "odd.csv", reading=dxmatch.Reading(record=lambda row: {"case_id": row["none"]}))
    with pytest.raises(InputError, match=r"odd.csv, row 2: the option 'record' made no answer.*case_id"):
        read_lists(tmp_path / "odd.csv", reading=dxmatch.Reading(record=lambda row: {"patient": row["patient"]}))
