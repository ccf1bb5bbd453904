"""The command line: its commands, and how their errors end. A command reads its options, calls a function, and says what came of it."""

from __future__ import annotations

import signal
import traceback
import warnings
from collections.abc import Mapping
from pathlib import Path
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
from .metrics import metrics
from .model import app as model
from .reasoning import reasoning
from .running import Debug, HideCells, SharedFiles, complete
from .score import score
from .suggest import labels, suggest
from .train import train
from .votes import app as votes

_OWN = f"{Path(__file__).parents[1]}/"

app = typer.Typer(
    name="dxmatch",
    help="Was the right diagnosis among the answers? Do two free-text diagnoses name the same disease? How well does an algorithm agree with experts?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog="Begin with: dxmatch demo",
)
app.add_typer(votes)
app.add_typer(features)
app.add_typer(model)
for command, example in (
    (demo, "dxmatch demo --output demo"),
    (
        score,
        "dxmatch score pairs.parquet -o scored.parquet --a expert --b algorithm    or: dxmatch score folder -o scored --workers 16",
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
    (labels, "dxmatch labels round-1 -o labelled.csv --open ties.csv"),
    (
        reasoning,
        "dxmatch reasoning graphs notes run-g run-k -o report.html    or: dxmatch reasoning graphs notes GPT-4=run-1 --judge local:llama-3-8b --endpoints endpoints.toml",
    ),
    (ddxplus, "dxmatch ddxplus release_test_patients.csv -o cases.jsonl --cases 730 --first 5"),
    (metrics, "dxmatch metrics"),
):
    app.command(epilog=f"Example: {example}")(command)
complete(app)


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dxmatch {__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Debug = False,
    shared_files: SharedFiles = False,
    hide_cells: HideCells = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    del debug, shared_files, hide_cells, version  # their callbacks have done it


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the data or a provider failed, 2 wrong usage, 70 a fault of dxmatch (sysexits.h)."""
    from ..errors import DxmatchError
    from ..settings import HIDE_CELLS, cells_hidden
    from .running import traceback_without_cells

    given: dict[str, Any] = {}
    warnings.showwarning = lambda message, *_, **__: _show_warning(message, given.get("options", {}))
    # What a scheduler sends ends as Ctrl-C does: what is half-written is removed, what is done is kept.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        app(obj=given)
    except (SystemExit, KeyboardInterrupt):
        raise
    except BaseException as error:  # a library in Rust ends with a panic, which is no Exception
        if given.get("debug"):
            if not (cells_hidden() or given.get(HIDE_CELLS)):
                raise
            typer.echo(traceback_without_cells(error), err=True)
            raise SystemExit(1) from None
        spelt = given.get("options", {})
        code = 1
        if isinstance(error, DxmatchError):
            said = error.worded(spelt)
            if error.__cause__ is not None and not isinstance(error.__cause__, DxmatchError) and _short_of_memory():
                said += " This process has come near to the most memory that it may take (ulimit -v), which may be why."
        elif isinstance(error, MemoryError) or _short_of_memory():
            said = "out of memory; give it the data in parts."
        elif isinstance(error, OSError) and error.strerror:
            said = f"{error.filename or 'the system'}: {error.strerror}."
        else:
            code, said = 70, f"this is a fault of dxmatch ({_in_a_line(error)}). Run it with --debug for the traceback."
        typer.echo(f"dxmatch: {said}", err=True)
        raise SystemExit(code) from None


def _short_of_memory() -> bool:
    """Whether the process has come near to a limit of its address space: modules then fail to load, with words of many kinds."""
    try:
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        status = Path("/proc/self/status").read_text("utf-8").splitlines()
        peak = next(line for line in status if line.startswith("VmPeak:"))
    except (ImportError, OSError, StopIteration, MemoryError):  # not on Linux; or not even for this
        return False
    return limit != resource.RLIM_INFINITY and int(peak.split()[1]) * 1024 > 0.7 * limit


def _in_a_line(error: BaseException) -> str:
    """The kind of an error and where in dxmatch it came up; not its words, which may hold a diagnosis."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.startswith(_OWN)]
    place = f" in {frames[-1].filename.removeprefix(_OWN)}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{place}"


def _show_warning(warning: Warning | str, options: Mapping[str, str]) -> None:
    """options : a parameter's name -> what the command calls it."""
    worded = getattr(warning, "worded", None)
    message = str(warning) if worded is None else worded(options)
    for name, said in options.items():
        message = message.replace(f"the option '{name}'", f"the option {said}")
    typer.echo(f"dxmatch: warning: {' '.join(message.split())}", err=True)
