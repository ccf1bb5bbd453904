from __future__ import annotations

import pyarrow as pa

from dxmatch.pages.document import Part, document
from dxmatch.pages.rows import arrow_table, json_rows
from dxmatch.pages.templates import json_in_html, macros


def test_texts_are_escaped_and_empty_parts_left_out():
    parts = [Part("x", "Here <u>", "<p>kept</p>"), Part("y", "Empty", "")]
    text = document("a <i>", "b & c", [["one <b>"], []], parts, "Foot.")
    assert "<title>a &lt;i&gt;</title>" in text and "b &amp; c" in text and "one &lt;b&gt;" in text
    assert "<p>kept</p>" in text and 'href="#x"' in text and 'href="#y"' not in text and "Empty" not in text
    assert text.count('class="answer"') == 1


def test_without_a_script_none_is_allowed():
    """That the hashes of a page's script and style are right is held by the page of an evaluation."""
    assert "script-src 'none'" in document("t", "e", [], [], "f")


def test_a_table_can_be_reached_by_keyboard_and_names_itself():
    text = macros("blocks.html.j2").table("C <x>", ["", "n"], [("g", [["r & s", "1"]])], False)
    assert 'tabindex="0"' in text and "<caption>C &lt;x&gt;</caption>" in text and "r &amp; s" in text


def test_what_is_not_known_is_null():
    rows = [{"a": 1.0, "b": float("nan")}, {"a": None, "c": "x"}]
    found = arrow_table(rows, ("c",))
    assert found.column_names == ["c", "a", "b"] and found.column("b").type == pa.float64()
    assert found.to_pylist() == [{"c": None, "a": 1.0, "b": None}, {"c": "x", "a": None, "b": None}]
    assert json_rows(rows)[0]["b"] is None


def test_json_holds_no_markup():
    assert json_in_html({"a": "</script><!-- & \u2028"}) == '{"a":"\\u003c/script\\u003e\\u003c!-- \\u0026 \\u2028"}'
