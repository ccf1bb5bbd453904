"""What a match function, a relation and an explanation show in a notebook: short, escaped, nothing of the data where cells are hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser

import pytest

import dxmatch


@pytest.fixture(scope="module")
def m() -> dxmatch.MatchFunction:
    return dxmatch.load()


@pytest.fixture
def hidden() -> Iterator[None]:
    dxmatch.configure(hide_cells=True)
    yield
    dxmatch.configure(hide_cells=False)


def shown(html: str) -> str:
    """The text of well-formed HTML without scripts, frames and addresses."""
    open_tags, text = [], []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert tag not in ("script", "iframe", "img", "link")
            assert not [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]
            open_tags.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_tags.pop() == tag

        def handle_data(self, data: str) -> None:
            text.append(data)

    reader = Reader()
    reader.feed(html)
    reader.close()
    assert not open_tags
    return " ".join(" ".join(text).split())


def test_a_match_function(m: dxmatch.MatchFunction) -> None:
    text = shown(m._repr_html_())
    assert text.startswith(f"Match function offline-en Identity {m.identity} Features 17 (offline)")
    assert "20,559 pairs of 984 references" in text
    assert f"{m.metrics['held_out']['f1']['value']:.3f}" in text
    assert len(text) < 600


def test_a_relation(m: dxmatch.MatchFunction) -> None:
    text = shown(m.relation("DLBCL", "non-Hodgkin lymphoma")._repr_html_())
    assert text.startswith("narrower narrower 0.") and text.endswith("is a kind of non-Hodgkin lymphoma (MONDO)")


def test_an_explanation(m: dxmatch.MatchFunction) -> None:
    pytest.importorskip("shap", reason="explanations need the extra 'explain'")
    found = dxmatch.explain(m, "heart attack", "unstable angina")
    html = found._repr_html_()
    assert shown(html).startswith(found.verdict) and "<svg" in html
    same = dxmatch.explain(m, "flu", "Flu")._repr_html_()
    assert "After normalisation they are the same" in shown(same) and "<svg" not in same


def test_what_users_wrote_is_escaped(m: dxmatch.MatchFunction) -> None:
    pytest.importorskip("shap", reason="explanations need the extra 'explain'")
    nasty = "<script>alert(1)</script> flu"
    relation = replace(m.relation("flu", "gout"), why=nasty)
    html = relation._repr_html_() + dxmatch.explain(m, nasty, "<img src=x> influenza")._repr_html_()
    assert "<script" not in html and "<img" not in html
    assert "<script>alert(1)</script> flu" in shown(html)


@pytest.mark.usefixtures("hidden")
def test_hidden_cells_are_not_shown(m: dxmatch.MatchFunction) -> None:
    pytest.importorskip("shap", reason="explanations need the extra 'explain'")
    html = m.relation("DLBCL", "non-Hodgkin lymphoma")._repr_html_()
    html += dxmatch.explain(m, "DLBCL", "non-Hodgkin lymphoma")._repr_html_()
    assert "DLBCL" not in html and "lymphoma" not in html
