"""The API by a plain client: what it says, whom it refuses, and how."""

from __future__ import annotations

import json
import re
import warnings

import httpx2
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.serving import app
from dxmatch.serving.answers import MOST_PAIRS
from dxmatch.serving.application import MAX_BODY, user_name

from ..case_table import cases

JSON = {"Content-Type": "application/json"}
PAIR = {"a": "gout", "b": "asthma"}


def client(application, address="http://127.0.0.1:8765"):
    """Asks the application itself, with no socket between."""
    transport = httpx2.ASGITransport(application)

    class Client:
        def ask(self, method, path, **options):
            import anyio

            async def once():
                async with httpx2.AsyncClient(transport=transport, base_url=address) as asking:
                    return await asking.request(method, path, **options)

            return anyio.run(once)

        def post(self, path, body, **headers):
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            return self.ask("POST", path, content=content, headers=JSON | headers)

    return Client()


@pytest.fixture(scope="module")
def api(m, labels):
    return client(app(m, labels=labels, expert="anna"))


@pytest.mark.parametrize(
    ("a", "b"), [("heart attack", "acute MI"), ("DLBCL", "lymphoma"), ("gout", "Gout"), ("asthma", "no asthma")]
)
def test_a_pair_has_what_python_says_of_it(api, m, a, b):
    """Under its own policy, one that is a sum of relations, and one that was learnt."""
    got = api.post("/api/match", {"a": a, "b": b}).json()
    assert (got["match"], got["probability"]) == (m.match(a, b), m.probability(a, b))
    relation = m.relation(a, b)
    said = [said.status for said in relation.assertions]
    assert got["relation"] == relation.kind and [one["assertion"] for one in got["understood"]] == said
    assert (got["words"], got["doubtful"]) == ((why := dxmatch.explain(m, a, b)).answers, why.doubtful)
    by_policy = {one["policy"]: one for one in got["policies"]}
    assert len(by_policy) == 4
    for policy in (m.policy, "strict", "narrower-counts"):
        one, under = by_policy[policy], MatchFunction(m.parts, policy=policy)
        assert (one["probability"], one["match"]) == (under.probability(a, b), under.match(a, b))
        assert one["threshold"] == under.threshold


def test_the_best_of_a_list(api, m):
    """A blank line, as at the end of what is pasted, and what is not understood are told in their place, and refuse nothing."""
    a, b = (
        ["heart attack", "инфаркт", "UTI", "heart attack", "", "?"],
        ["asthma", "STEMI", "UTI", "\n", "#N/A", "диабет"],
    )
    got = api.post("/api/link", {"a": a, "b": b, "k": 2}).json()
    links = got["links"]
    assert [(one["a"], one["rank"]) for one in links] == [
        *(("heart attack", 1), ("heart attack", 2), ("инфаркт", None), ("UTI", 1), ("UTI", 2)),
        *(("heart attack", 1), ("heart attack", 2), ("", None), ("?", None)),
    ]
    scored = [one for one in links if one["rank"]]
    assert [one["b"] for one in scored if one["rank"] == 1] == ["STEMI", "UTI", "STEMI"]
    for link in scored:
        assert link["probability"] == m.probability(link["a"], link["b"])
        assert link["relation"] == m.relation(link["a"], link["b"]).kind
    why = [one["not_understood"] for one in links if not one["rank"]]
    assert why == ["another script", "the diagnosis is blank", "a diagnosis without a letter or digit"]
    told = got["not_understood"]
    assert (
        told.keys() == {"\n", "#N/A", "диабет"} and told["\n"] == "the diagnosis is blank" and "formula" in told["#N/A"]
    )
    nothing = api.post("/api/link", {"a": ["gout"], "b": [""]}).json()
    assert nothing["links"][0]["b"] is None and nothing["not_understood"] == {"": "the diagnosis is blank"}


def test_codes(api, m):
    asked = ["pneumonia", "qwertz asdf", "", " "]
    got = api.post("/api/icd", {"diagnoses": asked, "k": 3}).json()
    assert got["mapped"] == dxmatch.icd(pa.table({"diagnosis": asked}), k=3, matcher=m).to_pylist()
    assert [one["how"] for one in got["mapped"]][::2] == ["direct", "blank"] and "1.5.0" in got["edition"]


TOO_MUCH = [
    ["/api/match", json.dumps(PAIR | {"b": "x" * 10_001}), "422", "b: Expected `str` of length <= 10000."],
    ["/api/link", json.dumps(dict.fromkeys("ab", ["gout"] * 400)), "422", f"too many pairs.*{MOST_PAIRS:,}"],
    ["/api/labels", " " * (MAX_BODY + 1), "413", "too much at once"],
]


@pytest.mark.parametrize(("path", "body", "status", "said"), [*cases("serving_refused"), *TOO_MUCH])
def test_what_is_refused_is_one_line(api, labels, path, body, status, said):
    before = labels.read_bytes() if labels.exists() else None
    answer = api.post(path, body.encode("latin-1"))
    assert answer.status_code == int(status), answer.text
    (line,) = answer.json().values()
    assert answer.json().keys() == {"error"} and "\n" not in line and "judge_all" not in line
    assert re.search(said, line), line
    assert (labels.read_bytes() if labels.exists() else None) == before


@pytest.mark.parametrize(("headers", "status", "options"), cases("serving_who"))
def test_only_its_own_pages_and_programs_may_write(m, tmp_path, headers, status, options):
    file = tmp_path / "labels.csv"
    api = client(app(m, labels=file, expert="anna", **json.loads(options)))
    answer = api.post("/api/labels", PAIR | {"label": 0}, **json.loads(headers))
    assert answer.status_code == int(status) and file.exists() == (status == "200")


def test_nothing_is_loaded_from_elsewhere_framed_or_kept(api):
    for path in ("/", "/style.css", "/script.js", "/api/health", "/nothing"):
        answer = api.ask("GET", path)
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "http" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"
        if answer.headers["content-type"].startswith("text/"):
            assert "https://" not in answer.text and "//cdn" not in answer.text


def test_without_a_file_no_label_is_taken_or_offered(m, tmp_path):
    api = client(app(m))
    answer = api.post("/api/labels", PAIR | {"label": 1})
    assert answer.status_code == 422 and "takes no labels" in answer.json()["error"]
    for asked, offers in ((api, False), (client(app(m, labels=tmp_path / "labels.csv")), True)):
        assert asked.ask("GET", "/api/health").json()["labels"] is offers
        assert ('data-labels="labels.csv"' in asked.ask("GET", "/").text) is offers


def test_a_fault_says_no_diagnosis(m, monkeypatch, capfd):
    def broken(*_):
        raise KeyError("heart attack")

    monkeypatch.setattr("dxmatch.serving.application.matched", broken)
    with warnings.catch_warnings(record=True) as told:
        answer = client(app(m)).post("/api/match", {"a": "heart attack", "b": "gout"})
    assert answer.status_code == 500 and "KeyError" in answer.json()["error"] and "heart" not in answer.text
    assert "heart" not in "".join(capfd.readouterr()) and not told


def test_labels_that_are_taken_back_and_the_name_of_who_is_logged_in(m, tmp_path, monkeypatch):
    said = (("anna", "anna"), ("DOMAIN\\anna k", "DOMAIN_anna_k"))
    for place, (user, name) in enumerate(said):
        monkeypatch.setattr("getpass.getuser", lambda user=user: user)
        asked = client(app(m, labels=tmp_path / f"{place}.csv"))
        for label in (0, 1, None, 1):
            got = asked.post("/api/labels", PAIR | {"label": label}).json()
            assert (got["column"], got["count"]) == (f"label_{name}", label is not None)
        assert asked.ask("GET", "/api/labels").json()["last"][0].items() >= (PAIR | {"label": 1}).items()
        assert asked.post("/api/match", {"a": "Asthma", "b": "gout"}).json()["label"] == 1
    monkeypatch.setattr("getpass.getuser", lambda: (_ for _ in ()).throw(OSError()))
    assert user_name() == "me"
