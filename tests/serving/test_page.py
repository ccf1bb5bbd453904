"""The page in a browser: two diagnoses, two lists, labels; by keys, in the dark, on a phone."""

from __future__ import annotations

import csv

import pytest

from dxmatch.serving import app

from ..chromium import CHROMIUM

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")


@pytest.fixture(scope="module")
def address(served, m, labels):
    with served(app(m, labels=labels, expert="anna")) as address:
        yield address


@pytest.fixture
def opened(held, address):
    return lambda path="", *size: held.fresh(f"{address}{path}", *size)


def until(t, expression, seconds=90):
    """Waits until an expression is true; the model answers in its own time, of which it compiles for some 15 s on a new machine."""
    for _ in range(seconds * 20):
        if t.value(expression):
            return
        t.wait(50)
    raise AssertionError(f"{expression}; the page shows {t.value('document.body.innerText')[:2000]}")


def text(t, place):
    return t.value(f"document.getElementById('{place}').innerText")


def fill(t, form, **values):
    for name, value in values.items():
        t.value(f"document.getElementById('{form}').elements['{name}'].focus()")
        t.ask("Input.insertText", text=value)


def said(labels):
    """The last word on each pair."""
    with labels.open() as file:
        last = {(row["a"], row["b"]): row["label_anna"] for row in csv.DictReader(file)}
    return [(*pair, label) for pair, label in last.items() if label]


def test_a_pair_by_keys_alone_and_labels_that_stay(opened, labels):
    t = opened()
    t.value("document.querySelector('[name=a]').focus()")
    t.ask("Input.insertText", text="DLBCL")
    t.press("Tab")
    t.ask("Input.insertText", text="lymphoma")
    t.press("Enter")
    until(t, "!document.getElementById('pair-result').hidden")
    shown = text(t, "pair-result")
    assert "A match: the first is a kind of the second" in shown and "diffuse large b cell lymphoma" in shown
    assert all(policy in shown for policy in ("(chosen)\n", "strict", "narrower-counts", "broader-counts"))
    until(t, "document.querySelectorAll('.codes li').length >= 2")
    assert "C83.3" in text(t, "pair-codes")
    wrong = "document.querySelector('.judge button[data-label=\"0\"]')"
    assert t.value(f"{wrong}.innerText") == "Wrong: no match"
    t.value(f"{wrong}.focus()")
    t.press("Enter")
    until(t, f"{wrong}.getAttribute('aria-pressed') === 'true'")
    assert said(labels) == [("DLBCL", "lymphoma", "0")]
    # a change of mind, and two presses in one moment: the word that was said last stands
    t.value("document.querySelector('.judge button[data-label=\"1\"]').click()")
    until(t, "document.querySelector('.judge button[data-label=\"1\"]').getAttribute('aria-pressed') === 'true'")
    assert said(labels) == [("DLBCL", "lymphoma", "1")]
    t.value("document.querySelector('#labels-result button').click()")
    until(t, "document.getElementById('labels-result').innerText.startsWith('None yet')")
    assert t.value("document.querySelectorAll('.judge [aria-pressed=true]').length") == 0
    assert t.said == []


def test_markup_stays_text(opened):
    t = opened()
    fill(t, "pair-form", a="gout <img src=x onerror=alert(1)>", b="gout")
    t.press("Enter")
    until(t, "document.querySelectorAll('.codes li').length >= 2")
    assert "<img src=x onerror=alert(1)>" in text(t, "pair-result")
    assert t.value("document.querySelectorAll('main img, main script').length") == 0 and t.said == []


def test_two_lists_and_a_label_in_the_table(opened, labels):
    t = opened()
    fill(t, "lists-form", a="heart attack\nUTI\n\nинфаркт\n", b="urinary tract infection\nSTEMI\nasthma")
    t.value("document.querySelector('#lists-form button').click()")
    until(t, "!document.getElementById('lists-result').hidden")
    cells = t.value(
        "[...document.querySelectorAll('#lists-result tbody tr')].map((row) => [...row.cells].slice(0, 3).map((cell) => cell.innerText))"
    )
    assert cells == [
        ["heart attack", "STEMI", "match"],
        ["UTI", "urinary tract infection", "match"],
        ["инфаркт", "not understood (another script)", "–"],
    ]
    assert text(t, "lists-status") == "2 of 3 of the first list have a match in the second."
    t.value("document.querySelector('#lists-result button').click()")
    until(t, "document.querySelector('#lists-result button').getAttribute('aria-pressed') === 'true'")
    assert said(labels) == [("heart attack", "STEMI", "1")]
    # a page that is opened anew knows it
    t = opened()
    until(t, "document.getElementById('labels-result').innerText.includes('STEMI')")
    fill(t, "pair-form", a="stemi", b="Heart attack")
    t.press("Enter")
    until(t, "document.querySelector('.judge [aria-pressed=true]') !== null")
    assert t.said == []


def test_every_control_has_a_name_and_nothing_is_wider_than_a_phone(opened):
    t = opened("", 390)
    fill(t, "pair-form", a="heart attack", b="STEMI")
    t.press("Enter")
    until(t, "document.querySelectorAll('.codes li').length >= 2")
    fill(t, "lists-form", a="a very long diagnosis, " * 20, b="gout")
    t.value("document.querySelector('#lists-form button').click()")
    until(t, "!document.getElementById('lists-result').hidden")
    assert t.value("document.documentElement.scrollWidth") == 390
    t.ask("Accessibility.enable")
    for one in t.ask("Accessibility.getFullAXTree")["nodes"]:
        role, name = one.get("role", {}).get("value"), one.get("name", {}).get("value")
        if role in ("textbox", "spinbutton", "button", "link", "table", "region"):
            assert name, one
    assert t.said == []
