"""Golden runs that ask a server: today's names of dxmatch for the neutral words of a run. Only this file follows a rename.

A run is a file of `runs/`: `files` by name, `replies` (rules of `tests/loopback_server.py`), and `steps`, each with what it does and its
options: a model without its endpoint, a file of the run (or one that a step writes) by its name. `begins_with` is a vote store.
"""

from __future__ import annotations

import atexit
import json
import shutil
import urllib.request
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pandas as pd

import dxmatch
from dxmatch.tests.command_line import Done, typed
from dxmatch.tests.loopback_server import Loopback

from ..compare import Row, Table, differences  # noqa: F401
from ..files import lay_out

HERE = Path(__file__).parent
RUNS = sorted(path.stem for path in (HERE / "runs").glob("*.json"))
Found = dict[str, Table]
# neutral option -> today's, where the two differ
RENAMED = {"reader": "ask_again", "equal_too": "judge_equal", "set": "features", "at_once": "direct"}
MODELS = {"judge", "check", "relation", "severity", "models", "ask", "ask_again"}
# today's column -> neutral, where the two differ
NEUTRAL = {
    "algorithm": "rater", "run": "rater", "model": "rater", "who": "rater", "case_id": "case", "question_id": "question", "subset": "group",
    "n_cases": "n", "n_notes": "n", "n_questions": "n", "Semantic": "semantic", "Severity": "severity", "SeverityError": "error",
    "predicted_observation": "predicted", "rationales_alike": "alike", "icd10": "code", "unscored": "unread",
}  # fmt: skip
CHOICE = {
    "Acc_choice": "choice_accuracy",
    "sd_choice": "choice_spread",
    "all_right": "choice_all_right",
    "any_right": "choice_any_right",
}
AVERAGES = {"mean of the subsets": "mean of subsets", "quantity-weighted average": "all (weighted by questions)"}
BY_NOBODY = ("Acc_cat", "Acc_diag")
# option of `evaluate` -> field of its judge
JUDGE = {
    "judge": "model", "check": "check", "judge_prompt": "prompt", "check_prompt": "check_prompt", "judge_equal": "ask_equal", "human": "human",
}  # fmt: skip
matcher = cache(dxmatch.load)


@cache
def server() -> Any:
    """A `Loopback`, once in a process."""
    started = Loopback()
    atexit.register(started.stop)
    return started


def answer_batch(folder: str, output: str) -> None:
    """Asks the server what the batch files of a folder hold, and writes the results, the last first."""
    done = []
    for line in [line for file in sorted(Path(folder).iterdir()) for line in file.read_text("utf-8").splitlines()]:
        asked = json.loads(line)
        with urllib.request.urlopen(f"{server().url}/chat/completions", json.dumps(asked["body"]).encode()) as reply:
            response = {"status_code": 200, "body": json.load(reply)}
        done.append(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}))
    Path(output).write_text("\n".join(reversed(done)), "utf-8")


def table(rows: Any, key: str, cells: str) -> Table:
    """These columns of a frame, an Arrow table or a list, under neutral names, without blank cells."""
    if not isinstance(rows, list):
        rows = rows.to_dict("records") if isinstance(rows, pd.DataFrame) else rows.to_pylist()
    wanted = f"{key} {cells}".split()
    full = [{name: cell for name, cell in row.items() if not _blank(cell)} for row in rows]
    named = [{NEUTRAL.get(name, name): cell for name, cell in row.items()} | row for row in full]
    return Table(tuple(key.split()), [{name: row[name] for name in wanted if name in row} for row in named])


def _blank(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell) or (isinstance(cell, str) and not cell)


def values(rows: list[Row]) -> Table:
    return table(rows, "metric of judged_by rater group", "value n")


def evaluate(lists: str, **options: Any) -> Found:
    judge = {field: options[name] for name, field in JUDGE.items() if name in options}
    graded = {name: options[name] for name in ("relation", "severity") if name in options}
    prompts = {name: options[f"{name}_prompt"] for name in graded if f"{name}_prompt" in options}
    report = dxmatch.evaluate(
        lists, matcher=matcher(), metrics=options["metrics"], judge=judge, graded={**graded, "prompts": prompts},
        asking={"endpoints": options["endpoints"], "store": options["store"]}, resampling={"resamples": 0},
    )  # fmt: skip
    found = {"values": values(report.rows)}
    if "judge" in options:
        rows = report.judgements.to_pylist()
        for row in rows:
            if row["judge"] is None:  # nobody was asked: the basis is in words of dxmatch
                row["judge_basis"] = None
        told = "judge judge_basis check check_basis included place"
        found["verdicts"] = table(rows, "case rater reference", told)
    else:
        found["scores"] = table(report.per_case, "case rater", "semantic severity error")
    if "human" in options:
        found["agreement"] = values(report.rows_of("human.agreement"))
    return found


def ask(
    cases: str,
    models: list[str],
    endpoints: str,
    store: str,
    again: bool = False,
    temperature: float = 0.0,
    **options: Any,
) -> Found:
    asking = dxmatch.Asking(endpoints=endpoints, store=store, again=again)
    sampling = dxmatch.Sampling(temperature=temperature)
    asked = dxmatch.ask(cases, models, asking=asking, sampling=sampling, **options)
    return {"lists": table([] if asked.lists is None else asked.lists, "case rater rank", "diagnosis unread")}


def choice(
    questions: str, answers: str | None = None, *, endpoints: str, store: str, full_circle: bool = False, **options: Any
) -> Found:
    today = {"ask": "models", "ask_again": "read_again"}
    found = dxmatch.choice(
        questions, answers, shifts="all" if full_circle else None, **{today.get(name, name): one for name, one in options.items()},
        resampling={"resamples": 0}, asking={"endpoints": endpoints, "store": store},
    )  # fmt: skip
    parts = [row for row in found.subgroups.to_pylist() if row["value"] is not None]
    subsets = {
        (row["algorithm"], row["group"]) for row in parts if row["by"] == "subset" and row["group"] not in AVERAGES
    }
    several = {who for who, count in Counter(who for who, _ in subsets).items() if count > 1}  # else one subset is all
    named = [
        {**row, "metric": CHOICE[row["metric"]], "group": AVERAGES.get(row["group"], row["group"])}
        for row in parts
        if (row["algorithm"], row["group"]) in subsets or row["algorithm"] in several
    ]
    return {
        "values": values(named),
        "verdicts": table(found.tables["choice.answers"], "rater question shift repeat", "chosen right"),
    }


def reasoning(graphs: str, notes: str, runs: list[str], *, endpoints: str, store: str, judge: str) -> Found:
    found = dxmatch.reasoning(
        graphs, notes, runs, matcher=matcher(), judge=judge, resampling={"resamples": 0},
        asking={"endpoints": endpoints, "store": store},
    )  # fmt: skip
    verdicts = table(found.tables["reasoning.deductions"], "rater note judged_by observation predicted", "kind alike")
    rows = [
        {**row, "group": "all", "judged_by": None if row["metric"] in BY_NOBODY else row["of"] or "M"}
        for row in found.rows
    ]
    return {"values": values([{**row, "of": None} for row in rows]), "verdicts": verdicts}


def codes(terms: str, source: str, pick: str, k: int, endpoints: str, store: str, **ways: Any) -> Found:
    preset, asking = dxmatch.IcdPreset(**ways), dxmatch.Asking(endpoints=endpoints, store=store)
    made = dxmatch.icd(terms, tree=source, k=k, preset=preset, pick=pick, matcher=matcher(), asking=asking)
    return {"codes": table(made, "diagnosis", "code how")}


def columns(pairs: str, **options: Any) -> Found:
    """What the store holds of votes, as the columns of the pairs."""
    data = pd.read_csv(pairs)
    made = dxmatch.PairFeatures(min_coverage=0.0, **options).set_output(transform="pandas").fit_transform(data)
    return {"columns": table(pd.concat([data, made.reset_index(drop=True)], axis=1), "a b", " ".join(made))}


def votes(*arguments: str, **options: Any) -> Done:
    given = [
        part for name, value in options.items() for part in ([f"--{name}"] if value is True else [f"--{name}", value])
    ]
    return typed("votes", *arguments, *given)


def command(verb: str, pairs: str, **options: Any) -> Found:
    if verb != "ask":
        del options["endpoints"]
    return {"ended": Table((), [{"code": votes(verb, pairs, **options).code}])}


STEPS: dict[str, Callable[..., Found]] = {
    "evaluate": evaluate, "ask": ask, "choice": choice, "reasoning": reasoning, "codes": codes, "columns": columns,
    **{f"{verb} votes": partial(command, verb) for verb in ("ask", "export")},
}  # fmt: skip


def find(name: str, folder: Path, seed: int = 0) -> Found:
    """Follows the steps of a run: what each one found, how often it asked, what was sent, and what the store holds in the end."""
    run = json.loads((HERE / "runs" / f"{name}.json").read_text("utf-8"))
    lay_out(run["files"], folder)
    endpoints, store = folder / "endpoints.toml", folder / "store.sqlite"
    endpoints.write_text(f'[endpoint.lab]\nurl = "{server().url}"\ntries = 1\nconcurrency = 4\n', "utf-8")
    if "begins_with" in run:
        shutil.copy(HERE / run["begins_with"], store)
    paths = {name for file in run["files"] for name in (file, file.split("/")[0])} | {*run.get("writes", ())}

    def option(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [option(name, one) for one in value]
        if value in paths:
            return str(folder / value)
        return f"lab:{value}" if name in MODELS and value != "none" else value

    server().rules(*run["replies"])
    found: Found = {}
    numbers: list[Row] = []
    for place, step in enumerate(run["steps"], start=1):
        calls = server().log()["calls"]
        named = {RENAMED.get(name, name): value for name, value in step.items() if name != "do"}
        given = {name: option(name, value) for name, value in named.items()}
        if step["do"] == "answer a batch":
            answer_batch(**given)
        else:
            tables = STEPS[step["do"]](**given, endpoints=str(endpoints), store=str(store))
            found |= {f"step {place}: {name}": rows for name, rows in tables.items()}
        numbers.append({"step": place, "requests": server().log()["calls"] - calls})
    bodies = sorted(json.dumps(one["body"], sort_keys=True, ensure_ascii=False) for one in server().log()["requests"])
    status = votes("status", store=str(store), json=True).out
    return found | {
        "requests": Table(("step",), numbers),
        "store": table([{**row, **row["config"]} for row in json.loads(status)], "rater prompt", "answers matches unread"),
        "bodies": Table(("place",), [{"place": place, "body": json.loads(body)} for place, body in enumerate(bodies, start=1)]),
    }  # fmt: skip
