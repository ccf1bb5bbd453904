"""Lists in every shape that people keep them in: the same lists come out of all of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.evaluation.read.lists import Lists
from dxmatch.evaluation.read.reading import read_lists

from ..made import long_form, with_reading

MODELS = ("aster", "birch")
ANSWERS = {
    "c1": {"aster": ["gout", "cellulitis", "sepsis"], "birch": ["sepsis", "gout"]},
    "c2": {"aster": ["asthma"], "birch": ["copd", "none", "asthma"]},
    "c3": {"aster": ["diabetes mellitus, type 2", "gout"], "birch": ["t(15;17) leukemia"]},
}
RIGHT = {"c1": ["gout", "hypertension"], "c2": ["asthma"], "c3": ["leukemia"]}
SPECIALTY = {"c1": "medicine", "c2": "medicine", "c3": "oncology"}


def as_read(lists: Lists) -> tuple[Any, ...]:
    """What the figures rest on, whatever the order of raters."""
    said = {case: {rater: lists.list_of(case, rater) for rater in sorted(lists.raters)} for case in lists.cases}
    return said, dict(zip(lists.cases, lists.reference, strict=True)), lists.references.groups


WANTED = (
    {c: {m: [None if d == "none" else d for d in ANSWERS[c][m]] for m in MODELS} for c in ANSWERS},
    {c: tuple(right) for c, right in RIGHT.items()},
    {"specialty": list(SPECIALTY.values())},
)


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def frame(**columns: Any) -> pd.DataFrame:
    start = {"id": list(RIGHT), "gold": ["; ".join(r) for r in RIGHT.values()], "specialty": list(SPECIALTY.values())}
    return pd.DataFrame({**start, **columns})


def column(model: str, how: Any) -> list[Any]:
    return [how(ANSWERS[case][model]) for case in ANSWERS]


def each(how: Any) -> dict[str, list[Any]]:
    return {model: column(model, how) for model in MODELS}


def lines(names: list[str]) -> str:
    return "\n".join(f"{i}. {name}" for i, name in enumerate(names, 1))


def ranked(prefix: str, model: str) -> dict[str, list[Any]]:
    return {
        f"{prefix}{i + 1}": column(model, lambda names, i=i: names[i] if i < len(names) else None) for i in range(3)
    }


def records(model: str | None = None, **more: Any) -> list[dict[str, Any]]:
    return [
        {"id": c, "gold": RIGHT[c], "specialty": SPECIALTY[c], **({"prediction": ANSWERS[c][model]} if model else {})}
        for c in ANSWERS
    ]


def jsonl(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


LONG = long_form(ANSWERS).assign(
    reference=lambda f: f["case_id"].map(lambda c: "\n".join(RIGHT[c])), specialty=lambda f: f["case_id"].map(SPECIALTY)
)


def folder(place: Path, *, right: bool) -> Path:
    for model in MODELS:
        rows = records(model) if right else [{"id": c, "output": lines(ANSWERS[c][model])} for c in ANSWERS]
        written(place / f"{model}.jsonl", jsonl(rows))
    if not right:
        frame().to_csv(place / "right_answers.csv", index=False)
    return place


SHAPES: dict[str, Any] = {
    "the long form": lambda place: LONG,
    "the long form under other names": lambda place: LONG.rename(
        columns={"case_id": "Case", "rater": "Model", "rank": "Rank", "diagnosis": "DX", "reference": "Ground truth"}
    ),
    "a column for each model, JSON": lambda place: frame(**each(json.dumps)),
    "a column for each model, Python lists": lambda place: frame(**each(repr)),
    "a column for each model, semicolons": lambda place: frame(**each("; ".join)),
    "a column for each model, numbered lines": lambda place: frame(**each(lines)),
    "a column for each model, cells that are lists": lambda place: frame(**each(list)),
    "a column for each model, polars": lambda place: pl.DataFrame(frame(**each(json.dumps))),
    "a column for each model, texts and lists": lambda place: frame(aster=column("aster", list), birch=[["sepsis", "gout"], lines(ANSWERS["c2"]["birch"]), ["t(15;17) leukemia"]]),
    "a column for each model, Excel": lambda place: excel(place / "t.xlsx", frame(**each("; ".join))),
    "a column for each rank and model": lambda place: frame(**ranked("aster dx", "aster"), **ranked("birch dx", "birch")),
    "a row for each case and model": lambda place: pd.DataFrame(
        [{**row, "model": m, "answers": lines(ANSWERS[row["id"]][m])} for m in MODELS for row in records()]
    ),
    "a row for each case and model, a column for each rank": lambda place: pd.DataFrame(
        [{**row, "model": m, **{f"Diagnosis {i}": n for i, n in enumerate(ANSWERS[row["id"]][m], 1)}} for m in MODELS for row in records()]
    ),
    "JSON, a list of cases": lambda place: written(place / "t.json", [{**row, "predictions": ANSWERS[row["id"]]} for row in records()]),
    "JSON, an object of cases": lambda place: written(
        place / "t.json", {row.pop("id"): {**row, "predictions": ANSWERS[case]} for row, case in zip(records(), ANSWERS, strict=True)}
    ),
    "JSON lines": lambda place: written(place / "t.jsonl", jsonl([{**row, "predictions": ANSWERS[row["id"]]} for row in records()])),
    "JSON lines, a list here and a text there": lambda place: written(
        place / "t.jsonl",
        jsonl([{**row, "gold": row["gold"][0] if len(row["gold"]) == 1 else row["gold"], "answer": {m: lines(a) if m == "birch" else a for m, a in ANSWERS[row["id"]].items()}} for row in records()]),
    ),
    "a frame with objects in its cells": lambda place: frame(predictions=[ANSWERS[c] for c in ANSWERS]),
    "a folder of files": lambda place: folder(place, right=True),
    "a folder of files, the right answers in one": lambda place: folder(place, right=False),
    "several files": lambda place: sorted(map(str, folder(place, right=True).iterdir())),
    "{model: objects}": lambda place: {m: records(m) for m in MODELS},
    "objects": lambda place: [{**row, "differential": ANSWERS[row["id"]]} for row in records()],
    "columns": lambda place: LONG.to_dict("list"),
}  # fmt: skip


def excel(path: Path, table: pd.DataFrame) -> Path:
    table.to_excel(path, index=False)
    return path


@pytest.mark.parametrize("shape", SHAPES)
def test_the_same_lists_from_every_shape(shape: str, tmp_path: Path) -> None:
    lists = read_lists(SHAPES[shape](tmp_path), by="specialty")
    assert as_read(lists) == WANTED
    assert "3 cases, 3 with a right answer" in lists.origin.recognised
    assert any("1 of 12 diagnoses in the lists names none ('none' 1)" in warning for warning in lists.origin.warnings)


RIGHT_APART: dict[str, Any] = {
    "a dict": lambda place: RIGHT,
    "a dict of texts": lambda place: {case: "; ".join(right) for case, right in RIGHT.items()},
    "a table": lambda place: frame(),
    "a table of two columns": lambda place: frame()[["id", "gold"]].rename(columns={"gold": "what it was"}),
    "a row for each right answer": lambda place: pd.DataFrame(
        [{"case": c, "diagnosis": d} for c, right in RIGHT.items() for d in right]
    ),
    "objects": lambda place: records(),
    "a JSON object": lambda place: written(place / "right.json", RIGHT),
    "JSON lines": lambda place: written(place / "right.jsonl", jsonl(records())),
    "a CSV": lambda place: written(place / "right.csv", frame().to_csv(index=False)),
}


@pytest.mark.parametrize("kind", RIGHT_APART)
def test_right_answers_apart(kind: str, tmp_path: Path) -> None:
    right = RIGHT_APART[kind](tmp_path)
    lists = read_lists({m: {c: ANSWERS[c][m] for c in ANSWERS} for m in MODELS}, references=right)
    assert as_read(lists)[:2] == WANTED[:2]
    assert "right answers from" in lists.origin.recognised
    with pytest.raises(InputError, match="no case of the lists has a right answer.*the model stands outside"):
        read_lists(ANSWERS, references=right)


def test_lists_in_order() -> None:
    right = list(RIGHT.values())
    by_model = read_lists({m: column(m, list) for m in MODELS}, references=right)
    assert [by_model.list_of("1", m) for m in MODELS] == [ANSWERS["c1"][m] for m in MODELS]
    one = read_lists(column("aster", lines), references=["; ".join(r) for r in right])
    assert one.raters == ["model"] and one.list_of("3", "model") == ANSWERS["c3"]["aster"]
    assert one.reference == by_model.reference == [tuple(r) for r in right]
    with pytest.raises(InputError, match=r"the two have not the same ones \(3 beside 2\)"):
        read_lists([["gout"], ["flu"]], references=right)


@pytest.mark.parametrize(
    ("table", "columns", "raters"),
    [
        (frame(a=column("aster", list), b=column("birch", list)), {"predictions": ["a"]}, ["model"]),
        (frame(a=column("aster", list), b=column("birch", list)), {"predictions": "a,b"}, ["a", "b"]),
        # what the names say is overruled
        (frame(text=column("aster", list), note=column("birch", list)), {"predictions": ["text", "note"]}, ["text", "note"]),
        (frame(**each(list)).rename(columns={"gold": "x", "aster": "gold"}), {"predictions": ["gold", "birch"], "reference": "x"}, ["gold", "birch"]),
        (frame(who=["p", "p", "p"], said=column("aster", list)), {"rater": "who", "predictions": "said"}, ["p"]),
        (frame(**{f"x{i}": v for i, v in enumerate(ranked("d", "aster").values(), 1)}), {"rank": "x1,x2,x3"}, ["model"]),
    ],
)  # fmt: skip
def test_columns_overrule(table: pd.DataFrame, columns: dict[str, Any], raters: list[str]) -> None:
    lists = read_lists(table, reading=dxmatch.Reading(columns=columns))
    assert lists.raters == raters and lists.list_of("c1", raters[0]) == ANSWERS["c1"]["aster"]
    assert lists.reference[0] == ("gout", "hypertension")


def test_the_own_columns_are_named_in_errors() -> None:
    long = "x" * 10_001
    with pytest.raises(InputError, match=r"row 1, column 'birch': a diagnosis of 10,001"):
        read_lists(frame(aster=[["gout"]] * 3, birch=[["flu"], ["gout", long], ["flu"]]))
    with pytest.raises(InputError, match=r"row 2, column 'dx2': a diagnosis of 10,001"):
        read_lists(frame(dx1=["gout"] * 3, dx2=["flu", None, long]))


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        (frame(), {}, "no column holds diagnoses|right answers, but no lists"),
        (pd.DataFrame({"x": [1]}), {}, "no column holds diagnoses; known by their names are: none"),
        (pd.DataFrame({"id": [1], "age": [3]}), {}, "known by their names are: case_id in 'id'.*Or: .*columns="),
        (frame(a=column("aster", list)), {"columns": {"predictions": ["b"]}}, "the column 'b' is missing"),
        (pd.concat([frame(**each(list))] * 2), {}, r"row 3, column 'id': a second answer of rank 1 by 'aster' for case 'c1' \(the first is in row 0\)"),
        ({"a": {"c1": ["gout"]}}, {"references": {"x": "gout"}}, r"no case of the lists has a right answer by its name.*'c1'.*Got: \['x'\]"),
        (LONG.drop(columns="rank"), {}, "row 1, column 'case_id': a second answer of rank 1 by 'aster' for case 'c1'.*a column 'rank'"),
        ({}, {}, "the object is empty"),
        ([], {}, "no lists of diagnoses"),
        (3, {}, "not a table"),
        (Path("nowhere.json"), {}, "no such file"),
        (Path("nowhere.csv"), {}, "no such file"),
        (frame(**each(list)), {"references": "gold"}, "gold: no such file"),
        (frame(**each(list)), {"by": "rarity"}, "the column 'rarity'.*is missing"),
        (LONG.assign(specialty=[f"s{i}" for i in range(len(LONG))]), {"by": "specialty"}, "row 1, column 'specialty': the specialty differs within the case 'c1'"),
    ],
)  # fmt: skip
def test_refused(source: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_lists(source, **with_reading(options))


def test_the_rows_of_files_are_told(tmp_path: Path) -> None:
    written(
        tmp_path / "a.jsonl", jsonl([{"id": "c1", "prediction": ["gout"]}, {"id": "c2", "prediction": ["x" * 10_001]}])
    )
    written(tmp_path / "b.jsonl", jsonl([{"id": "c1", "prediction": ["gout"]}]))
    with pytest.raises(InputError, match=r"a.jsonl, row 2, column 'prediction': a diagnosis of 10,001 characters"):
        read_lists(tmp_path)
    lists = read_lists(tmp_path, reading=dxmatch.Reading(rejects=tmp_path / "rejects.csv"))
    assert lists.origin.rejected_cases == 1 and lists.cases == ["c1"]
    assert pd.read_csv(tmp_path / "rejects.csv")["rejected_row"].tolist() == [2]


MISSING = frame(aster=['["gout"]', "70%", None], birch=each(list)["birch"])


@pytest.mark.parametrize(
    ("missing", "absent"), [(None, [0, 0, 0]), ("empty", [0, 0, 0]), ("own", [0, 0, 1]), ("refuse", None)]
)
def test_missing_lists_and_answers_that_cannot_be_read(missing: str | None, absent: list[int] | None) -> None:
    if absent is None:
        with pytest.raises(
            InputError, match=r"row 1, column 'aster': the case 'c2' has no list by 'aster'.* Got: '70%'"
        ):
            read_lists(MISSING, reading=dxmatch.Reading(missing=missing))
        return
    lists = read_lists(MISSING, reading=dxmatch.Reading(missing=missing))
    assert lists.lengths[:, 0].tolist() == [1, 0, 0] and lists.absent[:, 0].tolist() == absent
    assert not lists.absent[:, 1].any()
    told = " ".join(lists.origin.warnings)
    means = "they are out of the figures" if missing == "own" else "each counts as an empty answer"
    assert f"Missing lists ({means}), of 3 cases: 1 by aster." in told
    unread = (
        "each counts as an empty answer: it says how a rater writes, not what it knows; the first, in row 1, is '70%'"
    )
    assert f"Answers that no list could be read from ({unread}), of 3 cases: 1 by aster." in told


def test_a_model_of_which_nothing_could_be_read_is_named() -> None:
    prose = "The patient should be seen again next week."
    right = dict.fromkeys("123", "gout")
    said = {"aster": dict.fromkeys("123", prose), "birch": {"1": "gout", "2": prose, "3": ["RA"]}}
    told = read_lists(said, references=right).origin.warnings
    assert told[-1].endswith("of 3 cases: 3 by aster, 1 by birch.") and "how a rater writes" in told[-1]
    with pytest.raises(InputError, match=f"no diagnosis could be read from any answer.*{prose}"):
        read_lists({"aster": {"1": prose, "2": prose}}, references=right)


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("gout", ["gout"]),
        ("gout\nhypertension", ["gout", "hypertension"]),
        ("gout; hypertension;", ["gout", "hypertension"]),
        ("gout | hypertension", ["gout", "hypertension"]),
        ("- gout\n- hypertension", ["gout", "hypertension"]),
        ('["gout", "hypertension"]', ["gout", "hypertension"]),
        ("['gout, unspecified']", ["gout, unspecified"]),
        ("gout and hypertension", ["gout and hypertension"]),
        ("cuts and bruises", ["cuts and bruises"]),
        ("MDS/MPN", ["MDS/MPN"]),
        ("t(15;17)", ["t(15;17)"]),
        # no right answer
        ("none", []),
        ("N/A; unknown", []),
        ("gout; none", ["gout"]),
    ],
)
def test_several_right_answers_in_one_cell(cell: str, parts: list[str]) -> None:
    other = {"case_id": "c2", "rater": "A", "rank": 1, "diagnosis": "gout", "reference": "gout"}
    rows = pd.DataFrame([{**other, "case_id": "c1", "reference": cell}, other])
    lists = read_lists(rows)
    assert lists.reference == [tuple(parts), ("gout",)]
    by_role = pd.DataFrame(
        [
            {"case_id": c, "rater": r, "role": role, "rank": 1, "diagnosis": d}
            for c, right in (("c1", cell), ("c2", "gout"))
            for r, role, d in (("A", "algorithm", "gout"), ("T", "reference", right))
        ]
    )
    assert read_lists(by_role).reference == lists.reference
    if not parts:
        assert any(
            "No right answer, so in no figure that needs one: 1 of 2 cases" in warning
            for warning in lists.origin.warnings
        )
    if cell == "gout, hypertension":
        assert lists.origin.warnings[0].startswith(
            "1 case has several right answers in one cell: 1 parted where each part is a known name"
        )
    if cell == "gout\nhypertension":
        assert lists.origin.warnings[-1].endswith("('gout\\nhypertension' is 'gout' and 'hypertension').")


@pytest.mark.parametrize(
    ("codes", "cells"),
    [("M10.9; I10", ["M10.9", "I10"]), ("M10.9,I10", ["M10.9", "I10"]), ("M10.9", ["M10.9"]), ("A; B; C", ["A; B; C"])],
)
def test_codes_part_beside_the_right_answers(codes: str, cells: list[str]) -> None:
    row = {"case_id": "c1", "rater": "A", "rank": 1, "diagnosis": "gout", "reference": "gout; hypertension"}
    lists = read_lists(pd.DataFrame([{**row, "reference_icd10": codes}]))
    assert [cell.value for cell in lists.references.more["icd10"][0]] == cells


GAPS = [("c1", 1, "gout"), ("c1", 4, "flu"), ("c1", 12, "asthma"), ("c2", 2, "gout")]


def test_gaps_stay_and_are_said_once() -> None:
    lists = read_lists(pd.DataFrame(GAPS, columns=["case_id", "rank", "diagnosis"]))
    assert [at for at, name in enumerate(lists.list_of("c1", "model"), 1) if name] == [1, 4, 12]
    (told,) = lists.origin.warnings
    assert told.startswith("2 of 2 lists skip ranks") and "goes from 1 to 4" in told


def test_words_for_a_blank_in_optional_columns() -> None:
    table = LONG.assign(
        severity="NULL", icd10="nan", reference_severity="None", relation=["NA", *["exact synonym"] * 11]
    )
    lists = read_lists(table)
    assert set(lists.more["severity"]) == set(lists.more["icd10"]) == {None}
    assert lists.more["relation"].count(None) == 1 and lists.references.more["severity"] == [(), (), ()]


# ---- the real lists ----


def test_craft_md_from_every_shape(shared_data: Path, tmp_path: Path) -> None:
    table = pd.read_csv(shared_data / "craft_md_lists.csv", keep_default_na=False, dtype=str)
    table["rank"] = table["rank"].astype(int)
    wanted = read_lists(shared_data / "craft_md_lists.csv", by="category")
    cells = table.groupby(["case_id", "rater"], sort=False)["diagnosis"].agg(list)
    of_case = table.drop_duplicates("case_id").set_index("case_id")[["category", "reference"]]
    wide = of_case.join(cells.map(json.dumps).unstack("rater"))
    wide.reset_index().to_csv(tmp_path / "wide.csv", index=False)
    ranks = table.pivot(index=["case_id", "rater"], columns="rank", values="diagnosis").add_prefix("dx").reset_index()
    ranks.join(of_case, on="case_id").to_csv(tmp_path / "ranks.csv", index=False)
    place = tmp_path / "models"
    place.mkdir()
    for rater, part in cells.groupby(level="rater"):
        rows = [{"id": case, "output": names, **of_case.loc[case]} for (case, _), names in part.items()]
        written(place / f"{rater}.jsonl", jsonl(rows))
    by_model = {rater: part.droplevel("rater").to_dict() for rater, part in cells.groupby(level="rater")}
    answers = of_case["reference"].to_dict()
    sources: list[tuple[Any, dict[str, Any]]] = [
        (tmp_path / "wide.csv", {"by": "category"}), (tmp_path / "ranks.csv", {"by": "category"}), (place, {"by": "category"}),
        (by_model, {"references": answers}),
    ]  # fmt: skip
    for source, options in sources:
        found = read_lists(source, **with_reading(options))
        assert as_read(found)[:2] == as_read(wanted)[:2]
        assert not options.get("by") or found.references.groups == wanted.references.groups
        assert sorted(found.origin.warnings) == sorted(wanted.origin.warnings)


def test_the_index_of_a_frame_names_the_cases() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"gpt": [["gout"], ["sepsis"], ["asthma"]]}, index=[1, 2, 3]).sample(frac=1, random_state=1)
    right = {1: "gout", 2: "sepsis", 3: "asthma"}
    for references in (right, pd.Series(right)):
        read = read_lists(frame, references=references)
        assert {case: read.list_of(case, "gpt") for case in read.cases} == {str(c): [name] for c, name in right.items()}
        assert dict(zip(read.cases, read.reference, strict=True)) == {str(c): (name,) for c, name in right.items()}
    assert sorted(read_lists(frame.rename_axis("patient"), references=right).cases) == ["1", "2", "3"]


def test_models_without_an_answer_and_empty_lists_are_told() -> None:
    right = {"1": "gout", "2": "sepsis"}
    read = read_lists({"gpt": {"1": ["gout"], "2": []}, "failed": {}}, references=right)
    assert read.raters == ["gpt", "failed"] and read.lengths.tolist() == [[1, 0], [0, 0]]
    assert "Missing lists (each counts as an empty answer), of 2 cases: 2 by failed." in read.origin.warnings
    assert "Empty lists, which say nothing, of 2 cases: 1 by gpt." in read.origin.warnings


@pytest.mark.parametrize(
    ("index", "cases", "read"),
    [
        ([3, 1, 2], [1, 2, 3], ["3", "1", "2"]),
        (["c", "a", "b"], ["a", "b", "c"], ["c", "a", "b"]),
        ([0, 1, 2], [1, 2, 3], "no column names the cases"),
    ],
)
def test_an_index_of_pandas_in_a_file_names_the_cases(
    index: list[Any], cases: list[Any], read: list[str] | str, tmp_path: Path
) -> None:
    """Never the rows: those of a shuffled file would get another's right answers."""
    answers, right = tmp_path / "answers.csv", tmp_path / "right.csv"
    pd.DataFrame({"dx1": ["gout", "flu", "croup"], "dx2": ["RA", "cold", "flu"]}, index=index).to_csv(answers)
    pd.DataFrame({"case": cases, "gold": ["gout", "flu", "croup"]}).to_csv(right, index=False)
    if isinstance(read, str):
        with pytest.raises(InputError, match=read):
            read_lists(answers, right)
    else:
        assert read_lists(answers, right).cases == read
