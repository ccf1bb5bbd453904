"""The command line: its commands, and how their errors end. A command reads its options, calls a function, and says what came of it."""

from __future__ import annotations

import signal
import warnings
from typing import Annotated, Any

import typer

from .ask import ask
from .audit import audit, explain
from .choice import choice
from .ddxplus import ddxplus
from .demo import demo
from .evaluate import evaluate
from .features import app as features
from .icd import icd
from .label import label
from .link import dedupe, link
from .match import match
from .metrics import metrics
from .model import app as model
from .reasoning import reasoning
from .running import Debug, HideCells, Quiet, SharedFiles, complete
from .score import score
from .serve import serve
from .suggest import labels, suggest
from .train import train
from .usage import Group
from .votes import app as votes

app = typer.Typer(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    no_args_is_help=True,
    cls=Group,
    context_settings={"help_option_names": ["--help", "-h"]},
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog='Begin with: dxmatch demo\n\nOr: dxmatch match "heart attack" "acute MI"\n\nOf one command: dxmatch help score',
)
_MATCH, _CODES, _MODELS, _OWN = "Do they match?", "Codes", "Answers of models", "A match function of your own"
_PANELS = {
    "demo": "Begin here",
    "match": _MATCH, "explain": _MATCH, "score": _MATCH, "link": _MATCH, "dedupe": _MATCH, "serve": _MATCH, "icd": _CODES,
    "ask": _MODELS, "evaluate": _MODELS, "choice": _MODELS, "reasoning": _MODELS, "ddxplus": _MODELS, "metrics": _MODELS,
    "suggest": _OWN, "label": _OWN, "labels": _OWN, "train": _OWN, "audit": _OWN,
}  # fmt: skip
"""Under which heading `dxmatch --help` lists a command."""
app.add_typer(votes, rich_help_panel=_OWN)
app.add_typer(features, rich_help_panel=_OWN)
app.add_typer(model, rich_help_panel=_OWN)
for command, example in (
    (demo, "dxmatch demo --output demo"),
    (match, 'dxmatch match "heart attack" "acute MI"    or: dxmatch match "gout" "gouty arthritis" --json'),
    (
        score,
        "dxmatch score pairs.csv -o scored.csv --a expert --b algorithm    or: cat pairs.csv | dxmatch score - -o - > scored.csv    or: dxmatch score folder -o scored --workers 16",
    ),
    (train, "dxmatch train labelled.csv -o my-model --held-out held_out.csv"),
    (
        evaluate,
        "dxmatch evaluate answers/*.jsonl --references gold.csv -o report.html    or: dxmatch evaluate panel.csv --algorithms gpt4 -o report.html",
    ),
    (
        ask,
        "dxmatch ask cases.jsonl --endpoints my.toml -m local:llama3 --prompt free --prompt json --repeats 3 -o lists.parquet",
    ),
    (
        icd,
        'dxmatch icd "heart attack" "acute MI"    or: dxmatch icd strings.csv --column diagnosis -o codes.csv',
    ),
    (
        link,
        "dxmatch link problem_list.csv catalogue.csv -o links.csv    or: dxmatch link a.xlsx b.csv --a term --b name --k 3",
    ),
    (dedupe, "dxmatch dedupe terms.csv -o clusters.csv"),
    (
        choice,
        "dxmatch choice questions.json answers.csv -o choice.md    or: dxmatch choice questions.json --ask lab:qwen2.5-7b --endpoints endpoints.toml",
    ),
    (audit, "dxmatch audit held_out.csv --model my-model -o audit"),
    (explain, 'dxmatch explain "heart attack" "acute MI" -o why.svg'),
    (suggest, "dxmatch suggest pool.csv -n 200 -o round-1 --experts anna,ben,carl"),
    (
        label,
        "dxmatch label pairs.csv -o labelled.csv --expert anna    or: dxmatch label round-1 -o labelled.csv --expert anna",
    ),
    (
        labels,
        "dxmatch labels round-1 -o labelled.csv --open ties.csv    or: dxmatch labels anna.csv ben.csv -o labelled.csv",
    ),
    (
        reasoning,
        "dxmatch reasoning graphs notes run-g run-k -o report.html    or: dxmatch reasoning graphs notes GPT-4=run-1 --judge local:llama-3-8b --endpoints endpoints.toml",
    ),
    (ddxplus, "dxmatch ddxplus release_test_patients.csv -o cases.jsonl --cases 730 --first 5"),
    (serve, "dxmatch serve --labels my-labels.csv --open"),
    (metrics, "dxmatch metrics    or: dxmatch metrics rpad"),
):
    app.command(
        epilog="Example: " + example.replace("    or: ", "\n\nOr: "), rich_help_panel=_PANELS.get(command.__name__)
    )(command)
complete(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dxmatch {__version__}")
        raise typer.Exit


@app.callback()
def root(
    quiet: Quiet = False,
    debug: Debug = False,
    shared_files: SharedFiles = False,
    hide_cells: HideCells = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    del quiet, debug, shared_files, hide_cells, version  # their callbacks have done it


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h)."""
    from ..settings import HIDE_CELLS, cells_hidden
    from .faults import told, traceback_without_cells, warned

    given: dict[str, Any] = {}

    def say(line: str) -> None:
        typer.echo(given.get("said", str)(line), err=True)

    warnings.showwarning = lambda message, *_, **__: say(warned(message, given.get("options", {})))
    # What a scheduler sends ends as Ctrl-C does: what is half-written is removed, what is done is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(obj=given, prog_name="dxmatch")
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a library in Rust ends with a panic, which is no Exception
        if given.get("debug"):
            if not (cells_hidden() or given.get(HIDE_CELLS)):
                raise
            typer.echo(traceback_without_cells(error), err=True)
            raise SystemExit(1) from None
        code, line = told(error, given.get("options", {}))
        say(f"dxmatch: {line}")
        raise SystemExit(code) from None
