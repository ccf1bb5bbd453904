"""What is said of a diagnosis, of what, in which words; what only looks like a trigger; and the tables."""

from __future__ import annotations

import csv
import itertools
from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.terms.text.assertion import Assertion, Status, assertion_of, excludes
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases

N = Normalizer()


@pytest.mark.parametrize(("text", "said", "core", "trigger"), cases("assertions"))
def test_what_is_said(text: str, said: str, core: str, trigger: str) -> None:
    made = assertion_of(N(text))
    assert (made.core, made.trigger) == (core, trigger)
    if said in list(Status):
        assert made.status == said and made.about in ("", "family" if said == "family" else "")
    else:
        assert (made.status, made.about) == (Status.NO_DISEASE, said)
    # A possible disease claims to be present; everything else that is said excludes the disease itself.
    assert excludes(made, assertion_of(core)) == (said not in ("possible", "present"))


@pytest.mark.parametrize(("a", "b", "expected"), [(*row[:2], True) for row in cases("contrasts", "excludes")] + [(*row[:2], False) for row in cases("contrasts", "not excludes")])  # fmt: skip
def test_excludes(a: str, b: str, expected: bool) -> None:
    first, second = assertion_of(N(a)), assertion_of(N(b))
    assert excludes(first, second) == excludes(second, first) == expected
    assert not excludes(first, first)


def _rows(name: str, language: str = "en") -> list[dict[str, str]]:
    text = (resources.files("dxmatch.terms.text") / f"assertion_{name}_{language}.csv").read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_tables(language: str) -> None:
    groups = {f"@{row['group']}" for row in _rows("words")} | {"@bare"}
    rows = _rows("triggers", language)
    assert len({(row["position"], row["words"]) for row in rows}) == len(rows) > 10
    for row in rows:
        if language != "en":
            assert N(f"x {row['words']} x") == f"x {row['words']} x", "not as names are normalised"
        assert row["position"] in ("before", "after") and Status(row["status"]) in Status
        named = itertools.chain(*(row[column].split() for column in ("words", "unless", "unless_only", "needs")))
        assert {word for word in named if word.startswith("@")} <= groups, row
        assert (
            bool(row["about"]) == (row["status"] in (Status.NO_DISEASE, Status.FAMILY))
            or row["status"] == Status.NEGATED
        )


WORDS = st.sampled_from(
    sorted({w for row in _rows("triggers") for w in row["words"].split() if w[0] != "@"})
    + ["pneumonia", "asthma", "of", "b"] * 20
)


@settings(deadline=None, max_examples=300)
@given(st.lists(WORDS, max_size=8).map(" ".join))
def test_every_core_is_a_part_of_the_name_and_without_a_table_all_of_it(name: str) -> None:
    assert assertion_of(name, "ru") == Assertion(name)
    made = assertion_of(name)
    assert bool(made.core) == bool(name) and f" {made.core} " in f" {name} "
    assert (made.trigger == "") == (made.status is Status.PRESENT) == (made.core == name)
