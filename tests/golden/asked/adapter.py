"""Golden runs that ask a server. Only this file follows a rename.

A run is a file of `runs/`: `files` by name, `replies` (rules of `tests/loopback_server.py`), and `steps`, each with what it does and its
options ("file:x" is a file of the run, or one that a step writes) and which tables to `freeze`. `begins_with` is a vote store.
"""

from __future__ import annotations

import atexit
import json
import shutil
import urllib.request
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

import dxmatch
from dxmatch.tests.command_line import Done, typed
from dxmatch.tests.loopback_server import Loopback

from ..compare import Row, differences  # noqa: F401
from ..files import lay_out, resolved, rows_of, tables_of

HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))
Found = dict[str, list[Row]]
matcher = cache(dxmatch.load)


@cache
def server() -> Any:
    """A `Loopback`, once in a process."""
    started = Loopback()
    atexit.register(started.stop)
    return started


def answer_batch(asking: Row, folder: Path, output: Path) -> Found:
    """Asks the server what the batch files of a folder hold, and writes the results, the last first."""
    done = []
    for line in [line for file in sorted(folder.iterdir()) for line in file.read_text("utf-8").splitlines()]:
        asked = json.loads(line)
        with urllib.request.urlopen(f"{server().url}/chat/completions", json.dumps(asked["body"]).encode()) as reply:
            response = {"status_code": 200, "body": json.load(reply)}
        done.append(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}))
    output.write_text("\n".join(reversed(done)), "utf-8")
    return {}


def reported(verb: str, asking: Row, freeze: list[str], **options: Any) -> Found:
    given = {} if verb == "choice" else {"matcher": matcher()}
    report = getattr(dxmatch, verb)(**options, **given, asking=asking, resampling={"resamples": 0})
    found = tables_of(report, ("table", *freeze))
    for row in found.get("judgements", ()):
        if row["judge"] is None:  # nobody was asked: the basis is in words of dxmatch
            row["judge_basis"] = None
    return found


def ask(asking: Row, again: bool = False, **options: Any) -> Found:
    asked = dxmatch.ask(**options, asking={**asking, "again": again})
    return {"lists": [] if asked.lists is None else asked.lists.to_pylist()}


def codes(asking: Row, diagnoses: Path, **options: Any) -> Found:
    made = dxmatch.icd(diagnoses, matcher=matcher(), asking=asking, **options)
    return {"codes": made.select(["diagnosis", "icd10", "how"]).to_pylist()}


def columns(asking: Row, pairs: Path, features: Path) -> Found:
    """What the store holds of votes, as the columns of the pairs."""
    data, made = pd.read_csv(pairs), dxmatch.PairFeatures(features, min_coverage=0.0, **asking)
    return {"columns": data.join(made.set_output(transform="pandas").fit_transform(data)).to_dict("records")}


def votes(*arguments: str, **options: Any) -> Done:
    return typed("votes", *arguments, *(part for name, value in options.items() for part in (f"--{name}", value)))


def command(verb: str, asking: Row, pairs: Path, options: str = "", **files: Path) -> Found:
    endpoints = {"endpoints": asking["endpoints"]} if verb == "ask" else {}
    return {
        "ended": [{"code": votes(verb, str(pairs), *options.split(), store=asking["store"], **endpoints, **files).code}]
    }


STEPS: dict[str, Callable[..., Found]] = {
    "ask": ask, "codes": codes, "columns": columns, "answer a batch": answer_batch,
    **{verb: partial(reported, verb) for verb in ("evaluate", "choice", "reasoning")},
    **{f"{verb} votes": partial(command, verb) for verb in ("ask", "export")},
}  # fmt: skip


def find(name: str, folder: Path, seed: int = 0) -> Found:
    """Follows the steps of a run: what each one found, how often it asked, what was sent, and what the store holds in the end."""
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    lay_out(run["files"], folder)
    asking = {"endpoints": folder / "endpoints.toml", "store": folder / "store.sqlite"}
    asking["endpoints"].write_text(f'[endpoint.lab]\nurl = "{server().url}"\ntries = 1\nconcurrency = 4\n', "utf-8")
    if "begins_with" in run:
        shutil.copy(HERE / run["begins_with"], asking["store"])
    server().rules(*run["replies"])
    found, numbers = Found(), list[Row]()
    for place, step in enumerate(run["steps"], start=1):
        calls, given = server().log()["calls"], resolved(step, folder)
        tables = STEPS[given.pop("do")](asking, **given)
        found |= {f"step {place}: {name}": rows_of(rows) for name, rows in tables.items() if rows}
        numbers.append({"step": place, "requests": server().log()["calls"] - calls})
    bodies = sorted(json.dumps(one["body"], sort_keys=True, ensure_ascii=False) for one in server().log()["requests"])
    status = [row | row["config"] for row in json.loads(votes("status", "--json", store=str(asking["store"])).out)]
    kept = ("model", "prompt", "answers", "matches", "unscored")
    return found | {
        "requests": numbers, "store": [{part: row[part] for part in kept} for row in status],
        "bodies": [{"body": json.loads(body)} for body in bodies],
    }  # fmt: skip
