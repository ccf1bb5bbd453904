from __future__ import annotations

import pyarrow as pa

from dxmatch.pages.blocks import how_made, table
from dxmatch.pages.document import document
from dxmatch.pages.rows import arrow_table, json_rows


def test_texts_are_escaped_and_empty_parts_left_out():
    text = document(
        "a <i>", "b & c", [["one <b>"], []], [("x", "Here <u>", "<p>kept</p>"), ("y", "Empty", "")], "Foot."
    )
    assert "<title>a &lt;i&gt;</title>" in text and "b &amp; c" in text and "one &lt;b&gt;" in text
    assert "<p>kept</p>" in text and 'href="#x"' in text and 'href="#y"' not in text and "Empty" not in text
    assert text.count('class="answer"') == 1


def test_without_a_script_none_is_allowed():
    """That the hashes of a page's script and style are right is held by the page of an evaluation."""
    assert "script-src 'none'" in document("t", "e", [], [], "f")


def test_a_table_can_be_reached_by_keyboard_and_names_itself():
    text = table("C <x>", ["", "n"], [("g", [["r & s", "1"]])])
    assert 'tabindex="0"' in text and "<caption>C &lt;x&gt;</caption>" in text and "r &amp; s" in text


def test_how_it_was_made():
    assert how_made([("What", "1 < 2")], ["gone"], []) == '<dl><dt>What</dt><dd>1 &lt; 2</dd></dl><h3>Left out</h3><ul class="findings"><li>gone</li></ul>'  # fmt: skip


def test_what_is_not_known_is_null():
    rows = [{"a": 1.0, "b": float("nan")}, {"a": None, "c": "x"}]
    found = arrow_table(rows, ("c",))
    assert found.column_names == ["c", "a", "b"] and found.column("b").type == pa.float64()
    assert found.to_pylist() == [{"c": None, "a": 1.0, "b": None}, {"c": "x", "a": None, "b": None}]
    assert json_rows(rows)[0]["b"] is None
