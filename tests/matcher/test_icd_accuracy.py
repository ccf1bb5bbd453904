"""How often the mapping is right, on names with right codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.matcher.icd_accuracy import levels_shared
from dxmatch.terms.icd import open_tree

TREE = """code,name,parent
IX,Diseases of the circulatory system,
I20-I25,Ischaemic heart diseases,IX
I20,Angina pectoris,I20-I25
I20.0,Unstable angina,I20
I21,Acute myocardial infarction,I20-I25
I21.0,Anterior wall infarction,I21
I21.9,"Acute myocardial infarction, unspecified",I21
I30-I52,Other forms of heart disease,IX
I30,Acute pericarditis,I30-I52
I50,Heart failure,I30-I52
X,Diseases of the respiratory system,
J12-J18,Pneumonia,X
J18,"Pneumonia, unspecified organism",J12-J18
"""
ROWS = [
    ("Acute pericarditis", "I30", "code", 1),
    ("Anterior wall infarction", "I21.9", "parent", 2),
    ("Angina pectoris", "I21", "parent", None),
    ("Pneumonia", "J18", "parent", 2),
    ("Heart failure", "I20", "chapter", None),
    ("Unstable angina", "J18", "no level", None),
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tree.csv").write_text(TREE, "utf-8")
    pd.DataFrame([row[:2] for row in ROWS], columns=["diagnosis", "right"]).to_csv("names.csv", index=False)
    return tmp_path


def test_each_row_says_where_it_is_right(here: Path) -> None:
    accuracy = dxmatch.icd_accuracy("names.csv", "right", tree="tree.csv", k=2)
    rows = accuracy.table.to_pylist()
    assert [row["right_at"] for row in rows] == [row[2] for row in ROWS]
    assert [row["gold"] for row in rows] == [row[1] for row in ROWS]
    assert rows[0]["gold_place"] == 1
    assert rows[0]["gold_name"] == "Acute pericarditis"
    top = accuracy["code", "top 1"]
    assert (top.right, top.cases) == (1, 6)
    assert top.value == pytest.approx(1 / 6)
    # Wilson's interval of 1 in 6, by its formula
    centre, z2 = (1 / 6 + 1.9599639845**2 / 12) / (1 + 1.9599639845**2 / 6), 1.9599639845**2
    half = 1.9599639845 / (1 + z2 / 6) * ((1 / 6 * 5 / 6 / 6 + z2 / 144) ** 0.5)
    assert (top.low, top.high) == pytest.approx((centre - half, centre + half))
    assert accuracy["code", "right at the parent"].right == 4
    assert accuracy["code", "right at the category"].right == 2
    assert accuracy["code", "right at the section"].right == 4
    assert accuracy["code", "right at the chapter"].right == 5
    assert {one.name for one in accuracy.measures if one.of == "candidates"} == {"top 1", "top 2"}
    assert [row["right_at"] for row in accuracy.errors] == ["parent", "parent", "parent", "chapter", "no level"]
    json.dumps(accuracy.to_dict())


# The first are the errors that H-DDx prints (Table 5).
LEVELS = """
    K70.0 K70.1 parent category section chapter; N17.0 N14 chapter; S32.0 S32.000 parent category section chapter; R53.83 T67.6
    R53.83 R53.1 category section chapter; A15 A15-A19 parent section chapter; A15 A18 parent section chapter; 1 A15 chapter
    A15-A19 A15 parent section chapter; J18 J18 code parent category section chapter
"""


def test_levels() -> None:
    tree = open_tree()
    for row in LEVELS.strip().replace("\n", ";").split(";"):
        right, found, *levels = row.split()
        assert [*levels_shared(tree, tree.node(found), tree.node(right))] == levels, row


def test_a_table_of_its_own_gives_the_same(here: Path) -> None:
    frame = pd.DataFrame([row[:2] for row in ROWS], columns=["diagnosis", "icd10"])
    frame.to_csv("gold.csv", index=False)
    wanted = dxmatch.icd_accuracy("names.csv", "right", tree="tree.csv").measures
    for gold in ("gold.csv", frame):
        assert dxmatch.icd_accuracy([row[0] for row in ROWS], gold, tree="tree.csv").measures == wanted


def test_what_has_no_right_code_counts_nowhere_and_what_has_no_code_as_wrong(here: Path) -> None:
    table = {"diagnosis": ["Heart failure", "qwzx vbnm", "Acute pericarditis"], "right": ["I50", "I30", None]}
    accuracy = dxmatch.icd_accuracy(table, "right", tree="tree.csv")
    assert (accuracy.without_gold, accuracy.no_code) == (1, 1)
    assert accuracy["code", "top 1"][2:3] + accuracy["code", "top 1"][5:] == (0.5, 1, 2)
    assert [row["right_at"] for row in accuracy.table.to_pylist()] == ["code", "no code", None]


def test_several_right_codes_dots_and_each_row_or_each_string(here: Path) -> None:
    table = {"diagnosis": ["Heart failure", "Heart failure", "Unstable angina"], "right": ["I30; I50", "I50", "i200"]}
    assert dxmatch.icd_accuracy(table, "right", tree="tree.csv")["code", "top 1"].cases == 3
    once = dxmatch.icd_accuracy(table, "right", tree="tree.csv", unique=True)
    assert (once["code", "top 1"].right, once["code", "top 1"].cases) == (2, 2)


@pytest.mark.parametrize(
    ("table", "gold", "refused"),
    [
        ({"diagnosis": ["a b", "c d"], "right": ["I50", "I99.7"]}, "right", r"dict, row 1, column 'right': an unknown ICD-10 code.*'I99.7'"),
        ({"diagnosis": ["a b"], "right": ["I50"]}, "rigth", "no such column of right codes; did you mean 'right'"),
        ({"diagnosis": ["a b"], "right": [None]}, "right", "no diagnosis has a right code"),
        (["a b"], {"diagnosis": ["c d"], "icd10": ["I50"]}, "gold: no diagnosis has a right code"),
        (["a b"], {"diagnosis": ["a b", "a b"], "icd10": ["I50", "I30"]}, "row 1, column 'icd10': a diagnosis with two right codes, the first in row 0"),
        (["a b"], {"diagnosis": ["a b"], "code": ["I50"]}, "the column 'icd10' .* is missing"),
        (["a b"], "gone.csv", "no such file"),
    ],
)  # fmt: skip
def test_what_is_refused(here: Path, table: Any, gold: Any, refused: str) -> None:
    with pytest.raises(dxmatch.InputError, match=refused):
        dxmatch.icd_accuracy(table, gold, tree="tree.csv")


SET = """
[endpoint.lab]
url = "{url}"

[[feature]]
name = "pick"
kind = "icd_pick"
model = "m"
endpoint = "lab"
source = "tree.csv"
entries = "names"
k = 3
"""


def test_the_gain_of_a_pick(here: Path, loopback: Any) -> None:
    """Two of four are mended, one is spoilt; a direct match is not asked."""
    (here / "mine.toml").write_text(SET.format(url=loopback.url), "utf-8")
    names = ["acute pericarditis of the heart", "unstable angina attack", "wall infarction anterior", "Heart failure"]
    plain = dxmatch.icd(names, tree="tree.csv", preset=dxmatch.IcdPreset(entries="names"), k=3)
    second = [row[1]["code"] for row in plain["candidates"]]
    first = [row[0]["code"] for row in plain["candidates"]]
    gold = [second[0], second[1], first[2], "I50"]
    loopback.rules({"contains": "names of ICD-10 entries", "text": "2"})
    accuracy = dxmatch.icd_accuracy(
        {"diagnosis": names, "right": gold}, "right", pick="pick", preset=dxmatch.IcdPreset(features="mine.toml")
    )
    assert loopback.log()["calls"] == 3
    assert accuracy["candidates", "top 1"].right == 2
    assert accuracy["code", "top 1"].right == 3
    gain = accuracy["gain", "top 1"]
    assert (gain.value, gain.right, gain.cases) == (0.25, 1, 4)
    assert gain.low < 0.25 < gain.high
    asked = loopback.log()["requests"][0]["body"]
    shown = asked["messages"][0]["content"] if isinstance(asked, dict) else asked
    assert "I30" not in str(shown)


def test_every_text_is_asked_as_h_ddx_does(here: Path, loopback: Any) -> None:
    """But a bare code. The picks of one way serve the other, for the question is the same."""
    (here / "mine.toml").write_text(SET.format(url=loopback.url), "utf-8")
    names = ["Heart failure", "unstable angina attack", "I50"]
    loopback.rules({"contains": "names of ICD-10 entries", "text": "2"})
    table, ways = pa.table({"diagnosis": names}), {"pick": "pick", "asking": {"store": "votes.sqlite"}}
    first = dxmatch.icd(table, preset={"features": "mine.toml"}, **ways)
    assert first["how"].to_pylist() == ["direct", "picked", "code"]
    assert loopback.log()["calls"] == 1
    rows = dxmatch.icd(table, preset={"features": "mine.toml", "direct": False}, **ways).to_pylist()
    assert [row["how"] for row in rows] == ["picked", "picked", "code"]
    assert rows[0]["candidates"][0]["code"] == "I50" != rows[0]["icd10"] == rows[0]["candidates"][1]["code"]
    assert loopback.log()["calls"] == 2
    with pytest.raises(OptionError, match="'pick' parameter must be a language model"):
        dxmatch.icd(names, preset={"direct": False})


def test_the_command(here: Path, command: Callable[..., Any]) -> None:
    asked = ("icd", "names.csv", "--gold", "right", "--tree", "tree.csv", "-o", "out.csv")
    done = command(*asked)
    assert done.code == 0 and "Code that came out, right" in done.out, done.err
    told = json.loads(command(*asked, "--json").out)
    assert told["accuracy"][0] == dxmatch.icd_accuracy("names.csv", "right", tree="tree.csv").measures[0]._asdict()
    assert len(told["errors"]) == 5
    assert pd.read_csv("out.csv")["right_at"].tolist() == [row[2] for row in ROWS]
