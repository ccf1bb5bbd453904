"""What is said of a diagnosis, of what, in which words; what only looks like a trigger; and the tables."""

from __future__ import annotations

from importlib import resources

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.terms.text.assertion import Assertion, Status, assertion_of, excludes
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases, rows_of

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


@pytest.mark.parametrize(("kind", "a", "b"), [row[:3] for row in cases("contrasts") if "excludes" in row[0]])
def test_excludes(kind: str, a: str, b: str) -> None:
    first, second = assertion_of(N(a)), assertion_of(N(b))
    assert excludes(first, second) == excludes(second, first) == (kind == "excludes")
    assert not excludes(first, first)


TABLES = resources.files("dxmatch.terms.text")


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "it"])
def test_triggers_stand_once_and_are_written_as_names_are_normalised(language: str) -> None:
    triggers = rows_of(TABLES / f"assertion_triggers_{language}.csv")
    assert len({(row["position"], row["words"]) for row in triggers}) == len(triggers) > 10
    for row in triggers:
        assert row["position"] in ("before", "after") and Status(row["status"]) in Status
        assert language == "en" or N(f"x {row['words']} x") == f"x {row['words']} x", row


WORDS = sorted(
    {word for row in rows_of(TABLES / "assertion_triggers_en.csv") for word in row["words"].split() if word[0] != "@"}
)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from([*WORDS, *["pneumonia", "asthma", "of", "b"] * 20]), max_size=8).map(" ".join))
def test_every_core_is_a_part_of_the_name_and_without_a_table_all_of_it(name: str) -> None:
    assert assertion_of(name, "ru") == Assertion(name)
    made = assertion_of(name)
    assert bool(made.core) == bool(name) and f" {made.core} " in f" {name} "
    assert (made.trigger == "") == (made.status is Status.PRESENT) == (made.core == name)
