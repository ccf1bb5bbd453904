"""The file of labels: the last word stands, nobody's word is lost, and training takes it."""

from __future__ import annotations

import csv
import re
import threading

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.files.pairs import read_pairs
from dxmatch.serving.labels import LabelFile, user_name


def rows(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["a"], row["b"], row["label_anna"]) for row in csv.DictReader(file)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "labels.csv"


def test_the_last_word_on_a_pair_stands_in_either_order(path):
    labels = LabelFile(path, "anna")
    assert len(labels) == 0 and not path.exists()
    for a, b, label in [
        ("gout", "podagra", 0), ("a, \"quoted\"\nname", "=1+1", 1), ("gout", "podagra", 0), (" Podagra", "GOUT ", 1),
        ("asthma", "gout", 1), ("asthma", "gout", None), ("never said", "gout", None),
    ]:  # fmt: skip
        labels.say(a, b, label)
    assert rows(path) == [('a, "quoted"\nname', "=1+1", "1"), ("Podagra", "GOUT", "1")]
    assert labels.label("gout", "podagra") == 1 and labels.label("asthma", "gout") is None
    assert [one.a for one in labels.last(1)] == ["Podagra"] and len(labels) == 2
    again = LabelFile(path, "anna")
    assert again.last(9) == labels.last(9)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", again.last(1)[0].when)


def test_a_double_click_changes_nothing(path):
    labels = LabelFile(path, "anna")
    labels.say("gout", "podagra", 1)
    before = labels.last(1)
    labels.say("gout", "podagra", 1)
    assert labels.last(9) == before


def test_the_last_one_taken_back_leaves_no_file_and_the_next_makes_one(path):
    labels = LabelFile(path, "anna")
    labels.say("gout", "podagra", 1)
    labels.say("gout", "podagra", None)
    assert not path.exists() and LabelFile(path, "anna").last(9) == []
    labels.say("gout", "podagra", 0)
    assert rows(path) == [("gout", "podagra", "0")]


def test_training_takes_it_as_it_is(path):
    labels = LabelFile(path, "anna")
    labels.say("gout", "podagra", 1)
    labels.say("gout", "asthma", 0)
    read = read_pairs(path, label="label")
    assert read.label is not None and read.label.tolist() == [1, 0]


def test_two_servers_at_once_lose_no_word(path):
    files = [LabelFile(path, "anna") for _ in range(2)]
    threads = [
        threading.Thread(target=lambda f=f, n=n: [f.say(f"disease {n}-{i}", "gout", i % 2) for i in range(10)])
        for n, f in enumerate([*files, files[0]])
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(rows(path)) == sorted((f"disease {n}-{i}", "gout", str(i % 2)) for n in range(3) for i in range(10))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a,b,label_ben,when\ngout,podagra,1,\n", "the columns a, b, label_anna, when"),
        ("a,b,label\ngout,podagra,1\n", "the columns a, b, label_anna, when"),
        ("a,b,label_anna,when\ngout,podagra,x,\n", r"row 2, column 'label_anna'.*0 or 1"),
        ("a,b,label_anna,when\ngout,,1,\n", r"row 2, column 'label_anna'"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_kept(path, text, said):
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=said):
        LabelFile(path, "anna")
    assert path.read_text("utf-8") == text


def test_a_spreadsheet_that_was_saved_between_is_read_anew(path):
    labels = LabelFile(path, "anna")
    labels.say("gout", "podagra", 1)
    path.write_text("\ufeffa;b;label_anna;when\ngout;podagra;0;\nasthma;COPD;0;\n", "utf-8")
    labels.say("flu", "influenza", 1)
    assert rows(path) == [("gout", "podagra", "0"), ("asthma", "COPD", "0"), ("flu", "influenza", "1")]


@pytest.mark.parametrize("expert", ["", "a b", "a,b", "../x"])
def test_a_name_that_is_none(path, expert):
    with pytest.raises(OptionError, match="expert"):
        LabelFile(path, expert)


@pytest.mark.parametrize("name", ["labels.xlsx", "labels"])
def test_a_path_that_is_no_csv(tmp_path, name):
    with pytest.raises((OptionError, InputError), match=r"\.csv"):
        LabelFile(tmp_path / name, "anna")


def test_the_name_of_who_is_logged_in_is_one_of_a_column(tmp_path, monkeypatch):
    for said, name in (("anna", "anna"), ("DOMAIN\\anna k", "DOMAIN_anna_k")):
        monkeypatch.setattr("getpass.getuser", lambda said=said: said)
        assert user_name() == name
        LabelFile(tmp_path / "labels.csv", user_name())
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(OSError()))
    assert user_name() == "me"
