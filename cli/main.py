"""The command line. Each command reads its options, calls one function of the package, and says what came of it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .audit import audit, explain
from .evaluate import evaluate, metrics, reasoning
from .icd import icd
from .options import ColumnA, ColumnB, Endpoints, MinCoverage, Rejects, Store, say_rejected
from .score import score
from .suggest import labels, suggest
from .votes import app as votes

app = typer.Typer(
    name="dxmatch",
    help="Do two free-text diagnoses name the same disease, and how well does an algorithm agree with a panel of experts?",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    epilog="Begin with: dxmatch demo",
)

app.add_typer(votes)

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the model that stands at the output.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from .. import __version__

        typer.echo(f"dxmatch {__version__}")
        raise typer.Exit


@app.callback()
def root(
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and leave.", is_eager=True, callback=_show_version)
    ] = False,
) -> None:
    # --debug is read by `main`, wherever it stands; it is declared here for the help.
    del debug, version


@app.command(epilog="Example: dxmatch demo --output demo")
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder for what it makes.")] = Path(
        "dxmatch-demo"
    ),
) -> None:
    """Train, score, evaluate and map to ICD-10 on the bundled example, in under a minute."""
    from ..files.atomic import make_folder

    make_folder(output)
    example = Path(__file__).parents[1] / "example"
    pairs, lists = example / "pairs.csv", example / "lists.csv"
    model, held_out, scored = output / "model", output / "held_out.csv", output / "scored.csv"
    report, numbers = output / "report.html", output / "report.json"

    _step(
        "1. Train a match function on pairs that three experts labelled.",
        f"train {pairs} -o {model} --held-out {held_out}",
    )
    train(pairs, model, held_out=held_out, overwrite=True)
    _step("2. Score the pairs it has not seen.", f"score {held_out} -o {scored} --model {model} --features")
    score(held_out, scored, model=model, features=True)
    _step("3. Map free text to ICD-10.", 'icd "heart attack" "acute MI" I21 "sugar diabetes, type II"')
    icd(["heart attack", "acute MI", "I21", "sugar diabetes, type II"])
    _step(
        "4. Compare an algorithm with the experts, with the match function that ships.",
        f"evaluate {lists} --no-diagnosis none -o {report} --json {numbers}",
    )
    evaluate(lists, report, json=numbers, no_diagnosis=["none"])
    typer.echo(f"\nOpen the report: {report.resolve()}")


app.command(
    epilog="Example: dxmatch score pairs.parquet -o scored.parquet --a expert --b algorithm    or: dxmatch score folder -o scored --workers 16"
)(score)


@app.command(epilog="Example: dxmatch train labelled.csv -o my-model --held-out held_out.csv")
def train(
    pairs: Annotated[Path, typer.Argument(help="Labelled pairs: a, b, and label (0/1) or label_<expert> columns.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to make.")],
    features: Annotated[str, typer.Option(help="A built-in feature set, or a TOML file.")] = "offline",
    engine: Annotated[str, typer.Option(help='lightgbm; or autogluon, which searches (extra "automl").')] = "lightgbm",
    time_limit: Annotated[float, typer.Option(help="Seconds that autogluon may search; twice with --refit.")] = 3600.0,
    a: ColumnA = "a",
    b: ColumnB = "b",
    label: Annotated[
        str, typer.Option(help="The column of 0/1 labels, or the prefix of one column per expert.")
    ] = "label",
    soft: Annotated[
        str | None,
        typer.Option(
            help="A column with the share of votes for a match, 0 to 1, to learn from; or the --label of expert columns."
        ),
    ] = None,
    weight: Annotated[str | None, typer.Option(help="A column of positive weights.")] = None,
    contained: Annotated[
        str,
        typer.Option(
            help="Pairs labelled 0 though one side's words contain the other's (leukemia, acute leukemia): keep, set-aside or match."
        ),
    ] = "keep",
    extra: Annotated[
        list[Path] | None,
        typer.Option(help="More labelled pairs (a, b, label) to learn from, never to measure on. May be repeated."),
    ] = None,
    extra_weight: Annotated[
        float, typer.Option(help="How much one extra pair counts beside one of the experts'.")
    ] = 0.5,
    encoder: Annotated[Path | None, typer.Option(help="A folder with your own static encoder.")] = None,
    store: Store = None,
    endpoints: Endpoints = None,
    min_coverage: MinCoverage = 0.9,
    about: Annotated[Path | None, typer.Option(help="A text for the model's card: purpose, sources, limits.")] = None,
    group: Annotated[
        str | None, typer.Option(help="The column of the reference diagnosis; column a if not given.")
    ] = None,
    test_share: Annotated[float, typer.Option(help="The share of references held out to measure on.")] = 0.2,
    folds: Annotated[int, typer.Option(help="Cross-validation folds over references.")] = 5,
    threshold: Annotated[
        str | None,
        typer.Option(help="How the threshold is chosen: minimax_f1 (holds for any share of matches), max_f1 or half."),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="The threshold that reaches precision=0.95, or recall=0.9, out of fold.")
    ] = None,
    prevalence: Annotated[
        float | None,
        typer.Option(
            help="The share of matches where the model will be used, if it is not that of the labelled pairs."
        ),
    ] = None,
    refit: Annotated[
        bool, typer.Option("--refit", help="After measuring, train again with the held-out references too.")
    ] = False,
    abbreviations: Annotated[
        Path | None, typer.Option(help="Your own abbreviations: a table with the columns abbreviation, expansion.")
    ] = None,
    held_out: Annotated[
        Path | None, typer.Option(help="Write the rows of the held-out references to this file.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of splits, training and resampling.")] = 0,
    rejects: Rejects = None,
    overwrite: Overwrite = False,
) -> None:
    """Train a match function on pairs that experts labelled; no reference diagnosis is on both sides of a split."""
    from ..features.coverage import coverage_words
    from ..files.atomic import read_text
    from ..files.tables import check_output, write_table
    from ..models.folder import check_target
    from ..progress import shown
    from ..terms.text.abbreviations import read_abbreviations
    from ..training.extra import Extra
    from ..training.recipe import Recipe
    from ..training.summary import print_training
    from ..training.train import fit

    if target is not None and threshold is not None:
        raise typer.BadParameter("give --threshold or --target, not both")
    check_target(output, overwrite=overwrite)
    if held_out is not None:
        check_output(held_out)
    recipe = Recipe(
        features=features, engine=engine, a=a, b=b, label=label, soft=soft, weight=weight,
        group=group, contained=contained, test_share=test_share, folds=folds, threshold_rule=target or threshold,
        prevalence=prevalence, time_limit=time_limit, refit=refit, seed=seed, rejects=rejects,
        abbreviations=None if abbreviations is None else read_abbreviations(abbreviations),
        extra=[Extra(path, extra_weight) for path in extra] if extra else None,
        store=store, endpoints=endpoints, min_coverage=min_coverage,
        encoder=encoder, about="" if about is None else read_text(about), name=output.resolve().name,
    )  # fmt: skip
    with shown("Training") as progress:
        result = fit(pairs, recipe, progress=progress)
    result.matcher.save(output, overwrite=overwrite)
    if held_out is not None:
        write_table(result.held_out_rows, held_out)
    print_training(result.matcher, output)
    for warning in result.warnings:
        typer.echo(f"dxmatch: warning: {warning}", err=True)
    typer.echo(coverage_words(result.coverage))
    say_rejected(result.n_rejected, rejects)


app.command(epilog="Example: dxmatch evaluate lists.csv --algorithm gpt4 -o report.html --json report.json")(evaluate)
app.command(
    epilog='Example: dxmatch icd "heart attack" "acute MI"    or: dxmatch icd strings.csv --column diagnosis -o codes.csv'
)(icd)


app.command(epilog="Example: dxmatch audit held_out.csv --model my-model -o audit")(audit)
app.command(epilog='Example: dxmatch explain "heart attack" "acute MI" -o why.svg')(explain)
app.command(epilog="Example: dxmatch suggest pool.csv -n 200 -o round-1 --experts anna,ben,carl")(suggest)
app.command(epilog="Example: dxmatch labels round-1 -o labelled.csv --open ties.csv")(labels)
app.command(epilog="Example: dxmatch reasoning graphs notes predictions -o reasoning.csv")(reasoning)
app.command(epilog="Example: dxmatch metrics")(metrics)


def _step(what: str, command: str) -> None:
    typer.echo(f"\n{what}\n$ dxmatch {command}")


def main() -> None:
    """Runs the command line: exit code 0 done, 1 the data or a provider failed, 2 wrong usage."""
    from ..errors import DxmatchError

    debug = "--debug" in sys.argv
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != "--debug"]
    try:
        app()
    except DxmatchError as error:
        if debug:
            raise
        typer.echo(f"dxmatch: {error}", err=True)
        raise SystemExit(1) from None
    except KeyboardInterrupt as error:
        if debug:
            raise
        typer.echo(
            f"dxmatch: {error}" if str(error) else "dxmatch: interrupted; nothing half-written is left.", err=True
        )
        raise SystemExit(130) from None
    except MemoryError:
        typer.echo("dxmatch: out of memory; score the file in parts.", err=True)
        raise SystemExit(1) from None
