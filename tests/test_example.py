"""The bundled example is what its README says, and what the readers accept."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dxmatch.terms.text.normalizer import Normalizer, normalize_checked

RATERS = ("expert_1", "expert_2", "expert_3", "algorithm")
EXPERTS = RATERS[:3]
NO_DIAGNOSIS = "none"


def _rows(path: Path) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8")
    assert "\r" not in text
    assert text.endswith("\n")
    return list(csv.DictReader(text.splitlines()))


@pytest.fixture(scope="module")
def lists(example: Path) -> list[dict[str, str]]:
    return _rows(example / "lists.csv")


@pytest.fixture(scope="module")
def pairs(example: Path) -> list[dict[str, str]]:
    return _rows(example / "pairs.csv")


def _label(row: dict[str, str]) -> int:
    votes = [row[f"label_{expert}"] for expert in EXPERTS]
    for verdict in ("0", "1"):
        if 2 * votes.count(verdict) > len(EXPERTS):
            return int(verdict)
    return int(row["adjudicated"])


def test_lists_are_complete(lists: list[dict[str, str]]) -> None:
    assert list(lists[0]) == ["case_id", "rater", "role", "rank", "diagnosis", "reference"]
    cases = [f"case_{number:02d}" for number in range(1, 61)]
    given = [(row["case_id"], row["rater"], row["rank"]) for row in lists]
    assert given == [(case, rater, rank) for case in cases for rater in RATERS for rank in "123"]
    assert all(row["role"] == ("algorithm" if row["rater"] == "algorithm" else "expert") for row in lists)


def test_each_case_has_one_reference(lists: list[dict[str, str]]) -> None:
    references = defaultdict(set)
    for row in lists:
        references[row["case_id"]].add(row["reference"])
    assert all(len(found) == 1 for found in references.values())
    assert len({next(iter(found)) for found in references.values()}) == 60


def test_every_text_is_a_name_without_blanks_around(lists: list[dict[str, str]], pairs: list[dict[str, str]]) -> None:
    texts = {row[c] for row in lists for c in ("diagnosis", "reference")} | {row[c] for row in pairs for c in "ab"}
    assert all(text == text.strip() and "  " not in text for text in texts)
    normalize_checked(Normalizer(), sorted(texts))


def test_a_list_names_three_different_diagnoses(lists: list[dict[str, str]]) -> None:
    n = Normalizer()
    named = defaultdict(set)
    for row in lists:
        named[row["case_id"], row["rater"]].add(n(row["diagnosis"]))
    assert all(len(names) == 3 for names in named.values())


def test_only_the_algorithm_ever_says_none(lists: list[dict[str, str]]) -> None:
    silent = [row for row in lists if row["diagnosis"] == NO_DIAGNOSIS]
    assert 1 <= len(silent) <= 4
    assert {row["rater"] for row in silent} == {"algorithm"}


def test_raters_agree_often_but_not_always(lists: list[dict[str, str]]) -> None:
    """By spelling alone, which is less than by meaning: the first diagnosis of two raters is the same at times."""
    n = Normalizer()
    first = {(row["case_id"], row["rater"]): n(row["diagnosis"]) for row in lists if row["rank"] == "1"}
    for one, other in [("expert_1", "expert_2"), ("expert_1", "expert_3"), ("expert_2", "algorithm")]:
        same = sum(first[case, one] == first[case, other] for case, rater in first if rater == one)
        assert 0 < same < 40


def test_pairs_have_the_columns_and_ids(pairs: list[dict[str, str]]) -> None:
    assert list(pairs[0]) == ["id", "a", "b", *(f"label_{expert}" for expert in EXPERTS), "adjudicated"]
    assert [row["id"] for row in pairs] == [f"pair_{number:03d}" for number in range(1, len(pairs) + 1)]
    assert 400 <= len(pairs) <= 500


def test_labels_are_valid_and_decided(pairs: list[dict[str, str]]) -> None:
    for row in pairs:
        votes = [row[f"label_{expert}"] for expert in EXPERTS]
        assert set(votes) <= {"0", "1", ""}, row["id"]
        assert (row["adjudicated"] != "") == ("" in votes), row["id"]
        assert _label(row) in (0, 1), row["id"]


def test_share_of_matches_and_of_disagreement(pairs: list[dict[str, str]]) -> None:
    assert 0.30 <= sum(map(_label, pairs)) / len(pairs) <= 0.50
    split = sum({"0", "1"} <= {row[f"label_{expert}"] for expert in EXPERTS} for row in pairs)
    assert 0.05 <= split / len(pairs) <= 0.12
    assert any(row["adjudicated"] for row in pairs)


def test_no_pair_twice_in_either_order(pairs: list[dict[str, str]]) -> None:
    n = Normalizer()
    keys = Counter(tuple(sorted((n(row["a"]), n(row["b"])))) for row in pairs)
    assert [key for key, count in keys.items() if count > 1] == []


def test_pairs_identical_but_for_spelling_match(pairs: list[dict[str, str]]) -> None:
    n = Normalizer()
    alike = [row for row in pairs if n(row["a"]) == n(row["b"])]
    assert all(_label(row) == 1 for row in alike)
    assert 0 < len(alike) < 0.1 * len(pairs), "most matches are to be learnt"


def test_each_diagnosis_has_matches_and_others(pairs: list[dict[str, str]]) -> None:
    by_a = defaultdict(list)
    for row in pairs:
        by_a[row["a"]].append(_label(row))
    assert len(by_a) >= 150
    both = sum(set(labels) == {0, 1} for labels in by_a.values())
    assert both / len(by_a) > 0.95
    assert min(map(len, by_a.values())) >= 2


def test_pairs_cover_much_of_the_lists(lists: list[dict[str, str]], pairs: list[dict[str, str]]) -> None:
    n = Normalizer()
    listed = {n(row["diagnosis"]) for row in lists}
    paired = {n(row[c]) for row in pairs for c in "ab"}
    assert len(listed & paired) / len(listed) > 0.4


def test_the_readme_counts_right(example: Path, pairs: list[dict[str, str]]) -> None:
    text = (example / "README.md").read_text("utf-8")
    assert f"{len(pairs)} pairs" in text
    assert f"pair_{len(pairs)}" in text
    assert f"{100 * sum(map(_label, pairs)) / len(pairs):.0f} % are matches" in text
