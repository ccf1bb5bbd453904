"""Why one pair is a match, or none: facts by hand, words, files, a cell of a notebook. As the library shap has them: tests/golden/pairs."""

from __future__ import annotations

import re
import sys
from itertools import pairwise

import pytest

import dxmatch
from dxmatch.auditing.families import label_of
from dxmatch.errors import InputError, MissingExtra, NotUnderstoodWarning
from dxmatch.features.feature_set import FeatureSpec
from dxmatch.features.registry import KINDS

from ..small_relation import related
from ..small_vocabulary import NAMES

UNLIKE = ("hip fracture", "fracture in quite another place beside the hip")
"""All words of one shared, and more than 0.6 of the letters change: both features are above the splits of the tree."""


@pytest.fixture(scope="module")
def knowing(tmp_path_factory):
    return related(tmp_path_factory.mktemp("icd"))


@pytest.fixture(scope="module")
def same_site(matcher):
    return dxmatch.explain(matcher, "Fracture of the hip", "acute hip FRACTURES <b>")


def contributed(found):
    return {part.feature: part.contribution for part in found.parts} | {"base": found.trees.base}


def test_contributions_by_hand(matcher_of):
    """Leaves -1, 0, 2 with 40, 45, 15 pairs. With S known: v() = -0.1, v(ratio) = 30/60, v(levenshtein) = 0.4 (-1) + 0.6 (2),
    v(both) = 2. So ratio gets ((0.5 + 0.1) + (2 - 0.8)) / 2 = 0.9 and levenshtein ((0.8 + 0.1) + (2 - 0.5)) / 2 = 1.2."""
    by_hand = {"ratio_unigram": 0.9, "levenshtein": 1.2, "base": -0.1}
    one, other = (dxmatch.explain(matcher_of(leaves), *UNLIKE) for leaves in ("-1 0 2", "-3 1 0.5"))
    assert contributed(one) == pytest.approx(by_hand)
    # -2.4 and -0.6: the largest first, for a match or against it
    assert dxmatch.explain(matcher_of("2 3 -1"), *UNLIKE).parts[0].feature == "levenshtein"
    heavy = dxmatch.explain(matcher_of("-1 0 2", "-3 1 0.5", weights=(3.0, 1.0)), *UNLIKE)
    assert contributed(heavy) == pytest.approx({k: (3 * v + contributed(other)[k]) / 4 for k, v in by_hand.items()})
    mixed = dxmatch.explain(matcher_of("-1 0 2", "-6 1 9", averaged="probabilities"), *UNLIKE)
    assert sum(contributed(mixed).values()) == pytest.approx(mixed.trees.raw, abs=1e-9)


def test_the_words(matcher, same_site):
    text = str(dxmatch.explain(matcher, "acute renal pancreatitis", "chronic renal pancreatitis"))
    said = "They share 'renal' and 'pancreatitis'|'acute' and 'chronic' differ|Match: probability 0.9|ratio_unigram (0.667,"
    assert [words for words in said.split("|") if words not in text] == []
    other = str(dxmatch.explain(matcher, "asthma", "hip fracture"))
    assert "No match, doubtful: probability" in other and "Against a match" in other
    assert "graph of diseases" not in text + other
    turned = dxmatch.explain(matcher, same_site.b, same_site.a)
    assert turned.parts == same_site.parts and turned.wording.only_b == same_site.wording.only_a


def test_equal_after_normalisation(matcher, tmp_path):
    found = dxmatch.explain(matcher, "Crohn's disease", "crohn disease")
    assert found.identical and found.match and found.probability == 1 and found.parts == () and found.trees is None
    assert "no tree was asked" in str(found) and found.to_dict()["raw"] is None
    with pytest.raises(InputError, match="nothing to draw"):
        found.save(tmp_path / "why.svg")
    assert not (tmp_path / "why.svg").exists()


def test_files_and_what_a_terminal_shows(same_site, tmp_path, capsys):
    assert same_site.save(tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    svg = same_site.save(tmp_path / "why.svg").read_text("utf-8")
    assert svg.startswith("<svg") and "levenshtein" in svg
    page = same_site.save(tmp_path / "why.html").read_text("utf-8")
    html = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "<b>" not in html and "&lt;b&gt;" in html and "default-src 'none'" in html and 'id="contributions"' in html
    with pytest.raises(InputError):
        same_site.save(tmp_path / "why.pdf")
    same_site.print()
    assert same_site.verdict in " ".join(capsys.readouterr().out.split())


def test_what_excludes_is_decisive_whatever_the_trees_say(knowing):
    found = dxmatch.explain(knowing, "vasculitis", "no evidence of vasculitis")
    assert found.known.excluded and found.probability == 0 and not found.match
    assert found.trees.by_trees > 0.5, "the trees see two names of one disease"
    assert f"This is decisive: {found.known.reason}. The trees alone would say {found.trees.by_trees:.3f}." in str(
        found
    )


def test_what_the_graph_knows_is_said(knowing, tmp_path):
    pair = "large vessel vasculitis", "Takayasu arteritis"
    found = dxmatch.explain(knowing, *pair)
    assert found.known.relation == "broader" and found.known.links == ()
    assert "Takayasu arteritis is a kind of large vessel vasculitis (MONDO)." in found.words
    page = found.save(tmp_path / "why.html").read_text("utf-8").replace("&#39;", "'")
    assert "The second is a kind of the first (0." in page
    assert dxmatch.explain(knowing, *pair[::-1]).known.relation == "narrower"
    strict = knowing.under("strict")
    found = dxmatch.explain(strict, *pair)
    assert found.probability == strict.probability(*pair) and not found.match and knowing.match(*pair)
    assert f"policy strict; under the default it would be {knowing.probability(*pair):.3f}." in str(found)
    assert not [part.label for part in found.parts if "{" in part.label or len(part.label) >= 140]


def test_only_the_explanation_of_shap_needs_shap(matcher, monkeypatch):
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(MissingExtra, match=r"\[explain\]"):
        dxmatch.shap_explanation(matcher, [("a b", "b c")])
    assert "log-odds" in str(dxmatch.explain(matcher, "a b", "b c"))


def test_how_words_were_read_is_said(few):
    found = dxmatch.explain(few, "Myocardial infraction", "heart attack")
    read = "'Myocardial infraction' is compared as 'myocardial infarction': read 'infraction' as 'infarction'."
    assert read in found.words and found.to_dict()["read_as"] == ((("infraction", "infarction"),), ())
    mixed = dxmatch.explain(few, "\u0430sthma", "asthma attack")
    assert any("mixes Latin and Cyrillic" in line for line in mixed.words)


def test_an_audit_sets_aside_what_is_not_understood(few):
    names = [called[0] for called in NAMES.values()]
    rows = [(a, b, 0) for a, b in pairwise(names)] + [("gout", "Herzinfarkt", 0)] * 2
    rows += [(called[0], called[1], 1) for called in NAMES.values() if len(called) > 1]
    frame = [dict(zip(("a", "b", "label"), row, strict=True)) for row in rows]
    with pytest.warns(NotUnderstoodWarning, match="2 of .*'Herzinfarkt': another language"):
        dxmatch.audit(few, frame, resampling={"resamples": 20}, repeats=1)


def test_a_cell_of_a_notebook(m):
    """Escaped, and with nothing of the data where cells are hidden."""
    assert m.identity in m._repr_html_()
    relation = m.relation("DLBCL", "non-Hodgkin lymphoma")
    assert "is a kind of non-Hodgkin lymphoma (MONDO)" in relation._repr_html_()
    found = dxmatch.explain(m, "<script>alert(1)</script> flu", "<img src=x> influenza")
    html = found._repr_html_()
    assert "<script" not in html and "<img" not in html and "&lt;script&gt;" in html and "<svg" in html
    assert "<svg" not in dxmatch.explain(m, "flu", "Flu")._repr_html_()
    dxmatch.configure(hide_cells=True)
    try:
        hidden = relation._repr_html_() + found._repr_html_()
        assert "lymphoma" not in hidden and "influenza" not in hidden
    finally:
        dxmatch.configure(hide_cells=False)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_feature_is_said_in_words(kind: str) -> None:
    assert label_of(FeatureSpec("x", kind, dict.fromkeys(KINDS[kind].options, "stem"))) != kind
