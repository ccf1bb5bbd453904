from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest

import dxmatch
from dxmatch.auditing.families import family_of, label_of
from dxmatch.errors import DxmatchError, InputError, OptionError

from ..small_relation import related, under


@pytest.fixture(scope="module")
def knowing(tmp_path_factory):
    return related(tmp_path_factory.mktemp("icd"))


@pytest.fixture(scope="module")
def same_site(matcher):
    return dxmatch.explain(matcher, "Fracture of the hip", "acute hip FRACTURES <b>")


def test_the_facts(matcher, same_site):
    found = same_site
    assert found.names == tuple(matcher.providers.naming([found.a, found.b]))
    assert found.shared == ("fracture", "hip") and found.only_a == () and "acute" in found.only_b
    assert found.probability == matcher.probability(found.a, found.b) and found.match == matcher.match(found.a, found.b)
    assert found.base + sum(part.contribution for part in found.parts) == pytest.approx(found.raw)
    sizes = [abs(part.contribution) for part in found.parts]
    assert sizes == sorted(sizes, reverse=True)
    assert found.raw_threshold == pytest.approx(0, abs=1e-9)  # sigmoid(raw) = 0.5


def test_the_words(matcher):
    text = str(dxmatch.explain(matcher, "acute renal pancreatitis", "chronic renal pancreatitis"))
    for said in (
        "'acute renal pancreatitis' is compared as it is", "They share 'renal' and 'pancreatitis'",
        "'acute' and 'chronic' exclude each other", "M calls them a match: probability 0.9", "a match begins at 0.500",
        "For a match speak", "ratio_unigram (0.667,",
    ):  # fmt: skip
        assert said in text
    other = str(dxmatch.explain(matcher, "asthma", "hip fracture"))
    assert "no match: probability" in other and "They share no word" in other and "Against a match" in other


def test_order_does_not_matter(matcher, same_site):
    turned = dxmatch.explain(matcher, same_site.b, same_site.a)
    assert turned.parts == same_site.parts and turned.only_b == same_site.only_a


def test_equal_after_normalisation(matcher, tmp_path):
    found = dxmatch.explain(matcher, "Crohn's disease", "crohn disease")
    assert found.identical and found.match and found.probability == 1 and found.parts == () and found.base is None
    assert "no tree was asked" in str(found) and json.loads(found.to_json())["raw"] is None
    assert "no tree was asked" in found.save(tmp_path / "why.html").read_text("utf-8")
    with pytest.raises(InputError, match="nothing to draw"):
        found.save(tmp_path / "why.svg")
    assert not (tmp_path / "why.svg").exists()


def test_what_is_unknown_is_said_to_be(matcher_of, monkeypatch):
    from dxmatch.features.registry import KINDS

    def unknown(names, first, second, out):
        out[:] = float("nan")

    monkeypatch.setitem(KINDS, "levenshtein", type(KINDS["levenshtein"])(**{**vars(KINDS["levenshtein"]), "compare": unknown}))  # fmt: skip
    found = dxmatch.explain(matcher_of("-1 0 2"), "hip fracture", "ankle fracture")
    assert next(part for part in found.parts if part.feature == "levenshtein").value is None
    assert "Unknown for this pair: levenshtein." in str(found) and '"value": null' in found.to_json()


def test_files(same_site, tmp_path):
    assert same_site.save(tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    svg = same_site.save(tmp_path / "why.svg").read_text("utf-8")
    assert svg.startswith("<svg") and "levenshtein" in svg
    html = re.sub(
        r"<script>.*?</script>", "", same_site.save(tmp_path / "why.html").read_text("utf-8"), flags=re.DOTALL
    )
    assert "<b>" not in html and "&lt;b&gt;" in html and "default-src 'none'" in html
    with pytest.raises(OptionError, match=r"\.svg"):
        same_site.save(tmp_path / "why.pdf")
    with pytest.raises(DxmatchError, match="no such folder"):
        same_site.save(tmp_path / "nowhere" / "why.svg")


def test_the_waterfall_leads_from_start_to_score(same_site):
    rows = same_site.figure.rows
    assert rows[0]["from"] == pytest.approx(same_site.base) and rows[-1]["to"] == pytest.approx(same_site.raw)
    assert all(a["to"] == b["from"] for a, b in pairwise(rows))
    assert {row["side"] for row in rows} <= {"for a match", "against a match"}


def test_a_text_without_a_word(matcher):
    with pytest.raises(InputError, match="without a letter"):
        dxmatch.explain(matcher, "???", "asthma")


def test_what_excludes_is_decisive_whatever_the_trees_say(knowing):
    found = dxmatch.explain(knowing, "vasculitis", "no evidence of vasculitis")
    assert found.excluded and found.probability == 0 and not found.match
    assert found.by_trees > 0.5, "the trees see two names of one disease"
    assert found.reason == "vasculitis is present, vasculitis is negated ('no evidence of')"
    text = str(found)
    assert f"This is decisive: {found.reason}. The trees alone would say {found.by_trees:.3f}." in text
    assert "is excluded, with a probability of 1.00" in text
    assert text.count(found.reason) == 1


def test_what_the_graph_knows_is_said(knowing, tmp_path):
    found = dxmatch.explain(knowing, "large vessel vasculitis", "Takayasu arteritis")
    assert found.reason == "Takayasu arteritis is a kind of large vessel vasculitis (MONDO)"
    assert not found.excluded and found.match and found.links == ()
    assert found.relation == "broader" and sum(found.relations.values()) == pytest.approx(1)
    assert "Takayasu arteritis is a kind of large vessel vasculitis (MONDO)." in found.words
    assert "To 'Takayasu arteritis', 'large vessel vasculitis' is broader, with a probability of 0." in str(found)
    assert dxmatch.explain(knowing, found.b, found.a).relation == "narrower"
    page = found.save(tmp_path / "why.html").read_text("utf-8")
    assert found.reason in page and "broader 0." in page
    told = json.loads(found.to_json())
    assert told["relation"] == "broader" and told["relations"]["broader"] == found.relations["broader"]


def test_how_sure_a_link_is_where_a_name_is_not_in_the_graph(knowing):
    found = dxmatch.explain(knowing, "heart attack of the anterior wall", "vasculitis")
    (link,) = found.links
    assert link.name == knowing.providers.naming([found.a])[0] and link.certainty < 1
    assert f"'{link.name}' is no name in the graph of diseases; the nearest is one of {link.disease}" in str(found)
    assert f"with a cosine of {link.certainty:.2f}." in str(found)


def test_under_a_policy_the_decision_is_the_policys(knowing):
    strict = under(knowing, "strict")
    pair = "large vessel vasculitis", "Takayasu arteritis"
    found = dxmatch.explain(strict, *pair)
    assert found.probability == strict.probability(*pair) and not found.match and knowing.match(*pair)
    assert f"What counts is the policy strict; under the default it would be {knowing.probability(*pair):.3f}." in str(
        found
    )


def test_a_model_without_a_graph_or_relations_says_nothing_of_them(matcher):
    found = dxmatch.explain(matcher, "gout", "gouty arthritis")
    assert found.relation is None and found.relations == {} and found.links == () and not found.excluded
    assert "graph of diseases" not in str(found)


def test_every_feature_has_words(knowing):
    for feature in knowing.features.features:
        assert "{" not in label_of(feature) and len(label_of(feature)) < 140, feature
    of = {feature.name: feature for feature in knowing.features.features}
    assert family_of(of["disease_line"]) == "diseases"
    assert (
        label_of(of["disease_line"])
        == "how sure it is that both are one disease, or one a kind of the other, in the graph of diseases"
    )
    assert "decisive" in label_of(of["excluded"])
