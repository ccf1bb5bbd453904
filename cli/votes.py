"""`dxmatch votes`: ask language models for votes and picks, live or as batch files, and keep every answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..files.counted import counted
from ..votes.prompts.questions import IMPORTED
from ..votes.store import STORE
from .asking import Again, DryRun, Endpoints, MaxCalls, MaxCost, Store, quiet_retries, say_asked
from .options import ColumnA, ColumnB, Encoding, Origin, Rejects

if TYPE_CHECKING:
    from ..matcher.pair_votes import PairVotes
    from ..votes.asking import Job
    from ..votes.store.status import ModelStatus
    from ..votes.store.store import VoteStore

app = typer.Typer(
    name="votes",
    help="Votes and ICD-10 picks of language models: ask, export and import batch files, see what is known.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)

PairsFile = Annotated[Path, typer.Argument(help="Pairs: a .csv, .tsv, .jsonl or .parquet file.")]
Features = Annotated[str, typer.Option("--features", help="A built-in feature set, or a TOML file.")]
Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="MODEL",
        help="Ask what this trained model needs, in place of --features: its folder, or OWNER/NAME@COMMIT of the hub.",
    ),
]
Only = Annotated[
    list[str] | None, typer.Option("--only", help="One vote or pick of the set, by its name; may be repeated.")
]
Abbreviations = Annotated[
    Path | None, typer.Option(help="Your own abbreviations, as given to train: columns abbreviation, expansion.")
]


@app.command(epilog="Example: dxmatch votes ask pairs.csv --features mine.toml --dry-run")
def ask(
    pairs: PairsFile,
    features: Features = "paper17",
    model: Model = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    only: Only = None,
    dry_run: DryRun = False,
    again: Again = False,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> None:
    """Ask for every vote and pick that the pairs need and the store does not hold. Each answer is kept as it comes."""
    from ..progress import shown
    from ..votes import asking
    from ..votes.store.store import VoteStore

    jobs = _wanted(
        pairs, features, model=model, endpoints=endpoints, a=a, b=b, abbreviations=abbreviations, rejects=rejects,
        encoding=encoding, **(origin or {}),
    ).jobs(only or ())  # fmt: skip
    budget = asking.Budget(max_calls, max_cost)
    if dry_run and not store.exists():
        typer.echo("\n".join(asking.plan_lines(asking.plan(jobs, None))))
        return
    with VoteStore(store) as votes:
        if again and not dry_run:
            votes.forget_unscored(chain.from_iterable(job.questions() for job in jobs))
        planned = asking.plan(jobs, votes)
        typer.echo("\n".join(asking.plan_lines(planned)))
        summary = None
        if not dry_run:
            quiet_retries()
            with shown("Asking") as progress:
                summary = asking.ask(planned, votes, budget, progress)
        unscored = summary.unscored.total() if summary is not None else 0
        if not any(one.unknown for one in planned):
            unscored = _unscored(jobs, votes)
    said = _about_unscored(unscored, features, model, endpoints) if unscored else ""
    say_asked(*budget.summaries, more=said)


def _unscored(jobs: Sequence[Job], votes: VoteStore) -> int:
    """How many of the questions have an answer without a verdict, which is asked for anew only where one says so."""
    answers = chain.from_iterable(votes.stored(job.questions()) for job in jobs)
    return sum(answer is not None and answer.verdict is None for answer in answers)


def _about_unscored(unscored: int, features: str, model: str | None, endpoints: Path | None) -> str:
    whose = f"--features {features}" if model is None else f"--model {model}"
    whose += "" if endpoints is None else f" --endpoints {endpoints}"
    hold = "answer holds" if unscored == 1 else "answers hold"
    return f"{unscored:,} {hold} no verdict: --again asks anew; why it is so, dxmatch votes check {whose} shows."


@app.command(epilog="Example: dxmatch votes export pairs.csv --features mine.toml -o batches")
def export(
    pairs: PairsFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The folder for the batch files, one or more a model.")
    ],
    features: Features = "paper17",
    model: Model = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    only: Only = None,
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> None:
    """Write what the store does not hold as OpenAI batch files, for a batch service or vLLM's batch runner."""
    from ..files.atomic import make_folder
    from ..votes import asking
    from ..votes.store.store import VoteStore

    jobs = _wanted(
        pairs, features, model=model, endpoints=endpoints, a=a, b=b, abbreviations=abbreviations, rejects=rejects,
        encoding=encoding, **(origin or {}),
    ).jobs(only or ())  # fmt: skip
    make_folder(output)
    with VoteStore(store) as votes:
        planned = asking.plan(jobs, votes)
        typer.echo("\n".join(asking.plan_lines(planned)))
        for file in asking.export(planned, output, votes):
            typer.echo(f"Written: {file}")


@app.command("import", epilog="Example: dxmatch votes import batches/results.jsonl --store votes.sqlite")
def import_(
    files: Annotated[list[Path], typer.Argument(help="Results of batch files (.jsonl), or tables of votes.")],
    store: Store = STORE,
    a: ColumnA = "a",
    b: ColumnB = "b",
    verdict: Annotated[str, typer.Option(help="Of a table: the column of 0/1 verdicts.")] = "verdict",
    probability: Annotated[str, typer.Option(help="Of a table: the column of probabilities.")] = "probability",
    model_column: Annotated[str, typer.Option(help="Of a table: the column of the model's name.")] = "model",
    model_name: Annotated[str | None, typer.Option(help="Of a table without that column: the model's name.")] = None,
    features: Annotated[
        str,
        typer.Option(
            "--features",
            help="Of a table: the feature set whose names and codes are meant. Of batch results: the set whose prompt files were asked with.",
        ),
    ] = "offline",
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Of batch results: the trained model whose prompt files were asked with."),
    ] = None,
    changed: Annotated[
        str,
        typer.Option(
            help="Of a table: what becomes of votes that the store holds already with another verdict or probability: refuse, keep (those of the store) or replace (them)."
        ),
    ] = "refuse",
    abbreviations: Abbreviations = None,
    rejects: Rejects = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> None:
    """Take answers into the store: batch results in any order, or a table a, b, model, verdict or probability."""
    from ..errors import InputError
    from ..features.feature_set import FeatureSet
    from ..features.vote_plan import prompts_of
    from ..matcher.match_function import load
    from ..matcher.pair_votes import providers_of
    from ..votes.answer_tables import import_table
    from ..votes.batch_files import OF_CASES, import_batch, is_batch_result
    from ..votes.prompts.versions import PROMPTS
    from ..votes.store.store import VoteStore

    batches = [file for file in files if is_batch_result(file)]
    with VoteStore(store) as votes:
        if batches:
            chosen = FeatureSet.read(features) if model is None else load(model, **(origin or {})).features
            summary = import_batch(batches, votes, {**PROMPTS, **prompts_of(chosen)})
            typer.echo("\n".join(summary.lines()))
            if places := [place for what in summary.skipped if OF_CASES in what for place in summary.places[what]]:
                allowed = "with the cases and prompt that were asked: dxmatch ask CASES --prompt FILE --import RESULTS"
                raise InputError("answers to a prompt file of cases, left out", source=places[0], allowed=allowed)
        for file in files:
            if file not in batches:
                _, providers = providers_of(features, abbreviations=abbreviations)
                imported = import_table(
                    file, votes, a=a, b=b, verdict=verdict, probability=probability, model_column=model_column,
                    model=model_name, naming=providers.naming, rejects=rejects, encoding=encoding,
                    changed=changed,
                )  # fmt: skip
                typer.echo("\n".join(imported.lines()))


@app.command(epilog="Example: dxmatch votes status --store votes.sqlite")
def status(store: Store = STORE) -> list[dict[str, Any]]:
    """What the store holds: for each model and prompt, its votes, what is unscored and why, tokens, time."""
    from dataclasses import asdict

    from ..votes.store.store import VoteStore

    with VoteStore(store, must_exist=True) as votes:
        rows = votes.status()
    for line in _status_lines(rows):
        typer.echo(line)
    if not rows:
        typer.echo(f"{store} holds no answer yet.")
    return [asdict(row) for row in rows]


@app.command(
    epilog="Example: dxmatch votes check --features mine.toml    or: dxmatch votes check --endpoints my.toml -m lab:llama3.1:8b    or: dxmatch votes check --store votes.sqlite --repair repaired.sqlite"
)
def check(
    features: Annotated[
        str | None,
        typer.Option("--features", help="Ask one question of each model of this set, a TOML file or a built-in one."),
    ] = None,
    model: Annotated[
        Path | None, typer.Option("--model", help="Ask one of each model that this trained model needs.")
    ] = None,
    endpoints: Endpoints = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model-name", "-m", help="ENDPOINT:MODEL, as --endpoints or --features names it; may be repeated."
        ),
    ] = None,
    only: Only = None,
    pairs: Annotated[int, typer.Option(help="Say how long this many new pairs would take.", min=1)] = 1_000,
    as_json: Annotated[bool, typer.Option("--json", help="What came of each question, as JSON.")] = False,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            help="Check a vote store: each answer by its checksum, none missing. votes.sqlite if nothing else is to be checked.",
        ),
    ] = None,
    repair: Annotated[
        Path | None,
        typer.Option(
            help="Of a store: write a copy with every answer that proves right, and beside it the pairs whose answers are lost, where such can be named (COPY.ask-again.csv)."
        ),
    ] = None,
    origin: Origin | None = None,
) -> None:
    """Whether the models can be asked: one question to each, and what to mend where no answer comes. With --store: whether a store is whole. Leaves with 1 where anything is wrong."""
    asks = any((features, model, endpoints, models))
    whole = True
    if asks:
        from ..matcher.check_endpoints import check_endpoints
        from ..progress import shown

        quiet_retries()
        with shown("Asking") as progress:
            checked = check_endpoints(
                features, model=model, endpoints=endpoints, only=only or (), models=models or (), progress=progress,
                **(origin or {}),
            )  # fmt: skip
        whole = all(one.usable for one in checked)
        if as_json:
            typer.echo(json.dumps([one.to_dict() for one in checked], ensure_ascii=False, indent=2))
        else:
            for one in checked:
                typer.echo("\n".join(one.lines(pairs)))
            typer.echo(f"{sum(one.usable for one in checked)} of {len(checked)} work.")
    if store is None and not asks and not STORE.exists():
        raise typer.BadParameter(
            "nothing to check here: --features FILE asks its models one question each; --store FILE checks a vote store."
        )
    if store is not None or repair is not None or not asks:
        whole &= _check_store(store or STORE, repair)
    if not whole:
        raise typer.Exit(1)


def _check_store(store: Path, repair: Path | None) -> bool:
    from ..votes.store.check import check_votes

    found = check_votes(store, repair=repair)
    typer.echo("\n".join(found.lines()))
    return found.whole


@app.command(epilog="Example: dxmatch votes prompt vote-ru > mine.txt")
def prompt(
    name: Annotated[
        str | None,
        typer.Argument(help="A kind of prompt, or the name or version of a built-in one. Without it: all of them."),
    ] = None,
) -> None:
    """Print a prompt as a file, which asks the same where it is given back; or say which there are, and what a file must hold."""
    from ..votes.prompts.files import KINDS, allowed_in, file_of, named, names_of

    if name is not None:
        typer.echo(file_of(named(name)), nl=False)
        return
    for kind in KINDS:
        typer.echo(f"{kind}: {', '.join(names_of(kind))}")
        typer.echo(f"    a file: {allowed_in(kind)}")


def _wanted(pairs: Path, features: str, **options: Any) -> PairVotes:
    from ..matcher.pair_votes import PairVotes

    if options["model"] is not None and options["abbreviations"] is not None:
        raise typer.BadParameter("--abbreviations goes with --features; a model keeps its own.")
    wanted = PairVotes.read(pairs, features, **options)
    equal = int(wanted.pairs.equal.sum())
    typer.echo(
        f"{counted(wanted.n_rows, 'pair')}, {len(wanted.pairs.first):,} of them different after normalisation"
        + (f", {equal:,} of these equal on both sides: they match, and are not asked." if equal else ".")
    )
    if wanted.n_rejected:
        typer.echo(f"{counted(wanted.n_rejected, 'row')} set aside in {options['rejects']}.")
    return wanted


def _status_lines(rows: Sequence[ModelStatus]) -> Iterator[str]:
    """Each model configuration with its answers, what is unscored and why, tokens, and when."""
    for row in rows:
        who = row.config
        yield f"{who.model}, prompt {who.prompt}, parameters {who.parameters}"
        unscored = sum(row.unscored.values())
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(row.unscored.items()))
        said = f", {row.matches:,} match" if who.prompt.startswith(("vote-", IMPORTED)) else ""
        yield f"    {counted(row.answers, 'answer')}{said}, {unscored:,} unscored" + (
            f" ({reasons})" if reasons else ""
        )
        if row.repeated and not who.prompt.startswith("diagnosis-"):  # its verdict is the length of a list
            yield f"    {row.repeated:,} asked several times, {row.disagreeing:,} of them with different verdicts"
        if row.prompt_tokens or row.completion_tokens:
            yield f"    {row.prompt_tokens:,} + {row.completion_tokens:,} tokens of prompts and answers"
        yield f"    from {row.first_at:%Y-%m-%d %H:%M} to {row.last_at:%Y-%m-%d %H:%M} UTC"
