from __future__ import annotations

from pathlib import Path

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import dxmatch


def test_list_file_and_frame_agree(tmp_path: Path) -> None:
    strings = ["acute MI", "I21", "sugar diabetes, type II", "acute MI"]
    frame = pd.DataFrame({"dx": strings})
    frame.to_csv(tmp_path / "s.csv", index=False)
    table = dxmatch.icd(pa.table({"diagnosis": strings}), k=3)
    assert table.column_names == ["diagnosis", "icd10", "name", "how", "score", "candidates"]
    assert table.column("icd10").to_pylist() == ["I21", "I21", "E11", "I21"]
    assert table.column("how").to_pylist() == ["direct", "code", "nearest", "direct"]
    assert [len(row) for row in table.column("candidates").to_pylist()] == [3, 1, 3, 3]
    frame.to_excel(tmp_path / "s.xlsx", index=False, sheet_name="Strings")
    for same in (tmp_path / "s.csv", f"{tmp_path}/s.xlsx#Strings", frame, frame.to_dict("records"), {"dx": strings}):
        made = nw.from_native(dxmatch.icd(same, column="dx", k=3), eager_only=True).to_arrow()
        assert made.to_pylist() == table.to_pylist()


@pytest.mark.parametrize(
    ("strings", "kind"),
    [
        ("flu", pa.Table), (["flu"], pa.Table), ([{"diagnosis": "flu"}], pa.Table), ({"diagnosis": ["flu"]}, pa.Table),
        (pd.Series(["flu"]), pd.DataFrame), (pd.DataFrame({"diagnosis": ["flu"]}), pd.DataFrame),
        (pl.Series(["flu"]), pl.DataFrame), (pl.DataFrame({"diagnosis": ["flu"]}), pl.DataFrame), (pa.table({"diagnosis": ["flu"]}), pa.Table),
    ],
)  # fmt: skip
def test_the_kind_of_table_that_came_goes_back(strings: object, kind: type) -> None:
    made = dxmatch.icd(strings, k=2)
    assert type(made) is kind
    assert next(iter(made["icd10"])) in ("J11.1", pa.scalar("J11.1"))
    if kind is pd.DataFrame:
        assert made.attrs["icd10"].startswith("simple_icd_10_cm ")


@pytest.mark.parametrize("kind", ["file", "frame", "series", "list"])
def test_rows_without_a_diagnosis_keep_their_place(kind: str, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("diagnosis,n\n,1\ngout,2\n?,3\nasthma,4\ngout,5\n")
    frame = pd.DataFrame({"diagnosis": [None, "gout", "?", "asthma", "gout"]})
    of = {"file": tmp_path / "s.csv", "frame": frame, "series": frame["diagnosis"], "list": [*frame["diagnosis"]]}
    given = of[kind]
    with pytest.warns(
        UserWarning, match=r"2 of 5 rows have no diagnosis in 'diagnosis', the first is row \d\. They keep"
    ):
        made = nw.from_native(dxmatch.icd(given, k=2), eager_only=True).to_arrow()
    assert made["how"].to_pylist() == ["blank", "direct", "blank", "direct", "direct"]
    assert made["icd10"].to_pylist() == [None, "M10", None, "J45", "M10"]
    assert [len(each) for each in made["candidates"].to_pylist()] == [0, 2, 0, 2, 2]
    with pytest.warns(UserWarning, match="They are left out"):
        assert len(dxmatch.icd(given, unique=True, k=1)) == 2


def test_what_is_said_of_a_disease_is_told_beside_its_code() -> None:
    with pytest.warns(
        UserWarning,
        match=r"2 of 3 diagnoses are said to be possible, past, or not the patient's own \('history of MI', past\)",
    ):
        dxmatch.icd(["history of MI", "gout", "family history of breast cancer"], k=1)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_past_or_of_the_family_has_no_code_that_says_another_thing() -> None:
    wanted = {
        "history of stroke": "I63.9",  # not Z82.3, family history of stroke
        "personal history of stroke": "I63.9",  # not Z86.61, of infections
        "hx of MI": "I25.2",  # old myocardial infarction
        "history of breast cancer": "Z85.3",
        "mother had breast cancer": "C50.919",
        "family history of stroke": "Z82.3",
        "s/p appendectomy": None,  # not Z90.710, of cervix and uterus
    }
    for k in (1, 15):
        made = nw.from_native(dxmatch.icd([*wanted, "gout"], k=k), eager_only=True).to_arrow()
        assert dict(zip(made["diagnosis"].to_pylist(), made["icd10"].to_pylist(), strict=True)) == wanted | {
            "gout": "M10"
        }
        assert {len(each) for each in made["candidates"].to_pylist()} == {k}
        for code, candidates in zip(made["icd10"].to_pylist(), made["candidates"].to_pylist(), strict=True):
            assert code in (None, candidates[0]["code"])


def test_bad_input_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(f"diagnosis\nflu\n{'gout ' * 2_001}\n")
    with pytest.raises(dxmatch.InputError, match=r"s\.csv, row 3, column 'diagnosis': .*10,000"):
        dxmatch.icd(tmp_path / "s.csv")
    (tmp_path / "s.csv").write_text("diagnosis,n\n,1\n,2\n")
    with pytest.raises(dxmatch.InputError, match=r"row 2, column 'diagnosis': the diagnosis is blank"):
        dxmatch.icd(tmp_path / "s.csv")
    with pytest.raises(dxmatch.InputError, match="strings, row 0, column 'diagnosis': a value that is not text"):
        dxmatch.icd([3, 5])
    with pytest.raises(dxmatch.InputError, match="strings, row 1, column 'diagnosis': half a surrogate pair"):
        dxmatch.icd(["gout", "flu \ud83d"])
    with pytest.raises(
        dxmatch.InputError, match="'diagnosis' .* is missing.*Got: \\['Dx'\\]. Or: column=… names the column"
    ):
        dxmatch.icd({"Dx": ["flu"]})
    with pytest.raises(dxmatch.OptionError, match="'k' parameter must be a whole number from 1 to 1,000 or None"):
        dxmatch.icd(["flu"], k=0)
    with pytest.raises(dxmatch.InputError, match="strings: an empty list. Allowed: at least one diagnosis"):
        dxmatch.icd([])
    for missing in ("flu.csv", "flu.TSV", "flu.jsonl", "flu.xlsx#One", "flu.parquet"):
        with pytest.raises(dxmatch.DxmatchError, match="no such file"):
            dxmatch.icd(missing)
    assert dxmatch.icd("heart attack", k=3).equals(dxmatch.icd(["heart attack"], k=3)), "a bare string is one diagnosis"


def test_the_edition_is_in_the_metadata_and_nonsense_has_no_code() -> None:
    table = dxmatch.icd(pa.table({"diagnosis": ["asdf qwer", "flu"]}))
    assert table.schema.metadata[b"icd10"].startswith(b"simple_icd_10_cm ")
    nonsense, flu = table.to_pylist()
    assert (nonsense["icd10"], nonsense["name"], nonsense["how"]) == (None, None, "unmapped")
    assert nonsense["score"] is None and len(nonsense["candidates"]) == 15
    assert flu["icd10"].startswith("J")


def test_what_is_denied_has_no_code_and_what_is_family_history_has_its_own() -> None:
    strings = ["no pneumonia", "family history of breast cancer", "pnuemonia", "J18.9"]
    codes = dxmatch.icd(pa.table({"diagnosis": strings})).to_pylist()
    assert [row["icd10"] for row in codes] == [None, "Z80.3", "J18", "J18.9"]
    assert [row["how"] for row in codes] == ["unmapped", "nearest", "direct", "code"]
