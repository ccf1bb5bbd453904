"""Votes that were made elsewhere."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from dxmatch.errors import InputError
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.check import check_votes
from dxmatch.votes.store.store import VoteStore

from ..case_table import cases

NAMING = Naming(Normalizer())
GPT4 = ModelConfig("gpt-4", "imported")
HEADER = "a,b,model,verdict,probability\n"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VoteStore]:
    with VoteStore(tmp_path / "votes.sqlite") as opened:
        yield opened


def table(tmp_path: Path, text: str, name: str = "votes.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def answers(store: VoteStore, *pairs: tuple[str, str], who: ModelConfig = GPT4) -> list[Answer | None]:
    return list(store.stored(Question(who, *pair) for pair in pairs))


def test_votes_and_probabilities_of_several_models(store: VoteStore, tmp_path: Path) -> None:
    rows = HEADER + "MI,Angina Pectoris,gpt-4,1,0.9\nflu,Common Cold,gpt-4,no,\nflu,Common Cold,phi-4,,0.25\n"
    path = table(tmp_path, rows + "asthma,gout,phi-4,,\nasthma,COPD,phi-4,TRUE,0.4\n")
    summary = import_table(path, store, naming=NAMING)
    assert (summary.answered, summary.unscored, summary.skipped) == (5, {"empty": 1}, {})
    cold, copd = ("common cold", "influenza"), ("asthma", "chronic obstructive pulmonary disease")
    found = answers(store, ("angina pectoris", "myocardial infarction"), cold)
    assert found == [Answer(1, None, probability=0.9), Answer(0, None)]
    found = answers(store, cold, ("asthma", "gout"), copd, who=ModelConfig("phi-4", "imported"))
    assert found == [Answer(0, None, probability=0.25), Answer(None, "empty"), Answer(1, None, probability=0.4)]
    assert summary.lines() == ["5 answers kept, 1 of them without a verdict (1 empty)."]


def test_equal_names_are_skipped_and_repeated_votes_count_once(store: VoteStore, tmp_path: Path) -> None:
    text = "a,b,verdict\nMI,Myocardial infarction,0\ngout,podagra,1\nPodagra,GOUT,yes\ngout,podagra,1.0\n"
    summary = import_table(table(tmp_path, text), store, model="gpt-4", naming=NAMING)
    assert (summary.answered, summary.skipped) == (
        1, {"two names that are equal": ["row 2"], "known already": ["row 4", "row 5"]},
    )  # fmt: skip
    assert "known already: 2 (row 4, row 5)." in summary.lines()
    assert store.status()[0].answers == 1
    again = import_table(table(tmp_path, text), store, model="gpt-4", naming=NAMING)
    assert (again.answered, len(again.skipped["known already"])) == (0, 3)


@pytest.mark.parametrize(("text", "message"), cases("votes"))
def test_rows_that_cannot_be_right(store: VoteStore, tmp_path: Path, text: str, message: str) -> None:
    path = table(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        import_table(path, store, naming=NAMING)
    assert len(str(caught.value)) < 500
    assert store.status() == []


def test_rows_that_cannot_be_right_are_set_aside(store: VoteStore, tmp_path: Path) -> None:
    text = HEADER + "x,y,m,1,\ny,x,m,0,\ngout,podagra,m,1,\n,y,m,1,\ngout,asthma,m,perhaps,\nx,y,n,1,\n"
    rejects = tmp_path / "rejects.csv"
    summary = import_table(table(tmp_path, text), store, naming=NAMING, rejects=rejects)
    assert (summary.answered, summary.skipped) == (2, {})
    rows = list(csv.DictReader(rejects.open(encoding="utf-8")))
    assert [row["rejected_row"] for row in rows] == ["2", "3", "5", "6"]
    assert "has two votes" in rows[0]["rejected_because"]
    with pytest.raises(InputError, match="every row .1. was refused"):
        import_table(table(tmp_path, HEADER + "x,y,m,2,\n"), store, naming=NAMING, rejects=rejects)


def test_a_column_of_another_name_in_a_data_frame(store: VoteStore) -> None:
    path = pd.DataFrame({"a": ["gout", "asthma"], "b": ["podagra", "angina"], "said": [True, False], "probability": [1.0, float("nan")]})  # fmt: skip
    with pytest.raises(InputError, match="the column 'vote' .0 or 1. is missing"):
        import_table(path, store, model="m", verdict="vote", naming=NAMING)
    import_table(path, store, model="gpt-4", verdict="said", naming=NAMING)
    found = answers(store, ("gout", "podagra"), ("angina", "asthma"))
    assert found == [Answer(1, None, probability=1.0), Answer(0, None)]


def test_a_vote_that_contradicts_the_store_is_refused(store: VoteStore, tmp_path: Path) -> None:
    import_table(table(tmp_path, "a,b,model,verdict\ngout,asthma,m,1\n"), store, naming=NAMING)
    path = table(tmp_path, "a,b,model,verdict\nx,y,m,1\ngout,asthma,m,0\n", "second.csv")
    with pytest.raises(InputError, match=r"second\.csv, row 3.*two votes of m \(the store: 1; row 3: 0\)"):
        import_table(path, store, naming=NAMING)
    pairs, who = [("asthma", "gout"), ("x", "y")], ModelConfig("m", "imported")
    assert answers(store, *pairs, who=who) == [Answer(1, None), None]
    done = import_table(path, store, naming=NAMING, rejects=tmp_path / "rejects.csv")
    assert (done.answered, answers(store, *pairs, who=who)) == (1, [Answer(1, None), Answer(1, None)])
    assert check_votes(store.path).whole, "the tally agrees"
