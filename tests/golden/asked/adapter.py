"""Golden runs that ask a server: today's names of dxmatch for the neutral words of a run. Only this file follows a rename.

A run is a file of `runs/`: `files` by name, `replies` (rules of `tests/loopback_server.py`), and `steps`, each with what it does and its
options: a model without its endpoint, a file of the run (or one that a step writes) by its name. `begins_with` is a vote store.
"""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import runpy
import shutil
import sys
import urllib.request
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd

import dxmatch

from ..compare import Row, Table

HERE = Path(__file__).parent
Found = dict[str, Table]
# neutral option -> today's, where the two differ
RENAMED = {"reader": "ask_again", "equal_too": "judge_equal", "set": "features", "at_once": "direct"}
MODELS = {"judge", "check", "relation", "severity", "models", "ask", "ask_again"}
# neutral column -> today's; then the columns that tell a row from all others
VALUES = {
    "metric": "metric",
    "of": "of",
    "judged_by": "judged_by",
    "rater": "rater",
    "group": "group",
    "value": "value",
    "n": "n",
}
VERDICTS = {
    "case": "case_id", "rater": "algorithm", "reference": "reference", "judge": "judge", "judge_basis": "judge_basis", "check": "check",
    "check_basis": "check_basis", "included": "included", "place": "place",
}  # fmt: skip
SCORES = {
    "case": "case_id",
    "rater": "algorithm",
    "semantic": "Semantic",
    "severity": "Severity",
    "error": "SeverityError",
}
LISTS = {"case": "case_id", "rater": "rater", "rank": "rank", "diagnosis": "diagnosis", "unread": "unread"}
CHOSEN = {
    "rater": "model",
    "question": "question_id",
    "shift": "shift",
    "repeat": "repeat",
    "chosen": "chosen",
    "right": "right",
}
NOTES = {
    "rater": "run", "note": "note", "judged_by": "judged_by", "observation": "observation", "predicted": "predicted_observation",
    "kind": "kind", "alike": "rationales_alike",
}  # fmt: skip
CODES = {"term": "diagnosis", "code": "icd10", "how": "how", "unread": "reason"}
KNOWN = {"model": "model", "prompt": "prompt", "answers": "answers", "matches": "matches", "unread": "unscored"}
matcher = cache(dxmatch.load)


def table(rows: Any, names: Mapping[str, str], keys: int) -> Table:
    """Rows of a frame, an Arrow table or a list under neutral names, without blank cells; the first `keys` columns are the key."""
    rows = (
        rows.to_dict("records")
        if isinstance(rows, pd.DataFrame)
        else rows
        if isinstance(rows, list)
        else rows.to_pylist()
    )
    cells = [{new: row.get(old) for new, old in names.items()} for row in rows]
    kept = [
        {name: cell for name, cell in row.items() if cell is not None and cell == cell and cell != ""} for row in cells
    ]
    return Table(tuple(names)[:keys], kept)


def values(rows: list[Row], rater: str = "algorithm", n: str = "n_cases", **more: str) -> Table:
    return table(rows, VALUES | {"rater": rater, "n": n} | more, 5)


def evaluate(lists: str, **options: Any) -> Found:
    report = dxmatch.evaluate(lists, matcher(), bootstrap=0, **options)
    found = {"values": values(report.rows)}
    if {"relation", "severity"} & options.keys():
        found["scores"] = table(report.per_case, SCORES, 2)
    if "judge" in options:
        found["verdicts"] = table(report.judgements, VERDICTS, 3)
    if "human" in options:
        found["agreement"] = values(report.rows_of("human.agreement"), "who", "n")
    return found


def ask(cases: str, models: list[str], **options: Any) -> Found:
    asked = dxmatch.ask(cases, models, **options)
    return {"lists": table(asked.lists.table if asked.lists else [], LISTS, 3)}


def choice(questions: str, answers: str | None = None, **options: Any) -> Found:
    found = dxmatch.choice(questions, answers, bootstrap=0, **options)
    return {
        "values": values(found.rows, "model", "n_questions", group="subset"),
        "verdicts": table(found.per_answer, CHOSEN, 4),
    }


def reasoning(graphs: str, notes: str, runs: list[str], **options: Any) -> Found:
    found = dxmatch.reasoning(graphs, notes, runs, matcher(), bootstrap=0, **options)
    rows = [row for row in found.rows if row["by"] == "all"]
    return {"values": values(rows, "run", "n_notes"), "verdicts": table(found.deductions, NOTES, 5)}


def codes(terms: str, **options: Any) -> Found:
    return {"codes": table(dxmatch.icd(terms, **options), CODES, 1)}


def columns(pairs: str, **options: Any) -> Found:
    """What the store holds of votes, as the columns of the pairs."""
    data = pd.read_csv(pairs)
    made = dxmatch.PairFeatures(min_coverage=0.0, **options).set_output(transform="pandas").fit_transform(data)
    rows = pd.concat([data, made.reset_index(drop=True)], axis=1)
    return {"columns": table(rows, {name: name for name in rows}, 2)}


def votes(*arguments: str, **options: Any) -> tuple[int, str]:
    """Runs `dxmatch votes` in this process: exit code, and what it printed."""
    given = [
        part for name, value in options.items() for part in ([f"--{name}"] if value is True else [f"--{name}", value])
    ]
    (command,) = entry_points(group="console_scripts", name="dxmatch")
    code, out = 0, io.StringIO()
    try:
        with patch.object(sys, "argv", ["dxmatch", "votes", *arguments, *given]), contextlib.redirect_stdout(out):
            command.load()()
    except SystemExit as end:
        code = int(end.code or 0)
    return code, out.getvalue()


def command(verb: str, pairs: str, **options: Any) -> Found:
    if verb != "ask":
        del options["endpoints"]
    return {"ended": Table((), [{"code": votes(verb, pairs, **options)[0]}])}


def batch(folder: str, output: str, **_: Any) -> Found:
    """Plays a batch service: asks the server what the files hold, and writes the results, the last first."""
    done = []
    for line in [line for file in sorted(Path(folder).iterdir()) for line in file.read_text("utf-8").splitlines()]:
        asked = json.loads(line)
        with urllib.request.urlopen(f"{server().url}/chat/completions", json.dumps(asked["body"]).encode()) as reply:
            response = {"status_code": 200, "body": json.load(reply)}
        done.append(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}))
    Path(output).write_text("\n".join(reversed(done)), "utf-8")
    return {}


STEPS: dict[str, Callable[..., Found]] = {
    "evaluate": evaluate, "ask": ask, "choice": choice, "reasoning": reasoning, "codes": codes, "columns": columns, "answer a batch": batch,
    **{f"{verb} votes": lambda pairs, verb=verb, **options: command(verb, pairs, **options) for verb in ("ask", "export", "import")},
}  # fmt: skip


@cache
def server() -> Any:
    """The server on loopback, once in a process."""
    started = runpy.run_path(str(HERE.parents[1] / "loopback_server.py"))["Loopback"]()
    atexit.register(started.stop)
    return started


def find(run: Mapping[str, Any], folder: Path, seed: int = 0) -> Found:
    """Follows the steps of a run: what each one found, how often it asked, what was sent, and what the store holds in the end."""
    for name, content in run["files"].items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    endpoints, store = folder / "endpoints.toml", folder / "store.sqlite"
    endpoints.write_text(f'[endpoint.lab]\nurl = "{server().url}"\ntries = 1\nconcurrency = 4\n', "utf-8")
    if "begins_with" in run:
        shutil.copy(HERE / run["begins_with"], store)
    paths = {name for file in run["files"] for name in (file, file.split("/")[0])} | {*run.get("writes", ())}

    def option(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [option(name, one) for one in value]
        return (
            str(folder / value) if value in paths else f"lab:{value}" if name in MODELS and value != "none" else value
        )

    server().rules(*run["replies"])
    found: Found = {}
    numbers: list[Row] = []
    for place, step in enumerate(run["steps"], start=1):
        calls = server().log()["calls"]
        named = {RENAMED.get(name, name): value for name, value in step.items() if name != "do"}
        given = {name: option(name, value) for name, value in named.items()}
        tables = STEPS[step["do"]](**given, endpoints=str(endpoints), store=str(store))
        found |= {f"step {place}: {name}": rows for name, rows in tables.items() if rows.rows}
        numbers.append({"step": place, "requests": server().log()["calls"] - calls})
    bodies = sorted(json.dumps(one["body"], sort_keys=True, ensure_ascii=False) for one in server().log()["requests"])
    _, status = votes("status", store=str(store), json=True)
    return found | {
        "requests": Table(("step",), numbers),
        "store": table([{**row, **row["config"]} for row in json.loads(status)], KNOWN, 2),
        "bodies": Table(("place",), [{"place": place, "body": json.loads(body)} for place, body in enumerate(bodies, start=1)]),
    }  # fmt: skip
