"""`dxmatch suggest` and `dxmatch labels`, from a pool to a file that `dxmatch train` takes."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.csv as pa_csv
import pytest
from typer.testing import CliRunner

from dxmatch.cli.main import app
from dxmatch.errors import DxmatchError
from dxmatch.files.pairs import read_pairs


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


def test_from_a_pool_to_labelled_pairs(example: Path, tmp_path: Path) -> None:
    folder, labelled, ties = tmp_path / "round", tmp_path / "labelled.csv", tmp_path / "ties.csv"
    said = run("suggest", example / "pairs.csv", "-n", 20, "-o", folder, "--experts", "anna, ben")
    assert "20 chosen: 18 uncertain and diverse, 2 at random." in said
    truth = {
        row["id"]: "yes" if i % 3 else "no" for i, row in enumerate(pa_csv.read_csv(folder / "key.csv").to_pylist())
    }
    for expert in ("anna", "ben"):
        path = folder / "sheets" / f"{expert}.csv"
        with path.open(encoding="utf-8-sig", newline="") as handle:
            head, *lines = csv.reader(handle)
        for line in lines:
            line[3] = truth[line[0]]
        if expert == "ben":
            lines[0][3] = "unsure"
        with path.open("w", encoding="utf-8", newline="") as handle:
            csv.writer(handle).writerows([head, *lines])
    said = run("labels", folder, "-o", labelled, "--open", ties)
    assert "1 without a majority" in said and "1 pairs to adjudicate" in said
    with pytest.raises(DxmatchError, match="is there already"):
        run("labels", folder, "-o", labelled, "--open", ties)
    ties.write_text(ties.read_text("utf-8-sig").replace(",,", ",yes,"), "utf-8")
    assert "20 pairs decided" in run("labels", folder, "-o", labelled, "--adjudicated", ties)
    assert len(read_pairs(labelled, label="label")) == 20
    with pytest.raises(DxmatchError, match="holds something already"):
        run("suggest", example / "pairs.csv", "-n", 20, "-o", folder)
