"""`dxmatch train`: pairs that experts labelled to a model folder."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from .options import ColumnA, ColumnB, Encoding, Endpoints, MinCoverage, Rejects, Store, say_rejected
from .origin import AllowDownload

Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace the model that stands at the output.")]


def train(
    pairs: Annotated[
        list[Path],
        typer.Argument(help="Labelled pairs, one file or more: a, b, and label (0/1) or label_<expert> columns."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to make.")],
    features: Annotated[str, typer.Option(help="A built-in feature set, or a TOML file.")] = "offline",
    engine: Annotated[
        str,
        typer.Option(
            help='lightgbm; or autogluon, which searches for an hour and gained little where we measured it (extra "automl").'
        ),
    ] = "lightgbm",
    time_limit: Annotated[
        float,
        typer.Option(
            help="Seconds that autogluon may search, which is not the whole run (some 5 minutes more); twice with --refit."
        ),
    ] = 3600.0,
    models: Annotated[
        str,
        typer.Option(
            help="What autogluon tries: GBM, or more families such as GBM,CAT,XGB,RF,XT,NN_TORCH, or default (all of its own). M is LightGBM (GBM); the card says where another family wins."
        ),
    ] = "GBM",
    drop_correlated: Annotated[
        float | None,
        typer.Option(
            help="Train without features whose rank correlation with a better one is that strong: 0.9. The card names them."
        ),
    ] = None,
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
    on_conflict: Annotated[
        str,
        typer.Option(
            help="A pair with two labels: refuse; majority (the rows that say what most of its rows do; none of a tie); or drop."
        ),
    ] = "refuse",
    extra: Annotated[
        list[Path] | None,
        typer.Option(help="More labelled pairs (a, b, label) to learn from, never to measure on. May be repeated."),
    ] = None,
    extra_weight: Annotated[
        float, typer.Option(help="How much one extra pair counts beside one of the experts'.")
    ] = 0.5,
    encoder: Annotated[Path | None, typer.Option(help="A folder with your own static encoder.")] = None,
    keep_encoders: Annotated[
        bool,
        typer.Option(
            "--keep-encoders",
            help="The model folder also holds sentence-transformers encoders that lie in folders, so that it can be moved.",
        ),
    ] = False,
    store: Store = None,
    endpoints: Endpoints = None,
    allow_download: AllowDownload = False,
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
    seed: Annotated[int, typer.Option(help="Random seed for the splits, the training and the resampling.")] = 0,
    rejects: Rejects = None,
    encoding: Encoding = None,
    overwrite: Overwrite = False,
) -> dict[str, Any]:
    """Train a match function on pairs that experts labelled; no reference diagnosis is on both sides of a split."""
    from ..features.coverage import coverage_words
    from ..files.atomic import read_text
    from ..files.invisible import read_visible
    from ..files.tables import check_output, write_table
    from ..models.folder import check_target
    from ..progress import shown
    from ..terms.text.abbreviations import read_abbreviations
    from ..training.card import print_training
    from ..training.engines.search_words import forecast_words
    from ..training.examples import Extra
    from ..training.recipe import Recipe
    from ..training.train import fit

    if target is not None and threshold is not None:
        raise typer.BadParameter("give --threshold or --target, not both")
    check_target(output, overwrite=overwrite)
    if held_out is not None:
        check_output(held_out)
    recipe = Recipe(
        features=features, engine=engine, a=a, b=b, label=label, soft=soft, weight=weight,
        group=group, contained=contained, on_conflict=on_conflict, test_share=test_share, folds=folds, threshold_rule=target or threshold,
        prevalence=prevalence, time_limit=time_limit, models=models, drop_correlated=drop_correlated, refit=refit, seed=seed, rejects=rejects,
        abbreviations=None if abbreviations is None else read_abbreviations(abbreviations),
        extra=[Extra(path, extra_weight) for path in extra] if extra else None,
        store=store, endpoints=endpoints, allow_download=allow_download, min_coverage=min_coverage,
        encoder=encoder, keep_encoders=keep_encoders, about="" if about is None else read_text(about), name=output.resolve().name,
    )  # fmt: skip
    if engine != "lightgbm":
        typer.echo(f"dxmatch: {forecast_words(time_limit, refit)}", err=True)
    with shown("Training") as progress:
        tables = [read_visible(path, encoding, set_aside=rejects is not None) for path in pairs]
        result = fit(tables, recipe, progress=progress)
    result.matcher.save(output, overwrite=overwrite)
    if held_out is not None:
        write_table(result.held_out_rows, held_out)
    for warning in result.warnings:
        warnings.warn(warning, stacklevel=1)
    print_training(result.matcher, output)
    typer.echo(coverage_words(result.coverage))
    say_rejected(result.n_rejected, rejects)
    m = result.matcher
    return {
        "model": str(output), "identity": m.identity, "threshold": m.threshold, "metrics": m.metrics, "data": m.data,
        "coverage": dict(result.coverage), "rejected": result.n_rejected, "warnings": list(result.warnings),
    }  # fmt: skip
