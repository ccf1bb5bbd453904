from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import dxmatch


def test_list_file_and_frame_agree(tmp_path: Path) -> None:
    strings = ["acute MI", "I21", "sugar diabetes, type II", "acute MI"]
    frame = pd.DataFrame({"dx": strings})
    frame.to_csv(tmp_path / "s.csv", index=False)
    table = dxmatch.icd(strings, k=3)
    assert table.column_names == ["diagnosis", "icd10", "name", "how", "score", "candidates"]
    assert table.column("icd10").to_pylist() == ["I21", "I21", "E11", "I21"]
    assert table.column("how").to_pylist() == ["direct", "code", "nearest", "direct"]
    assert [len(row) for row in table.column("candidates").to_pylist()] == [3, 1, 3, 3]
    for same in (tmp_path / "s.csv", frame):
        assert dxmatch.icd(same, column="dx", k=3).to_pylist() == table.to_pylist()


def test_bad_input_names_its_place(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("diagnosis\nflu\n???\n")
    with pytest.raises(dxmatch.InputError, match=r"s\.csv, row 3, column 'diagnosis': .*letter or digit"):
        dxmatch.icd(tmp_path / "s.csv")
    (tmp_path / "s.csv").write_text("diagnosis,n\nflu,1\n,2\n")
    with pytest.raises(dxmatch.InputError, match=r"row 3, column 'diagnosis': the diagnosis is blank"):
        dxmatch.icd(tmp_path / "s.csv")
    with pytest.raises(dxmatch.InputError, match="strings, row 1: not a text"):
        dxmatch.icd(["flu", None])
    with pytest.raises(dxmatch.OptionError, match="'k' parameter must be 1 or more"):
        dxmatch.icd(["flu"], k=0)
    with pytest.raises(dxmatch.DxmatchError, match="no such file"):
        dxmatch.icd("flu.csv")


def test_a_bare_string_is_one_diagnosis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert dxmatch.icd("heart attack", k=3).to_pylist() == dxmatch.icd(["heart attack"], k=3).to_pylist()
    monkeypatch.chdir(tmp_path)
    for missing in ("flu.csv", "flu.TSV", "flu.jsonl", "flu.parquet"):
        with pytest.raises(dxmatch.DxmatchError, match="no such file"):
            dxmatch.icd(missing)
    (tmp_path / "d.txt").write_text("flu")
    with pytest.raises(dxmatch.DxmatchError, match="a file of an unknown kind"):
        dxmatch.icd("d.txt")


def test_the_edition_is_in_the_metadata_and_nonsense_has_no_code() -> None:
    table = dxmatch.icd(["asdf qwer", "flu"])
    assert table.schema.metadata[b"icd10"].startswith(b"simple_icd_10_cm ")
    nonsense, flu = table.to_pylist()
    assert (nonsense["icd10"], nonsense["name"], nonsense["how"]) == (None, None, "unmapped")
    assert nonsense["score"] is None and len(nonsense["candidates"]) == 15
    assert flu["icd10"].startswith("J")


def test_what_is_denied_has_no_code_and_what_is_family_history_has_its_own() -> None:
    codes = dxmatch.icd(["no pneumonia", "family history of breast cancer", "pnuemonia", "J18.9"]).to_pylist()
    assert [row["icd10"] for row in codes] == [None, "Z80.3", "J18", "J18.9"]
    assert [row["how"] for row in codes] == ["unmapped", "nearest", "direct", "code"]
