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
