"""Scoring from Parquet to Parquet: plan, finished parts, texts, engine, one result."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import pyarrow as pa

from ..errors import InputError, OptionError
from ..features.compute import prepare
from ..features.coverage import MIN_COVERAGE, Coverage, check_coverage, check_least
from ..files.parquet_file import read_parquet
from ..files.tables import check_output, write_tables
from ..matcher.match_function import MatchFunction, load
from ..matcher.origin import Origin, with_origin
from ..matcher.policy import SPECIFICATION
from ..matcher.relation import prepare_relations
from . import local
from .checkpoint import Checkpoint, finished_output
from .parts import ChunkResult, Merge
from .plan import CHUNK_ROWS, Job, Options, plan_job
from .source import Chunk, parquet_files
from .texts import Texts, check_votes, find_texts

ENGINES = ("local", "ray")
Report = Callable[[int, int], None]
Shown = Callable[[str, int], AbstractContextManager[Report]]
"""Given what is done and how much of it was done before, shows how far it has come, as `progress.shown` does."""


@dataclass(frozen=True)
class Summary:
    """What came of a job.

    pairs : rows that were scored. matches : of them. rejected : rows that were left out.
    coverage : the share of these rows that each feature is known for.
    unscored : of the pairs, those with a diagnosis that is not understood; their probability is null.
    chunks : in all. resumed : how many of them were there already.
    threshold, model : of the match function. asked : the names of its votes and picks.
    """

    pairs: int
    matches: int
    rejected: int
    coverage: Coverage
    chunks: int
    resumed: int
    threshold: float
    model: str
    unscored: int = 0
    asked: Sequence[str] = ()


@with_origin
def score_files(
    source: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    model: str | os.PathLike[str] | None = None,
    store: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    min_coverage: float = MIN_COVERAGE,
    a: str = "a",
    b: str = "b",
    features: bool = False,
    shap: bool = False,
    rejects: str | os.PathLike[str] | None = None,
    engine: str = "local",
    workers: int | None = None,
    chunk_rows: int = CHUNK_ROWS,
    restart: bool = False,
    policy: str = SPECIFICATION,
    relation: bool = False,
    threshold: float | None = None,
    judge_all: bool = False,
    shown: Shown | None = None,
    **origin: Unpack[Origin],
) -> Summary:
    """Adds `probability` and `match` to each pair of a Parquet file, or of all those in a folder.

    Where the model has a vocabulary, also `not_understood` and `read_as`, whether any row has something there or not: the
    columns of a result do not depend on its rows.

    The result does not depend on the engine, the workers or on interruptions: it is byte-identical.

    Parameters
    ----------
    source
        A .parquet file, or a folder of them.
    output
        A .parquet file, or a folder that gets one part for each chunk. It appears when all of it is there; until then
        finished chunks are kept in a checkpoint directory beside it, named like it with ".parts", and the same call goes
        on with them.
    model, store, endpoints, min_coverage
        As `load` takes them.
    a, b
        The columns of the two diagnoses.
    features, shap
        Add a column for each feature, and for what each adds to the log-odds (`MatchFunction.score`).
    rejects
        A file for the rows that cannot be right; without it the first of them is an `InputError`.
    engine
        "local", the cores of this machine; "ray", those of a Ray cluster that sees the same files.
    workers
        Chunks under way at once; each takes one core.
    chunk_rows
        At most so many rows in a chunk.
    restart
        Another job's parts at the same place are removed.
    policy
        Which relations count as a match, as `load` takes it. Another policy is another job: it never goes on with the first one's parts.
    relation
        Add `relation` and the probability of each relation (`MatchFunction.score`).
    threshold
        The probability from which a pair is a match, in [0, 1]; the model's own if not given. Another threshold is another job.
    judge_all
        Scores pairs with a diagnosis that is not understood, too, as `load` does.
    origin
        encoders, allow_download, identity and signed_by, as `load` takes them.
    shown
        Shows how far each step has come.

    Raises
    ------
    DxmatchError
        With the file and the rows; finished chunks stay.
    """
    source, output = Path(source), Path(output)
    store, endpoints, rejects = (None if p is None else Path(p) for p in (store, endpoints, rejects))
    check_least(min_coverage)
    if engine not in ENGINES:
        raise OptionError("engine", " or ".join(ENGINES), engine)
    if workers is not None and workers < 1:
        raise OptionError("workers", "a number of chunks, at least 1", workers)
    if rejects is not None:
        check_output(rejects)
    to_file = output.suffix.lower() == ".parquet"
    _check_places(source, output)
    m = load(
        model, store=store, endpoints=endpoints, min_coverage=min_coverage, policy=policy, judge_all=judge_all, **origin
    )  # fmt: skip
    m.threshold = m.threshold_or(threshold)
    model = m.fetched_from or (None if model is None else Path(model))
    options = Options(a, b, features, shap, rejects is not None, chunk_rows, judge_all, policy, relation, threshold)
    folder = output.with_name(f"{output.name}.parts")
    job = plan_job(
        source, folder, m, options, model=model, store=store, endpoints=endpoints, origin=origin, workers=workers
    )
    if (
        not to_file
        and (there := finished_output(job, output, restart=restart, threads=workers or local.cores())) is not None
    ):
        return _summary(m, job, there, len(there))
    with Checkpoint(job, restart=restart) as checkpoint:
        resumed = len(checkpoint.finished)
        try:
            with Merge(job) if to_file else nullcontext() as merge:
                _score(job, m, checkpoint, merge, engine, shown or (lambda what, before: nullcontext(lambda done, total: None)))  # fmt: skip
                summary = _summary(m, job, checkpoint.finished, resumed)
                if rejects is not None and summary.rejected:
                    write_tables(_rejected(job, checkpoint.finished), rejects)
                if not summary.pairs:
                    checkpoint.finished.clear()
                    raise InputError(f"all {job.rows:,} rows were refused; see {rejects}", source=str(source))
                check_coverage(summary.coverage, m.features, m.min_coverage, m.providers.store)
            for state in job.inputs.values():
                state.check(here=True)
            if merge is None:
                checkpoint.publish(output)
            else:
                merge.publish(output)
                checkpoint.remove()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(job, checkpoint.finished)) from None
    return summary


def _score(job: Job, m: MatchFunction, checkpoint: Checkpoint, merge: Merge | None, engine: str, shown: Shown) -> None:
    """Finishes the chunks that are not, and merges all where they are to be merged."""
    todo = [chunk for chunk in job.chunks if chunk.number not in checkpoint.finished]
    done = job.rows - sum(chunk.rows for chunk in todo)
    texts = _prepared(job, m, todo, list(checkpoint.finished.values()), shown) if todo else None
    with shown("Scoring pairs", done) as progress:

        def report(result: ChunkResult) -> None:
            nonlocal done
            checkpoint.add(result)
            if merge is not None:
                merge.add(result)
            done += result.rows
            progress(done, job.rows)

        if merge is not None:
            for result in checkpoint.finished.values():
                merge.add(result)
        if todo and engine == "ray":
            from . import ray_engine

            ray_engine.run(job, texts, todo, report)
        elif todo:
            local.run(job, texts, todo, report, m)


def _prepared(
    job: Job, m: MatchFunction, todo: Sequence[Chunk], finished: Sequence[ChunkResult], shown: Shown
) -> Texts | None:
    """The texts of the chunks, checked and prepared; None where there are too many to hold."""
    threads = job.workers or local.cores()
    with shown("Reading texts", 0) as progress:
        found = find_texts(job, todo, threads, progress)
    if found is None:
        return None
    texts = Texts.of(found, m.providers)
    if m.features.asked:
        with shown("Looking votes up", 0) as progress:
            check_votes(job, m, texts, todo, finished, threads, progress)
    with shown("Preparing names", 0) as progress:
        prepare(texts.names, m.features, progress=progress)
        if job.options.relation or m.policy != SPECIFICATION:
            prepare_relations(m, texts.names)
    return texts


def _check_places(source: Path, output: Path) -> None:
    """Errors: `InputError` for an output that is, holds or lies in the input, or has no folder to lie in."""
    to_file = output.suffix.lower() == ".parquet"
    if source.is_dir():
        parquet_files(source)
    here, there = source.resolve(), output.resolve()
    if not to_file and output.suffix and not output.is_dir():
        raise InputError("an output of an unknown kind", source=str(output), allowed="a .parquet file, or a folder", got=output.suffix)  # fmt: skip
    if to_file and output.is_dir():
        problem, allowed = "a folder is there", "a file, or a folder without that suffix"
    elif not to_file and output.is_file():
        problem, allowed = "a file is there", "a .parquet file, or a folder"
    elif not output.parent.is_dir():
        problem, allowed = "the folder for the output is absent", "an existing folder"
    elif here == there or here in there.parents or there in here.parents:
        problem, allowed = "the output is the input, or one lies in the other", "another place"
    else:
        return
    raise InputError(problem, source=str(output), allowed=allowed)


def _summary(m: MatchFunction, job: Job, results: Mapping[int, ChunkResult], resumed: int) -> Summary:
    rejected = sum(result.rejected for result in results.values())
    pairs = job.rows - rejected
    known = [sum(counts) for counts in zip(*(result.known for result in results.values()), strict=True)]
    coverage = {name: count / max(pairs, 1) for name, count in zip(m.features.names, known, strict=True)}
    matches = sum(result.matches for result in results.values())
    unscored = sum(result.unscored for result in results.values())
    asked = [feature.name for feature in m.features.asked]
    return Summary(pairs, matches, rejected, coverage, len(job.chunks), resumed, m.threshold, m.name, unscored, asked)


def _rejected(job: Job, results: Mapping[int, ChunkResult]) -> Iterator[pa.Table]:
    for chunk in job.chunks:
        if results[chunk.number].rejected:
            yield read_parquet(job.rejects(chunk))


def _kept(job: Job, finished: Mapping[int, ChunkResult]) -> str:
    if not finished:
        return "interrupted before the first chunk was finished; nothing half-written is left."
    return (
        f"interrupted; {len(finished):,} of {len(job.chunks):,} chunks are kept in {job.folder}. "
        "Run the same command again to go on."
    )
