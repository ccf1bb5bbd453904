"""`dxmatch suggest` and `dxmatch labels`, from a pool to a file that `dxmatch train` takes."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.csv as pa_csv
import pytest

from dxmatch.files.pairs import read_pairs

from .toy_pairs import *  # noqa: F403


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
    assert "1 without a majority" in said and "1 pair to adjudicate" in said
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


@pytest.mark.usefixtures("few_rounds")
def test_rounds_of_labels_from_the_console_to_a_model(
    toy_pairs: pd.DataFrame,
    strings_only: Path,
    tmp_path: Path,
    command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A model, what to label next, labels from the console, and a model of both: each command as it is typed."""

    def run(*arguments: object) -> str:
        done = command(*arguments)
        assert done.code == 0, done.err
        return f"{done.out}{done.err}"

    first, pool, labelled = tmp_path / "first.csv", tmp_path / "pool.csv", tmp_path / "labelled.csv"
    truth = {frozenset((row.a, row.b)): row.label for row in toy_pairs.itertuples()}
    toy_pairs[:150].to_csv(first, index=False)
    toy_pairs[150:][["a", "b"]].to_csv(pool, index=False)
    given = ["--features", strings_only, "--contained", "match"]
    run("train", first, "-o", tmp_path / "m1", *given)
    said = run("suggest", pool, "--model", tmp_path / "m1", "-n", 60, "-o", tmp_path / "round-1", "--experts", "anna")
    assert "of references that a training with seed 0 holds out" in said
    with (tmp_path / "round-1" / "sheets" / "anna.csv").open(encoding="utf-8-sig", newline="") as handle:
        asked = [truth[frozenset((row["a"], row["b"]))] for row in csv.DictReader(handle)]
    typed = "".join(f"{label}\n" for label in asked[:-1]) + "u\n"
    for part in (typed[:40], typed[40:]):
        monkeypatch.setattr(sys, "stdin", io.StringIO(part))
        said = run("label", tmp_path / "round-1", "-o", labelled)
    assert f"60 pairs: {sum(asked[:-1])} yes, {59 - sum(asked[:-1])} no, 1 unsure." in said
    said = run("train", first, labelled, "-o", tmp_path / "m2", *given)
    assert "Rows without a label, left out: 1 of 210." in said
    assert "Pairs by file: 150 of first.csv, 59 of labelled.csv." in said
