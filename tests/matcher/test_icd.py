"""`dxmatch.icd`, `dxmatch.icd_accuracy` and `dxmatch icd`: free text to ICD-10, and how often that is right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

import dxmatch

from ..terms.conftest import SMALL

ROWS = [
    ("Acute pericarditis", "I30", "code", 1), ("Anterior wall infarction", "I21.9", "parent", 2), ("Angina pectoris", "I21", "parent", None),
    ("Pneumonia", "J18", "parent", 2), ("Heart failure", "I20", "chapter", None), ("Unstable angina", "J18", "no level", None),
]  # fmt: skip
NAMES = {"diagnosis": [row[0] for row in ROWS], "right": [row[1] for row in ROWS]}
SET = """
[endpoint.lab]
url = "{url}"
[encoder.big]
model = "big-embedder"
endpoint = "lab"
[[feature]]
name = "pick"
kind = "icd_pick"
model = "m"
endpoint = "lab"
source = "tree.csv"
entries = "names"
k = 3
"""
ASKED = "unstable angina attack"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(SMALL, tmp_path / "tree.csv")
    pd.DataFrame(NAMES).to_csv("names.csv", index=False)
    return tmp_path


def rows_of(made: Any) -> list[dict[str, Any]]:
    return nw.from_native(made, eager_only=True).to_arrow().to_pylist()


def test_a_mapping_says_its_icd10_and_a_bare_string_is_one_diagnosis() -> None:
    """What it holds: tests/golden/commands. Whatever holds the diagnoses: tests/matcher/test_lists.py and tests/golden/tables."""
    table = dxmatch.icd(["heart attack"], k=3)
    assert table.column_names == ["diagnosis", "icd10", "name", "how", "score", "candidates"]
    assert table.schema.metadata[b"icd10"].startswith(b"simple_icd_10_cm ")
    assert dxmatch.icd(pd.Series(["heart attack"]), k=3).attrs["icd10"].startswith("simple_icd_10_cm ")
    assert dxmatch.icd("heart attack", k=3).equals(table)


def test_rows_without_a_diagnosis_keep_their_place() -> None:
    given = pd.Series([None, "gout", "?", "asthma", "gout"])
    with pytest.warns(UserWarning, match=r"2 of 5 rows .* in 'diagnosis', the first is row \d. They keep"):
        made = rows_of(dxmatch.icd(given, k=2))
    assert [(one["icd10"], one["how"], len(one["candidates"])) for one in made] == [
        (None, "blank", 0), ("M10", "direct", 2), (None, "blank", 0), ("J45", "direct", 2), ("M10", "direct", 2),
    ]  # fmt: skip
    with pytest.warns(UserWarning, match="They are left out"):
        assert len(dxmatch.icd(given, unique=True, k=1)) == 2


WANTED = {
    "history of stroke": "I63.9",  # not Z82.3, family history of stroke
    "personal history of stroke": "I63.9",  # not Z86.61, of infections
    "hx of MI": "I25.2",  # old myocardial infarction
    "history of breast cancer": "Z85.3", "mother had breast cancer": "C50.919", "family history of stroke": "Z82.3",
    "s/p appendectomy": None,  # not Z90.710, of cervix and uterus
    "no pneumonia": None, "family history of breast cancer": "Z80.3", "pnuemonia": "J18", "J18.9": "J18.9", "asdf qwer": None, "gout": "M10",
}  # fmt: skip


def test_what_is_said_of_a_disease_has_no_code_that_says_another_thing() -> None:
    with pytest.warns(
        UserWarning, match=r"\d of 13 diagnoses are said .* the patient's own \('history of stroke', past\)"
    ):
        made = dxmatch.icd([*WANTED], k=15).to_pylist()
    assert {one["diagnosis"]: one["icd10"] for one in made} == WANTED
    for one in made:
        assert len(one["candidates"]) == 1 if one["how"] == "code" else len(one["candidates"]) in range(1, 16)
        assert one["icd10"] in (None, one["candidates"][0]["code"])
        assert one["how"] == "unmapped" or one["icd10"] is not None


def test_a_sentence_model_by_the_distance_of_its_vectors(here: Path, tiny_sentence_model: Path) -> None:
    from sentence_transformers import SentenceTransformer

    preset = {"encoder": f"sentence-transformers:{tiny_sentence_model}", "distance": "euclidean", "entries": "names", "sections": False}  # fmt: skip
    (row,) = dxmatch.icd(ASKED, k=3, tree="tree.csv", preset=preset).to_pylist()
    model = SentenceTransformer(str(tiny_sentence_model), device="cpu")
    distance = lambda name: np.linalg.norm(model.encode(name.lower().replace(",", "")) - model.encode(ASKED))  # noqa: E731
    np.testing.assert_allclose([-distance(one["name"]) for one in row["candidates"]], [one["score"] for one in row["candidates"]], atol=1e-4)  # fmt: skip
    assert row["how"] == "nearest"


def test_an_endpoint_by_its_name_or_declared(here: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DXMATCH_CACHE", str(here / "cache"))
    loopback.rules()
    (here / "mine.toml").write_text(SET.format(url=loopback.url), "utf-8")
    texts, how = [ASKED, "Heart failure"], {"tree": "tree.csv", "asking": {"endpoints": "mine.toml"}}
    made = dxmatch.icd(texts, preset={"encoder": "endpoint:lab:big-embedder", "entries": "names"}, **how)
    asked = loopback.log()["requests"][0]
    assert asked["path"].endswith("/embeddings") and "big-embedder" in str(asked["body"])
    assert made["how"].to_pylist() == ["nearest", "direct"]
    declared = {"encoder": "big", "features": "mine.toml", "entries": "names"}
    assert dxmatch.icd(texts, tree="tree.csv", preset=declared).equals(made)


def test_each_row_says_where_it_is_right(here: Path) -> None:
    accuracy = dxmatch.icd_accuracy("names.csv", "right", tree="tree.csv", k=2)
    rows = accuracy.table.to_pylist()
    assert [(row["diagnosis"], row["gold"], row["right_at"]) for row in rows] == [row[:3] for row in ROWS]
    assert (rows[0]["gold_place"], rows[0]["gold_name"]) == (1, "Acute pericarditis")
    top = accuracy["code", "top 1"]
    assert (top.right, top.cases) == (1, 6) and top.value == pytest.approx(1 / 6)
    assert (top.low, top.high) == pytest.approx((0.0300534, 0.5635028), abs=1e-6)  # Wilson's of 1 in 6
    right = {level: accuracy["code", f"right at the {level}"].right for level in ("parent", "category", "section", "chapter")}  # fmt: skip
    assert right == {"parent": 4, "category": 2, "section": 4, "chapter": 5}
    assert {one.name for one in accuracy.measures if one.of == "candidates"} == {"top 1", "top 2"}
    assert [row["right_at"] for row in accuracy.errors] == ["parent", "parent", "parent", "chapter", "no level"]
    json.dumps(accuracy.to_dict())


def test_the_levels_of_icd10cm() -> None:
    """Right code, found code, where it is right: first the errors that H-DDx prints (Table 5)."""
    levels = [
        ("K70.0", "K70.1", "parent"), ("N17.0", "N14", "chapter"), ("S32.0", "S32.000", "parent"), ("R53.83", "T67.6", "no level"), ("R53.83", "R53.1", "category"),
        ("A15", "A15-A19", "parent"), ("A15", "A18", "parent"), ("A15-A19", "A15", "parent"), ("J18", "J18", "code"),
    ]  # fmt: skip
    table = dxmatch.icd_accuracy([{"diagnosis": found, "right": right} for right, found, _ in levels], "right").table
    assert [*zip(*(table[name].to_pylist() for name in ("gold", "icd10", "right_at")), strict=True)] == levels


@pytest.mark.parametrize(
    ("table", "unique", "figures"),
    [
        # right, cases, without_gold, no_code: no right code counts nowhere, no code as wrong
        ({"diagnosis": ["Heart failure", "qwzx vbnm", "Acute pericarditis"], "right": ["I50", "I30", None]}, False, (1, 2, 1, 1)),
        # several right codes, any spelling of one, each row or each string
        ({"diagnosis": ["Heart failure", "Heart failure", "Unstable angina"], "right": ["I30; I50", "I50", "i200"]}, False, (3, 3, 0, 0)),
        ({"diagnosis": ["Heart failure", "Heart failure", "Unstable angina"], "right": ["I30| I50", "I50", "i200"]}, True, (2, 2, 0, 0)),
    ],
)  # fmt: skip
def test_what_counts(here: Path, table: Any, unique: bool, figures: tuple[int, ...]) -> None:
    found = dxmatch.icd_accuracy(table, "right", tree="tree.csv", unique=unique)
    top = found["code", "top 1"]
    assert (top.right, top.cases, found.without_gold, found.no_code) == figures


def test_the_gain_of_a_pick(here: Path, loopback: Any) -> None:
    """Two of four are mended, one is spoilt; a direct match is not asked."""
    (here / "mine.toml").write_text(SET.format(url=loopback.url), "utf-8")
    names = ["acute pericarditis of the heart", ASKED, "wall infarction anterior", "Heart failure"]
    plain = dxmatch.icd(names, tree="tree.csv", preset=dxmatch.IcdPreset(entries="names"), k=3)
    code = [[one["code"] for one in row] for row in plain["candidates"].to_pylist()]
    loopback.rules({"contains": "names of ICD-10 entries", "text": "2"})
    table = {"diagnosis": names, "right": [code[0][1], code[1][1], code[2][0], "I50"]}
    accuracy = dxmatch.icd_accuracy(table, "right", pick="pick", preset=dxmatch.IcdPreset(features="mine.toml"))
    assert loopback.log()["calls"] == 3
    assert (accuracy["candidates", "top 1"].right, accuracy["code", "top 1"].right) == (2, 3)
    gain = accuracy["gain", "top 1"]
    assert (gain.value, gain.right, gain.cases) == (0.25, 1, 4) and gain.low < 0.25 < gain.high


def test_the_command(here: Path, command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    asked = ("icd", "names.csv", "--gold", "right", "--tree", "tree.csv", "-o", "out.csv")
    done = command(*asked)
    assert done.code == 0 and "right at the parent" in done.out and "Unstable angina" in done.out, done.err
    told = json.loads(command(*asked, "--json").out)
    assert told["accuracy"][0] == dxmatch.icd_accuracy("names.csv", "right", tree="tree.csv").measures[0]._asdict()
    assert len(told["errors"]) == 5 and pd.read_csv("out.csv")["right_at"].tolist() == [row[2] for row in ROWS]


def test_codes_of_a_part_of_a_frame_stand_in_its_rows() -> None:
    some = pd.DataFrame({"dx": ["gout", "MI", "asthma", "MI"]})[1:]
    for given in (some, some["dx"]):
        assert dxmatch.icd(given)["icd10"].str[:3].to_dict() == {1: "I21", 2: "J45", 3: "I21"}
    assert dxmatch.icd(some, unique=True)["diagnosis"].to_dict() == {1: "MI", 2: "asthma"}
