"""The pairs in plain words: well formed, in no table that teaches, and measured by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError, OptionError
from dxmatch.recipe.plain_words import (
    EXPECTED,
    MATCHES,
    NOT_UNDERSTOOD,
    PlainWords,
    judged,
    measure_plain_words,
    read_plain_words,
)
from dxmatch.recipe.shipped import with_plain_words
from dxmatch.recipe.word_lists.reading import files_like, rows
from dxmatch.terms.text.normalizer import Normalizer

TABLES = {
    "common_synonyms_en": ("name", "synonym"),
    "distinct_diseases_en": ("a", "b"),
    "specifications_en": ("a", "b"),
    "laboratory_signs_en": ("sign", "disease"),
}
"""The tables of word lists that hold pairs of diagnoses, and their columns."""


@pytest.fixture(scope="module")
def words() -> PlainWords:
    return read_plain_words()


def test_each_kind_has_thirty_pairs_and_none_stands_twice(words: PlainWords) -> None:
    assert len(Counter(words.kind)) >= 18
    assert min(Counter(words.kind).values()) >= 30
    pairs = Counter(frozenset((a.casefold(), b.casefold())) for a, b in zip(words.a, words.b, strict=True))
    assert [pair for pair, times in pairs.items() if times > 1] == []
    assert set(words.expected) == set(EXPECTED)


def test_a_rule_that_always_gives_one_answer_fails_in_most_kinds(words: PlainWords) -> None:
    by_kind: dict[str, Counter[bool]] = {}
    for kind, expected in zip(words.kind, words.expected, strict=True):
        by_kind.setdefault(kind, Counter())[expected in MATCHES] += 1
    one_answer = [kind for kind, answers in by_kind.items() if min(answers[True], answers[False]) < 2]
    assert one_answer == ["unrelated"]


def test_nothing_is_trained_on_them(words: PlainWords) -> None:
    normal = Normalizer()
    taught = {
        frozenset((normal(row[one]), normal(row[other])))
        for start, (one, other) in TABLES.items()
        for file in files_like(start)
        for row in rows(file.name)
    }
    assert len(taught) > 5_000
    both = [(a, b) for a, b in zip(words.a, words.b, strict=True) if frozenset((normal(a), normal(b))) in taught]
    assert both == []


def test_escapes_are_read_as_the_characters(words: PlainWords) -> None:
    assert "heart\u00ad attack" in words.a
    assert "\ufeffgout" in words.a
    assert not any("\\u" in text for text in words.a + words.b)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("a,b,expected\nx,y,same\n", "wrong columns"),
        ("kind,a,b,expected\nk,,y,same\n", "an empty cell"),
        ("kind,a,b,expected\nk,x,y,equal\n", "an unknown expectation"),
    ],
)
def test_a_file_that_cannot_be_right_is_refused(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "words.csv").write_text(content)
    with pytest.raises(InputError, match=problem):
        read_plain_words(tmp_path / "words.csv")


@dataclass
class Told:
    """An M that gives the probabilities and relations it was made with."""

    given: Sequence[float]
    kinds: Sequence[str] | None = None
    policy: str = "specification"
    threshold: float = 0.5

    def __post_init__(self) -> None:
        if self.kinds is not None:
            self.relations = lambda a, b: SimpleNamespace(kinds=self.kinds)

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> np.ndarray:
        assert len(a) == len(b) == len(self.given)
        return np.array(self.given)


FIVE = PlainWords(
    ["x", "x", "x", "y", "y"], list("abcde"), list("vwxyz"), ["same", "broader", "related", "excluded", NOT_UNDERSTOOD]
)


def test_right_is_what_is_expected_of_a_match_and_of_no_score() -> None:
    found = judged(Told([0.9, 0.4, 0.5, 0.1, np.nan]), FIVE)
    assert found.right.tolist() == [True, False, False, True, True]
    assert judged(Told([np.nan] * 5), FIVE).right.tolist() == [False] * 4 + [True]
    assert not judged(Told([0.0] * 5), FIVE).right[4]


def test_shares_by_kind_with_wilson_intervals() -> None:
    measured = measure_plain_words(Told([0.9, 0.4, 0.5, 0.1, np.nan]), FIVE)
    assert list(measured["kinds"]) == ["x", "y"]
    x = measured["kinds"]["x"]
    assert (x["pairs"], x["right"], x["value"]) == (3, 1, 1 / 3)
    # (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n), z = 1.96
    assert (x["low"], x["high"]) == (pytest.approx(0.0615, abs=1e-3), pytest.approx(0.7923, abs=1e-3))
    assert measured["all"]["right"] == 3
    assert "relation" not in measured["all"]


def test_the_very_relation_is_measured_where_m_tells_it() -> None:
    kinds = ["same", "narrower", "related", "excluded", "unrelated"]
    measured = measure_plain_words(Told([0.9, 0.9, 0.1, 0.1, np.nan], kinds), FIVE)
    assert measured["kinds"]["x"]["relation"]["right"] == 2
    assert measured["kinds"]["y"]["relation"] == pytest.approx(
        {"pairs": 1, "right": 1, "value": 1.0, "low": 0.2065, "high": 1.0}, abs=1e-3
    )


def test_another_policy_is_refused() -> None:
    with pytest.raises(OptionError, match="the policy strict"):
        judged(Told([0.0] * 5, policy="strict"), FIVE)


def test_the_card_has_the_table() -> None:
    m = with_plain_words(dxmatch.load(), PlainWords(["x", "y"], ["gout", "gout"], ["gout", "mumps"], ["same"] * 2), "")
    assert m.metrics["plain_words"]["all"]["pairs"] == 2
    rows = (
        "| x | 1 | 1 | 1.000 | 0.207 to 1.000 | 1.000 |\n| y | 1 | 0 | 0.000 | 0.000 to 0.793 | 0.000 |\n| all | 2 | 1 "
    )
    assert rows in m.parts.card
