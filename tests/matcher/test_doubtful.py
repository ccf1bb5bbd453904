"""Doubtful pairs, which a language model on loopback decides: who is asked about what, what it costs, and whose verdict it is."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch import Asking, Doubtful
from dxmatch.matcher.doubtful import is_doubtful
from dxmatch.serving.answers import Pair, matched

PRICED = "[price.big]\nprompt = 1\ncompletion = 1\n"
Loading = Callable[..., dxmatch.MatchFunction]


@pytest.fixture(scope="module")
def pairs() -> pd.DataFrame:
    return pd.read_csv(Path(__file__).parents[2] / "example" / "pairs.csv")[["a", "b"]].head(200)


@pytest.fixture(scope="module")
def plain(m: dxmatch.MatchFunction, pairs: pd.DataFrame) -> pd.DataFrame:
    return m.score(pairs)


@pytest.fixture
def load(tmp_path: Path, loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Loading:
    """M whose doubtful pairs are decided by `big` at the server."""
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\nconcurrency = 2\n{PRICED}')

    def loaded(between: tuple[float, float] = (0.1, 0.9), **asking: Any) -> dxmatch.MatchFunction:
        asked = Asking(endpoints="e.toml", store="votes.sqlite", **asking)
        return dxmatch.load(doubtful=Doubtful(model="lab:big", between=between, asking=asked))

    return loaded


def test_what_is_doubtful_is_asked_once_and_nothing_else(load: Loading, loopback: Any, pairs: pd.DataFrame, plain: pd.DataFrame) -> None:  # fmt: skip
    m, doubtful = load(), is_doubtful(plain["probability"])
    found = m.score(pairs, add=["relation", "reasons"])
    assert 5 < doubtful.sum() < 60 and loopback.log()["calls"] == len(pairs[doubtful].drop_duplicates())
    assert (found["decided_by"] == np.where(doubtful, "model", "M")).all() and not found["doubtful"].any()
    assert found[~doubtful][["probability", "match"]].equals(plain[~doubtful][["probability", "match"]])
    said = found[doubtful]
    assert {*said["probability"]} == {0.0, 1.0} and said["match"].equals(said["probability"] == 1)
    assert said["relation"].isin(["same", "narrower", "broader"]).equals(said["match"])
    assert said["why"].str.endswith("says that they agree").equals(said["match"])
    turned = [m.probability(b, a) for a, b in zip(said["a"], said["b"], strict=True)]
    again = pickle.loads(pickle.dumps(load())).probabilities(pairs["a"], pairs["b"])
    assert turned == said["probability"].tolist() and again.tolist() == found["probability"].tolist()
    a, b = said.iloc[0][["a", "b"]]
    assert "The language model says" in dxmatch.explain(m, a, b).brief[1] and m.match(a, b) == said.iloc[0]["match"]  # fmt: skip
    assert loopback.log()["calls"] == doubtful.sum(), "answers are in the store"
    assert f"lab:big decided {doubtful.sum()}, M 0; {doubtful.sum()} calls, cost 0.0" in m._repr_html_()
    assert matched(m, Pair(a=a, b=b), None)["decided_by"] == "model"
    assert len(m.dedupe([a, b], policy="specification")["cluster"].unique()) == 2 - said.iloc[0]["match"]
    few = load((0.4, 0.6)).score(pairs)
    assert (few["decided_by"] == np.where(is_doubtful(plain["probability"], (0.4, 0.6)), "model", "M")).all()


def test_a_cap_and_an_interruption_leave_the_rest_to_the_next_run(load: Loading, loopback: Any, pairs: pd.DataFrame, plain: pd.DataFrame) -> None:  # fmt: skip
    n = int(is_doubtful(plain["probability"]).sum())
    with pytest.warns(UserWarning, match=rf"{n - 3} of {n} doubtful pairs stay as M has them \({n - 3} unanswered\); the cap of 3 calls is reached\.$"):  # fmt: skip
        capped = load(max_calls=3).score(pairs)
    assert (capped["decided_by"] == "model").sum() == loopback.log()["calls"] == 3
    left = capped["decided_by"] == "M"
    assert capped[left][["probability", "match", "doubtful"]].equals(plain[left][["probability", "match", "doubtful"]])

    def interrupt() -> None:
        while loopback.log()["calls"] < 5:
            time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    loopback.rules(delay=0.2)
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt, match="kept in votes.sqlite"):
        load().score(pairs)
    kept = sum(loopback.log()["answered"].values())
    assert 0 < kept < n - 3
    loopback.rules()
    done = load().score(pairs)
    assert (done["decided_by"] == "model").sum() == n and n - 3 - kept <= loopback.log()["calls"] < n - 3
    assert {*loopback.log()["asked"].values()} == {1}


def test_a_dry_run_asks_nothing(load: Loading, loopback: Any, pairs: pd.DataFrame, plain: pd.DataFrame, capsys: pytest.CaptureFixture[str]) -> None:  # fmt: skip
    with pytest.warns(UserWarning, match="unanswered"):
        found = load(dry_run=True).score(pairs)
    told = capsys.readouterr().err
    assert f"To ask: {is_doubtful(plain['probability']).sum()} questions" in told and "cost about" in told
    assert loopback.log()["calls"] == 0 and not Path("votes.sqlite").exists()
    assert found[["probability", "match"]].equals(plain[["probability", "match"]]) and {*found["decided_by"]} == {"M"}


def test_what_cannot_be_read_is_counted_in_table_and_report(load: Loading, loopback: Any, pairs: pd.DataFrame, plain: pd.DataFrame) -> None:  # fmt: skip
    doubtful, unread = plain[is_doubtful(plain["probability"])], 4
    loopback.rules({"text": "Maybe", "times": unread}, {"text": "Yes"})
    n, m = len(doubtful), load()
    with pytest.warns(UserWarning, match=rf"^{unread} of {n} doubtful pairs stay as M has them \({unread} unclear\)\.$"):  # fmt: skip
        found = m.score(doubtful[["a", "b"]])
    assert (found["decided_by"] == "M").sum() == unread and found["match"][found["decided_by"] == "model"].all()
    lists = pd.DataFrame({"case_id": range(n), "reference": doubtful["a"].to_numpy(), "gpt": doubtful["b"].to_numpy()})
    report = dxmatch.evaluate(lists, matcher=m, metrics="recall", resampling=dxmatch.Resampling(resamples=0))
    (told,) = (one.sentence for one in report.findings if one.kind == "doubtful")
    assert told.startswith(f"Of {n} different pairs {n} were doubtful and went to a language model: lab:big decided {n - unread}, M {unread} ({unread} unclear); {n} calls, cost 0.0")  # fmt: skip
    assert report.matches["why"].str.startswith("the language model says").sum() == n - unread
    assert report.matches["doubtful"].sum() == unread and loopback.log()["calls"] == n
    assert report.matches["decided_by"].tolist() == found["decided_by"].tolist()
    assert (load(again=True).score(doubtful[["a", "b"]])["decided_by"] == "model").all()
    assert loopback.log()["calls"] == n + unread


def test_on_the_command_line(load: Loading, loopback: Any, pairs: pd.DataFrame, plain: pd.DataFrame, command: Any) -> None:  # fmt: skip
    pairs.to_csv("pairs.csv", index=False)
    asked = "--doubtful.model", "lab:big", "--doubtful.endpoints", "e.toml", "--doubtful.store", "votes.sqlite"
    n = int(is_doubtful(plain["probability"]).sum())
    done = command("score", "pairs.csv", "-o", "out.csv", *asked)
    assert done.code == 0 and f"{n} answers kept, 0 of them without a verdict." in done.out
    assert (pd.read_csv("out.csv")["decided_by"] == "model").sum() == loopback.log()["calls"] == n
    a, b = pairs[is_doubtful(plain["probability"])].iloc[0]
    assert "Why: The language model says" in command("match", a, b, *asked).out
    wide = command("match", a, b, *asked, "--doubtful.between", "0.9", "--doubtful.between", "0.1")
    assert wide.code == 2 and "two numbers from 0 to 1, the lower one first" in wide.err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"between": (0.9, 0.1)}, "'between' must be two numbers from 0 to 1, the lower one first"),
        *(({"between": wrong}, "'between' must be two numbers") for wrong in (0.5, (0.1, 0.5, 0.9), ("a", 1), (0.1, 2), (True, 1))),
        ({"model": "big"}, "'doubtful.model' must be ENDPOINT:MODEL"), ({"model": "other:big"}, "endpoints: lab"),
    ],
)  # fmt: skip
def test_what_is_refused(load: Loading, options: dict[str, Any], told: str) -> None:
    with pytest.raises(dxmatch.OptionError, match=told):
        dxmatch.load(doubtful={"model": "lab:big", "asking": {"endpoints": "e.toml"}, **options})  # type: ignore[arg-type]


def test_where_it_does_not_belong(load: Loading, pairs: pd.DataFrame) -> None:
    pairs.to_parquet("pairs.parquet")
    for call, told in (
        (lambda: dxmatch.load(policy="strict", doubtful=load().model.verdicts.how), "left out under the policy strict"),
        (lambda: load().dedupe(["gout", "flu"]), "left out under the policy strict"),
        (lambda: dxmatch.score_files("pairs.parquet", "out.parquet", matcher=load()), "left out in a job of chunks"),
    ):  # fmt: skip
        with pytest.raises(dxmatch.OptionError, match=told):
            call()
