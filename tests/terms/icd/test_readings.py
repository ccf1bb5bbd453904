"""What a title says by ICD-10's conventions."""

from __future__ import annotations

import doctest

import pytest

from dxmatch.terms.icd import readings
from dxmatch.terms.icd.readings import other_readings, plain_readings


def test_examples():
    assert not doctest.testmod(readings).failed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Urinary tract infection, site not specified", ["Urinary tract infection"]),
        ("Peptic ulcer, site unspecified", ["Peptic ulcer"]),
        ("Fatty (change of) liver, not elsewhere classified", ["Fatty liver"]),
        ("Nontraumatic subarachnoid hemorrhage, unspecified", ["Nontraumatic subarachnoid hemorrhage", "subarachnoid hemorrhage"]),
        (
            "Diverticulitis of intestine, part unspecified, without perforation or abscess without bleeding",
            ["Diverticulitis of intestine, without perforation or abscess without bleeding", "Diverticulitis of intestine"],
        ),
        ("Other and unspecified intestinal obstruction", ["intestinal obstruction"]),
        ("Poisoning by, adverse effect of and underdosing of other opioids", ["opioids overdose", "opioids poisoning"]),
        # what a record says is no residue, and "other" is not the disease itself
        ("Penetrating wound of orbit with or without foreign body", []),
        ("Other viral infections of unspecified site", []),
        ("Opioid use, unspecified with intoxication", []),
        ("Acute and subacute hepatic failure", []),
        ("Asthma", []),
    ],
)  # fmt: skip
def test_plain_readings(name, expected):
    assert plain_readings(name) == expected


@pytest.mark.parametrize(
    ("name", "readings"),
    [
        ("Inconclusive laboratory evidence of human immunodeficiency virus [HIV]", [
            "Inconclusive laboratory evidence of human immunodeficiency virus"
        ]),
        ("Furuncle of head [any part, except face]", ["Furuncle of head"]),
        ("Asthma", []),
    ],
)  # fmt: skip
def test_other_readings(name, readings):
    assert other_readings(name) == readings


def test_a_synonym_in_small_letters_is_one_of_the_whole():
    assert "croup" in other_readings("Acute obstructive laryngitis [croup]")
    assert "part of" not in other_readings("Acquired absence of lung [part of]")


def test_a_title_that_says_unspecified_is_the_disease(index):
    codes = {
        "pneumonia": "J18", "urinary tract infection": "N39.0", "subarachnoid hemorrhage": "I60", "fatty liver": "K76.0",
        "aortic stenosis": "I35.0", "hyponatremia": "E87.1", "peptic ulcer": "K27", "croup": "J05.0",
    }  # fmt: skip
    assert {
        text: index.tree.code(node) for text, node in zip(codes, index.direct(list(codes)).nodes, strict=True)
    } == codes
