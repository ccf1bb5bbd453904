"""A final diagnosis beside the set of right answers: top-k accuracy means the one, recall and HDF1 the other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.read.reading import read_lists

from ..made import POINTS, By, rows_in, with_reading

CASES = rows_in("../cases/final_diagnoses")
"""A file, options in JSON, a file of right answers; of the first case the right answers and the final one, null where it is the right answer."""


def given(folder: Path, case: dict[str, str]) -> tuple[Path, dict[str, Any]]:
    (folder / case["name"]).write_text(case["text"])
    (folder / "right.json").write_text(case["right"])
    right = {"references": folder / "right.json"} if case["right"] else {}
    return folder / case["name"], with_reading(json.loads(case["options"] or "{}")) | right


@pytest.mark.parametrize("case", CASES, ids=[one["why"] for one in CASES])
def test_what_is_right_and_what_is_final(case: dict[str, str], tmp_path: Path) -> None:
    source, options = given(tmp_path, case)
    if case["read"].startswith("refused: "):
        with pytest.raises(InputError, match=case["read"].removeprefix("refused: ")):
            read_lists(source, **options)
        return
    lists, (right, final) = read_lists(source, **options), json.loads(case["read"])
    assert (lists.reference[0], any(lists.of_final().reference)) == (tuple(right), final is not None)
    assert final is None or lists.of_final().reference[0] == tuple(final)
    assert lists.raters in (["A", "B"], ["base", "tuned"]), "nor is the organ a model"
    assert ("not read: organ" in lists.origin.recognised) == ("organ" in case["text"])


def test_what_each_metric_means_and_a_case_without_one(tmp_path: Path) -> None:
    """The second case has no final diagnosis: it is out of top-k accuracy alone, and told."""
    frame = pd.read_csv(given(tmp_path, CASES[0])[0])
    frame = pd.concat([frame, frame.assign(case_id="d").query("role != 'final'")])
    report = evaluate(frame, matcher=By(), resampling=POINTS)
    for name, values in (("MRR", [0, 0.5]), ("R_disease", [0.5, 0.5])):
        assert [report.row(name, algorithm=who)["value"] for who in "AB"] == values
    (first,) = {report.row("Acc", of="M", k=1, algorithm=who)["value"] for who in "AB"}
    assert (first, report.row("Acc", of="M", k=1, algorithm="A")["n_cases"]) == (0, 1)
    assert report.row("R_patient", algorithm="A")["n_cases"] == 2
    assert [(one.count, one.of) for one in report.findings if one.kind == "final_diagnosis"] == [(1, 2)]
    page = report.save(tmp_path / "report.html").read_text()
    assert '"final":["gout",""]' in page and "Final diagnosis" in page
