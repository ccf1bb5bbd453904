"""`dxmatch votes`: ask language models for votes and picks, live or as batch files, and keep every answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..features.vote_plan import prompts_of
from ..files.atomic import make_folder
from ..files.counted import counted
from ..files.reading import OF_TABLES, Reading
from ..matcher.check_endpoints import check_endpoints
from ..matcher.loading import Loading
from ..matcher.match_function import load
from ..matcher.pair_votes import PairVotes, providers_of
from ..options import Between, File, Serves
from ..progress import shown
from ..votes import asking as verbs
from ..votes.answer_tables import import_table
from ..votes.asking_options import Asking
from ..votes.batch_files import OF_CASES, import_batch, is_batch_result
from ..votes.prompts.files import KINDS, allowed_in, file_of, named, names_of
from ..votes.prompts.questions import IMPORTED
from ..votes.prompts.versions import PROMPTS
from ..votes.store import STORE
from ..votes.store.check import check_votes
from ..votes.store.store import VoteStore
from .command import Output, app_of, command
from .faults import WrongUsage
from .said import quiet_retries, say_asked

if TYPE_CHECKING:
    from ..votes.store.status import ModelStatus

_Tables = Annotated[Reading, Serves(*OF_TABLES)]
_Own = Annotated[Loading, Serves("revision", "identity", "encoders", "allow_download")]
_Kept = Annotated[Asking, Serves("endpoints", "store")]


def _about() -> None:
    """Votes and ICD-10 picks of language models: ask, export and import batch files, see what is known."""


votes = app_of("votes", _about)


def ask(
    pairs: File,
    *,
    features: str = "paper17",
    matcher: str | None = None,
    a: str = "a",
    b: str = "b",
    only: Sequence[str] = (),
    abbreviations: File | None = None,
    reading: _Tables = Reading(),
    loading: _Own = Loading(),
    asking: Asking = Asking(),
) -> None:
    """Ask for every vote and pick that the pairs need and the store does not hold. Each answer is kept as it comes.

    Parameters
    ----------
    pairs : path
        Pairs: a .csv, .tsv, .jsonl or .parquet file.
    features : str
        A built-in feature set, or a TOML file.
    matcher : path
        Ask what this trained model needs, in place of --features: its folder, or OWNER/NAME@COMMIT of the hub.
    a, b : str
        The columns of the two diagnoses.
    only : str
        One vote or pick of the set, by its name; may be given again.
    abbreviations : path
        Your own abbreviations, as given to train: columns abbreviation, expansion.

    Examples
    --------
    dxmatch votes ask pairs.csv --features mine.toml --dry-run
    """
    asking = replace(asking)  # what this asking came to, and no other of this process
    jobs = _wanted(
        pairs, features, matcher, a, b, abbreviations, reading, replace(loading, endpoints=asking.endpoints)
    ).jobs(only)
    store = asking.filled
    if asking.dry_run and not store.exists():
        print("\n".join(verbs.plan_lines(verbs.plan(jobs, None))))
        return
    with VoteStore(store) as kept:
        if asking.again and not asking.dry_run:
            kept.forget_unscored(chain.from_iterable(job.questions() for job in jobs))
        planned = verbs.plan(jobs, kept)
        print("\n".join(verbs.plan_lines(planned)))
        summary = None
        if not asking.dry_run:
            quiet_retries()
            with shown("Asking") as progress:
                summary = verbs.ask(planned, kept, asking.budget, progress)
        unscored = summary.unscored.total() if summary is not None else 0
        if not any(one.unknown for one in planned):
            # those have an answer without a verdict, which is asked for anew only where one says so
            answers = chain.from_iterable(kept.stored(job.questions()) for job in jobs)
            unscored = sum(answer is not None and answer.verdict is None for answer in answers)
    whose = f"--features {features}" if matcher is None else f"--matcher {matcher}"
    whose += "" if asking.endpoints is None else f" --endpoints {asking.endpoints}"
    hold = "answer holds" if unscored == 1 else "answers hold"
    why = f"{unscored:,} {hold} no verdict: --again asks anew; why it is so, dxmatch votes check {whose} shows."
    say_asked(*asking.budget.summaries, more=why if unscored else "")


def export(
    pairs: File,
    *,
    output: Output,
    features: str = "paper17",
    matcher: str | None = None,
    a: str = "a",
    b: str = "b",
    only: Sequence[str] = (),
    abbreviations: File | None = None,
    reading: _Tables = Reading(),
    loading: _Own = Loading(),
    asking: _Kept = Asking(),
) -> None:
    """Write what the store does not hold as OpenAI batch files, for a batch service or vLLM's batch runner.

    Parameters
    ----------
    pairs : path
        Pairs: a .csv, .tsv, .jsonl or .parquet file.
    output : path
        The folder for the batch files, one or more a model.
    features : str
        A built-in feature set, or a TOML file.
    matcher : path
        Export what this trained model needs, in place of --features.
    a, b : str
        The columns of the two diagnoses.
    only : str
        One vote or pick of the set, by its name; may be given again.
    abbreviations : path
        Your own abbreviations, as given to train: columns abbreviation, expansion.

    Examples
    --------
    dxmatch votes export pairs.csv --features mine.toml -o batches
    """
    jobs = _wanted(
        pairs, features, matcher, a, b, abbreviations, reading, replace(loading, endpoints=asking.endpoints)
    ).jobs(only)
    make_folder(output)
    with VoteStore(asking.filled) as kept:
        planned = verbs.plan(jobs, kept)
        print("\n".join(verbs.plan_lines(planned)))
        for file in verbs.export(planned, output, kept):
            print(f"Written: {file}")


def import_(
    files: Sequence[File],
    *,
    a: str = "a",
    b: str = "b",
    verdict: str = "verdict",
    probability: str = "probability",
    model_column: str = "model",
    model_name: str | None = None,
    features: str = "offline",
    matcher: str | None = None,
    changed: Literal["refuse", "keep", "replace"] = "refuse",
    abbreviations: File | None = None,
    reading: _Tables = Reading(),
    loading: _Own = Loading(),
    asking: Annotated[Asking, Serves("store")] = Asking(),
) -> None:
    """Take answers into the store: batch results in any order, or a table a, b, model, verdict or probability.

    Parameters
    ----------
    files : path
        Results of batch files (.jsonl), or tables of votes.
    a, b, verdict, probability, model_column : str
        Of a table: its columns.
    model_name : str
        Of a table without a column of models: the model's name.
    features : str
        Of a table: the feature set whose names and codes are meant. Of batch results: the set whose prompt files were asked with.
    matcher : path
        Of batch results: the trained model whose prompt files were asked with.
    changed : str
        Of a table: what becomes of votes that the store holds already with another verdict or probability.
    abbreviations : path
        Your own abbreviations, as given to train: columns abbreviation, expansion.

    Examples
    --------
    dxmatch votes import batches/results.jsonl --store votes.sqlite
    """
    batches = [file for file in files if is_batch_result(Path(file))]
    with VoteStore(asking.filled) as kept:
        if batches:
            chosen = FeatureSet.read(features) if matcher is None else load(matcher, loading=loading).features
            summary = import_batch(batches, kept, {**PROMPTS, **prompts_of(chosen)})
            print("\n".join(summary.lines()))
            if places := [place for what in summary.skipped if OF_CASES in what for place in summary.places[what]]:
                allowed = "with the cases and prompt that were asked: dxmatch ask CASES --prompt FILE --results RESULTS"
                raise InputError("answers to a prompt file of cases, left out", source=places[0], allowed=allowed)
        for file in (file for file in files if file not in batches):
            _, providers = providers_of(features, abbreviations=abbreviations)
            imported = import_table(
                file, kept, a=a, b=b, verdict=verdict, probability=probability, model_column=model_column, model=model_name,
                naming=providers.naming, rejects=reading.rejects, encoding=reading.encoding, changed=changed,
            )  # fmt: skip
            print("\n".join(imported.lines()))


def status(*, asking: Annotated[Asking, Serves("store")] = Asking()) -> list[dict[str, Any]]:
    """Say what the store holds: for each model and prompt, its votes, what is unscored and why, tokens, time.

    Examples
    --------
    dxmatch votes status --store votes.sqlite
    """
    with VoteStore(asking.filled, must_exist=True) as kept:
        rows = kept.status()
    for line in _status_lines(rows):
        print(line)
    if not rows:
        print(f"{asking.filled} holds no answer yet.")
    return [asdict(row) for row in rows]


def check(
    *,
    features: str | None = None,
    matcher: str | None = None,
    models: Sequence[str] = (),
    only: Sequence[str] = (),
    pairs: Annotated[int, Between(1)] = 1_000,
    repair: Output | None = None,
    asking: _Kept = Asking(),
) -> list[dict[str, Any]]:
    """Say whether models can be asked, with one question to each, or whether a vote store is whole. Leaves with 1 where anything is wrong.

    Parameters
    ----------
    features : str
        Ask one question of each model of this set, a TOML file or a built-in one.
    matcher : path
        Ask one of each model that this trained model needs.
    models : str
        ENDPOINT:MODEL, as --endpoints or --features names it; may be given again.
    only : str
        One vote or pick of the set, by its name; may be given again.
    pairs : int
        Say how long this many new pairs would take.
    repair : path
        Of a store: write a copy with every answer that proves right, and beside it the pairs whose answers are lost (COPY.ask-again.csv).

    Examples
    --------
    dxmatch votes check --features mine.toml
    dxmatch votes check --endpoints my.toml -m lab:llama3.1:8b
    dxmatch votes check --store votes.sqlite --repair repaired.sqlite
    """
    asks, document = any((features, matcher, asking.endpoints, models)), []
    whole = True
    if asks:
        quiet_retries()
        checked = check_endpoints(features, matcher=matcher, only=only, models=models, endpoints=asking.endpoints)
        whole = all(one.usable for one in checked)
        document = [one.to_dict() for one in checked]
        for one in checked:
            print("\n".join(one.lines(pairs)))
        print(f"{sum(one.usable for one in checked)} of {len(checked)} work.")
    elif asking.store is None and not STORE.exists():
        raise WrongUsage(
            "nothing to check here: --features FILE asks its models one question each; --store FILE checks a vote store."
        )
    if asking.store is not None or repair is not None or not asks:
        found = check_votes(asking.filled, repair=repair)
        print("\n".join(found.lines()))
        whole &= found.whole
    if not whole:
        raise SystemExit(1)
    return document


def prompt(name: str | None = None) -> None:
    """Print a prompt as a file, which asks the same where it is given back; or say which there are, and what a file must hold.

    Parameters
    ----------
    name : str
        A kind of prompt, or the name or version of a built-in one; all of them if not given.

    Examples
    --------
    dxmatch votes prompt vote-ru > mine.txt
    """
    if name is not None:
        print(file_of(named(name)), end="")
        return
    for kind in KINDS:
        print(f"{kind}: {', '.join(names_of(kind))}")
        print(f"    a file: {allowed_in(kind)}")


for _run, _given in (
    (ask, "pairs"),
    (export, "pairs"),
    (import_, "files"),
    (status, ""),
    (check, ""),
    (prompt, "name"),
):
    votes.command(command(given=(_given,) if _given else (), stdout=None)(_run))


def _wanted(
    pairs: Any, features: str, matcher: Any, a: str, b: str, abbreviations: Any, reading: Reading, loading: Loading
) -> PairVotes:
    if matcher is not None and abbreviations is not None:
        raise WrongUsage("--abbreviations goes with --features; a model keeps its own.")
    wanted = PairVotes.read(
        pairs,
        features,
        matcher=matcher,
        a=a,
        b=b,
        abbreviations=abbreviations,
        reading=reading,
        loading=loading,
    )
    equal = int(wanted.pairs.equal.sum())
    print(
        f"{counted(wanted.n_rows, 'pair')}, {len(wanted.pairs.first):,} of them different after normalisation"
        + (f", {equal:,} of these equal on both sides: they match, and are not asked." if equal else ".")
    )
    if wanted.n_rejected:
        print(f"{counted(wanted.n_rejected, 'row')} set aside in {reading.rejects}.")
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
