"""`dxmatch suggest` and `dxmatch labels`, from a pool to a file that `dxmatch train` takes."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.csv as pa_csv

from dxmatch.files.pairs import read_pairs


def test_from_a_pool_to_labelled_pairs(example: Path, tmp_path: Path, command: Callable[..., Any]) -> None:
    def run(*arguments: object) -> str:
        done = command(*arguments)
        assert done.code == 0, done.err
        return done.out

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
    assert "is there already" in command("labels", folder, "-o", labelled, "--open", ties).err
    ties.write_text(ties.read_text("utf-8-sig").replace(",,", ",yes,"), "utf-8")
    assert "20 pairs decided" in run("labels", folder, "-o", labelled, "--adjudicated", ties)
    assert len(read_pairs(labelled, label="label")) == 20
    review = tmp_path / "review.csv"
    assert "20 pairs to review" in run("labels", folder, "-o", labelled, "--adjudicated", ties, "--review", review)
    assert "is there already" in command("labels", folder, "-o", labelled, "--review", review).err
    review.write_text(review.read_text("utf-8-sig").replace(",,", ",no,"), "utf-8")
    assert "goes before the panel" in run("labels", folder, "-o", labelled, "--adjudicated", ties, "--reviewed", review)
    assert not read_pairs(labelled, label="label").label.any()
    assert "holds something already" in command("suggest", example / "pairs.csv", "-n", 20, "-o", folder).err
