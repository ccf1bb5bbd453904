"""The bundled example is what its README says, and what the readers accept."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from dxmatch.evaluation.read.raw_answers import ranked_diagnoses
from dxmatch.terms.text.normalizer import Normalizer, normalize_checked

EXPERTS = ["expert_1", "expert_2", "expert_3"]
N = Normalizer()


def _table(path: Path) -> pd.DataFrame:
    assert b"\r" not in path.read_bytes() and path.read_bytes().endswith(b"\n")
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@pytest.fixture(scope="module")
def lists(example: Path) -> pd.DataFrame:
    return _table(example / "lists.csv")


@pytest.fixture(scope="module")
def pairs(example: Path) -> pd.DataFrame:
    """With `match`, the majority or what was adjudicated."""
    table = _table(example / "pairs.csv")
    votes = table[[f"label_{expert}" for expert in EXPERTS]]
    yes, no = (votes == "1").sum(axis=1), (votes == "0").sum(axis=1)
    match = table["adjudicated"].mask(yes >= 2, "1").mask(no >= 2, "0")
    return table.assign(match=match.astype(int), split=(yes > 0) & (no > 0), blank=(votes == "").any(axis=1))


def test_lists(lists: pd.DataFrame) -> None:
    assert list(lists) == ["case_id", "rater", "role", "rank", "diagnosis", "reference"]
    raters = [*EXPERTS, "algorithm"]
    expected = [(f"case_{number:02d}", rater, rank) for number in range(1, 61) for rater in raters for rank in "123"]
    assert list(zip(lists["case_id"], lists["rater"], lists["rank"], strict=True)) == expected
    assert ((lists["role"] == "algorithm") == (lists["rater"] == "algorithm")).all()
    assert set(lists["role"]) == {"algorithm", "expert"}
    of_case = lists.groupby("case_id")["reference"]
    assert (of_case.nunique() == 1).all() and of_case.first().nunique() == 60
    named = lists.assign(name=lists["diagnosis"].map(N))
    assert (named.groupby(["case_id", "rater"])["name"].nunique() == 3).all()
    silent = lists[lists["diagnosis"] == "none"]
    assert 1 <= len(silent) <= 4 and set(silent["rater"]) == {"algorithm"}
    # by spelling alone, which is less than by meaning: the first diagnoses of two raters are the same at times
    first = named[named["rank"] == "1"].pivot(index="case_id", columns="rater", values="name")
    for one, other in (("expert_1", "expert_2"), ("expert_1", "expert_3"), ("expert_2", "algorithm")):
        assert 0 < (first[one] == first[other]).sum() < 40


def test_every_text_is_a_name_without_blanks_around(lists: pd.DataFrame, pairs: pd.DataFrame) -> None:
    texts = {*lists["diagnosis"], *lists["reference"], *pairs["a"], *pairs["b"]}
    assert all(text == text.strip() and "  " not in text for text in texts)
    normalize_checked(N, sorted(texts))


def test_pairs(pairs: pd.DataFrame, lists: pd.DataFrame) -> None:
    assert list(pairs)[:7] == ["id", "a", "b", *(f"label_{expert}" for expert in EXPERTS), "adjudicated"]
    assert list(pairs["id"]) == [f"pair_{number:03d}" for number in range(1, len(pairs) + 1)]
    assert 400 <= len(pairs) <= 500 and 0.30 <= pairs["match"].mean() <= 0.50
    assert set(pairs.filter(like="label_").to_numpy().ravel()) <= {"0", "1", ""}
    assert ((pairs["adjudicated"] != "") == pairs["blank"]).all() and pairs["blank"].any()
    assert 0.05 <= pairs["split"].mean() <= 0.12
    a, b = pairs["a"].map(N), pairs["b"].map(N)
    assert not pd.Series([tuple(sorted(pair)) for pair in zip(a, b, strict=True)]).duplicated().any()
    assert (pairs["match"][a == b] == 1).all()
    assert 0 < (a == b).mean() < 0.1, "most matches are to be learnt"
    by_a = pairs.groupby("a")["match"]
    assert len(by_a) >= 150 and by_a.size().min() >= 2 and (by_a.nunique() == 2).mean() > 0.95
    listed = set(lists["diagnosis"].map(N))
    assert len(listed & {*a, *b}) / len(listed) > 0.4


def test_the_readme_counts_right(example: Path, pairs: pd.DataFrame) -> None:
    text = (example / "README.md").read_text("utf-8")
    for told in (f"{len(pairs)} pairs", f"pair_{len(pairs)}", f"{100 * pairs['match'].mean():.0f} % are matches"):
        assert told in text


def test_what_models_answered(example: Path) -> None:
    """Each in its own form; one answer cannot be read, one names nothing."""
    right = _table(example / "right_answers.csv")
    cases = [f"case_{number:02d}" for number in range(1, 13)]
    assert list(right) == ["case_id", "specialty", "reference"] and list(right["case_id"]) == cases
    assert (
        right.groupby("specialty").size().tolist() == [3, 3, 3, 3]
        and (right["reference"].str.count(";") == 1).sum() == 3
    )
    read = {}
    for file in sorted((example / "models").iterdir()):
        rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        assert [row["case_id"] for row in rows] == cases and all(set(row) == {"case_id", "answer"} for row in rows)
        read[file.stem] = {row["case_id"]: ranked_diagnoses(row["answer"]) for row in rows}
    assert list(read) == ["aster", "birch", "cedar"]
    assert {len(names or []) for names in read["aster"].values()} == {5}
    assert {len(names or []) for names in read["birch"].values()} == {3}
    assert [case for case, names in read["cedar"].items() if names is None] == ["case_05"]
    assert [case for case, names in read["cedar"].items() if names == []] == ["case_11"]
    normalize_checked(N, sorted({name for of in read.values() for names in of.values() for name in names or []}))
