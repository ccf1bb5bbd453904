"""`dxmatch votes check` of models: what is said of each thing that goes wrong before the first question, and how soon."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
pytest.importorskip("stamina", reason="asking a language model needs the extra 'llm'")

import dxmatch
from dxmatch.errors import InputError, OptionError

from ..case_table import cases

VOTE = '[[feature]]\nname = "v"\nkind = "vote"\nmodel = "{model}"\nendpoint = "lab"\n{more}\n'


def checked(folder: Path, url: str, entries: str, endpoint: str = "") -> list[dxmatch.EndpointCheck]:
    (folder / "set.toml").write_text(f'{entries}\n[endpoint.lab]\nurl = "{url}"\n{endpoint}\n', "utf-8")
    return dxmatch.check_endpoints(folder / "set.toml")


@pytest.mark.parametrize(("reply", "more", "said"), cases("endpoint_check"))
def test_what_to_mend(reply: str, more: str, said: str, loopback: Any, tmp_path: Path) -> None:
    loopback.rules(json.loads(reply))
    (one,) = checked(tmp_path, loopback.url, VOTE.format(model="llama3.1:8b", more=more))
    assert re.search(said, one.problem) and one.usable == (not said), one.problem
    assert "\x1b" not in "".join(one.lines())
    questions = [request for request in loopback.log()["requests"] if request["path"].endswith("/chat/completions")]
    assert len(questions) == 1


def test_nobody_there_and_a_key_that_is_not_set_are_told_at_once(loopback: Any, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    start, vote = time.monotonic(), VOTE.format(model="m", more="")
    (one,) = checked(tmp_path, nobody, vote, "timeout = 300")
    assert "no connection: " in one.problem and "whether the server runs" in one.problem
    (one,) = checked(tmp_path, loopback.url, vote, 'key_env = "NO_SUCH_KEY"')
    assert "NO_SUCH_KEY, which is not set" in one.problem and loopback.log()["calls"] == 0
    assert time.monotonic() - start < 5


def test_all_that_a_set_asks_once_each(loopback: Any, tmp_path: Path) -> None:
    """A vote in both orders, one that is repeated and a soft vote of one model are two questions; a pick one."""
    pick = '[[feature]]\nname = "p"\nkind = "icd_pick"\nmodel = "m"\nendpoint = "lab"\n'
    imported = '[[feature]]\nname = "i"\nkind = "vote"\nmodel = "gpt-4"\nprompt = "imported"\n'
    repeated = VOTE.format(model="m", more="repeats = 3").replace('"v"', '"s"')
    entries = (
        VOTE.format(model="m", more='order = "both"') + repeated + pick + imported
        + VOTE.format(model="m", more="soft = true").replace('"v"', '"soft"')
    )  # fmt: skip
    loopback.rules({"contains": "names of ICD-10 entries", "text": "1"}, {"contains": "Two wordings", "text": "Yes"})
    found = checked(tmp_path, loopback.url, entries, "concurrency = 4")
    assert [one.columns for one in found] == [("v", "s"), ("p",), ("soft",)]
    assert [one.kind for one in found] == ["vote", "pick", "vote"] and all(one.usable for one in found)
    assert loopback.log()["calls"] == 3
    only = dxmatch.check_endpoints(tmp_path / "set.toml", only=["p"])
    assert [one.columns for one in only] == [("p",)]
    with pytest.raises(InputError, match="no such vote or pick; did you mean 'soft'"):
        dxmatch.check_endpoints(tmp_path / "set.toml", only=["soff"])


def test_models_by_name(loopback: Any, tmp_path: Path) -> None:
    (tmp_path / "e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\n', "utf-8")
    found = dxmatch.check_endpoints(endpoints=tmp_path / "e.toml", models=["lab:llama3.1:8b"])
    assert [(one.model, one.endpoint, one.usable) for one in found] == [("llama3.1:8b", "lab", True)]
    for models, told in ((["lob:m"], "such as lab:m"), (["lab"], "ENDPOINT:MODEL")):
        with pytest.raises(OptionError, match=told):
            dxmatch.check_endpoints(endpoints=tmp_path / "e.toml", models=models)
    for nothing in ({"endpoints": tmp_path / "e.toml"}, {"features": "offline"}, {}):
        with pytest.raises(InputError, match="no language model to ask"):
            dxmatch.check_endpoints(**nothing)


def test_the_command(
    loopback: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)
    loopback.rules({"model": "good", "text": "Yes."}, {"text": "Perhaps."})
    checked(tmp_path, loopback.url, VOTE.format(model="good", more="") + VOTE.format(model="bad", more="").replace('"v"', '"w"'))  # fmt: skip
    told = command("votes", "check", "--features", "set.toml")
    assert told.code == 1 and "1 of 2 work." in told.out
    assert f"works  v: good at lab ({loopback.url})\n       'Yes.' in " in told.out
    as_json = json.loads(command("votes", "check", "--features", "set.toml", "--only", "v", "--json").out)
    assert [(one["columns"], one["usable"], one["answer"]) for one in as_json] == [(["v"], True, "Yes.")]
    assert not list(tmp_path.glob("*.sqlite*")), "a check keeps nothing"
