"""Scoring from Parquet to Parquet: plan, finished parts, vocabulary, engine, one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from ..errors import InputError, OptionError
from ..features.compute import prepare
from ..features.coverage import MIN_COVERAGE, Coverage, check_coverage, check_least
from ..files.parquet_file import read_parquet
from ..files.tables import check_output, write_tables
from ..matcher.match_function import MatchFunction, load
from ..models.shipped import SHIPPED_MODEL
from . import local
from .gathering import Gathering
from .parts import ChunkResult
from .plan import CHUNK_ROWS, Chunk, Job, Options, plan_job
from .vocabulary import Vocabulary, find_texts, first_refused
from .votes_known import check_votes
from .work_folder import WorkFolder, finished_output, publish, tidy

ENGINES = ("local", "ray")
Report = Callable[[int, int], None]
Shown = Callable[[str, int], AbstractContextManager[Report]]
"""Given what is done and how much of it was done before, shows how far it has come, as `features.progress.shown` does."""


@dataclass(frozen=True)
class Summary:
    """What came of a job.

    pairs : rows that were scored. matches : of them. rejected : rows that were set aside.
    coverage : the share of the scored rows that each feature is known for.
    chunks : in all. resumed : how many of them were there already.
    threshold, model : of the match function.
    """

    pairs: int
    matches: int
    rejected: int
    coverage: Coverage
    chunks: int
    resumed: int
    threshold: float
    model: str


def score_files(
    source: Path,
    output: Path,
    *,
    model: Path | None = None,
    store: Path | None = None,
    endpoints: Path | None = None,
    min_coverage: float = MIN_COVERAGE,
    a: str = "a",
    b: str = "b",
    features: bool = False,
    shap: bool = False,
    rejects: Path | None = None,
    engine: str = "local",
    workers: int | None = None,
    chunk_rows: int = CHUNK_ROWS,
    restart: bool = False,
    shown: Shown | None = None,
) -> Summary:
    """Adds `probability` and `match` to each pair of a Parquet file, or of all those in a folder.

    output : a .parquet file, or a folder that gets one part for each chunk. It appears when all of it is there; until then
        finished chunks are kept in a folder beside it, named like it with ".parts", and the same call goes on with them.
    features, shap : add a column for each feature, and for what each adds to the log-odds (`MatchFunction.score`).
    rejects : a file for the rows that cannot be right; without it the first of them is an `InputError`.
    engine : "local", the cores of this machine; "ray", those of a Ray cluster that sees the same files.
    workers : chunks under way at once; each takes one core. chunk_rows : at most so many rows in a chunk.
    restart : another job's parts at the same place are removed.

    The result does not depend on the engine, the workers or on interruptions, to the byte.

    Errors: `DxmatchError`, with the file and the rows; finished chunks stay.
    """
    check_least(min_coverage)
    if engine not in ENGINES:
        raise OptionError("engine", " or ".join(ENGINES), engine)
    if workers is not None and workers < 1:
        raise OptionError("workers", "a number of chunks, at least 1", workers)
    if rejects is not None:
        check_output(rejects)
    _check_places(source, output)
    m = load(model, store=store, endpoints=endpoints, min_coverage=min_coverage)
    options = Options(a, b, features, shap, rejects is not None, chunk_rows)
    folder = output.with_name(f"{output.name}.parts")
    job = plan_job(
        source, folder, m, model or SHIPPED_MODEL, options, store=store, endpoints=endpoints, workers=workers
    )
    shown = shown or (lambda what, before: nullcontext(lambda done, total: None))
    if output.suffix.lower() != ".parquet":
        there = finished_output(job, output, restart=restart)
        if there is not None:
            tidy(output)
            return _summary(m, job, there, len(there))
    with WorkFolder(job, restart=restart) as work:
        try:
            if output.suffix.lower() != ".parquet":
                summary = _run(job, m, work, source, rejects, engine, shown)
                publish(job, output)
                return summary
            with Gathering(job) as gathering:
                summary = _run(job, m, work, source, rejects, engine, shown, gathering)
                gathering.publish(output)
            work.remove()
            return summary
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(job, work)) from None


def _run(
    job: Job,
    m: MatchFunction,
    work: WorkFolder,
    source: Path,
    rejects: Path | None,
    engine: str,
    shown: Shown,
    gathering: Gathering | None = None,
) -> Summary:
    resumed = len(work.finished)
    finished = (lambda numbers: None) if gathering is None else gathering.add
    finished(work.finished)
    if todo := [chunk for chunk in job.chunks if chunk.number not in work.finished]:
        _score(job, m, todo, work, finished, engine, shown)
    summary = _summary(m, job, work.finished, resumed)
    if rejects is not None and summary.rejected:
        write_tables(_rejected(job, work.finished), rejects)
    if not summary.pairs:
        work.finished.clear()
        raise InputError(f"all {job.rows:,} rows were refused; see {rejects}", source=str(source))
    check_coverage(summary.coverage, m.features, m.min_coverage)
    return summary


def _score(
    job: Job,
    m: MatchFunction,
    todo: Sequence[Chunk],
    work: WorkFolder,
    finished: Callable[[Iterable[int]], None],
    engine: str,
    shown: Shown,
) -> None:
    threads = job.workers or local.cores()
    with shown("Reading texts", 0) as progress:
        found = find_texts(job, todo, threads, progress)
    vocabulary = None
    if found.texts is not None:
        vocabulary = Vocabulary.of(found.texts, m.providers)
        # A text of a dictionary that no row has is no reason to stop, so the row is looked for.
        suspect = bool(found.nulls or vocabulary.refused) and not job.options.set_aside
        if suspect and (error := first_refused(job, todo, vocabulary)) is not None:
            raise error
        if m.features.asked:
            with shown("Looking votes up", 0) as progress:
                check_votes(job, m, vocabulary, todo, work.finished.values(), found.held, threads, progress)
        with shown("Preparing names", 0) as progress:
            prepare(vocabulary.texts, m.features, progress=progress)
    done = sum(chunk.rows for chunk in job.chunks) - sum(chunk.rows for chunk in todo)
    with shown("Scoring pairs", done) as progress:

        def report(result: ChunkResult) -> None:
            nonlocal done
            work.record(result)
            finished([result.number])
            done += result.rows
            progress(done, job.rows)

        if engine == "ray":
            from . import ray_engine

            found.held.clear()
            ray_engine.run(job, vocabulary, todo, report)
        else:
            local.run(job, vocabulary, todo, report, m=m, held=found.held)


def _check_places(source: Path, output: Path) -> None:
    """Errors: `InputError` for an output that is, holds or lies in the input, or has no folder to lie in."""
    if output.suffix.lower() not in ("", ".parquet") and not output.is_dir():
        raise InputError("an output of an unknown kind", source=str(output), allowed="a .parquet file, or a folder", got=output.suffix)  # fmt: skip
    if output.suffix.lower() == ".parquet" and output.is_dir():
        raise InputError("a folder is there", source=str(output), allowed="a file, or a folder without that suffix")
    if output.suffix.lower() != ".parquet" and output.is_file():
        raise InputError("a file is there", source=str(output), allowed="a .parquet file, or a folder")
    if not output.parent.is_dir():
        raise InputError("the folder for the output is absent", source=str(output), allowed="an existing folder")
    here, there = source.resolve(), output.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise InputError(
            "the output is the input, or one lies in the other", source=str(output), allowed="another place"
        )


def _summary(m: MatchFunction, job: Job, results: dict[int, ChunkResult], resumed: int) -> Summary:
    rejected = sum(result.rejected for result in results.values())
    pairs = job.rows - rejected
    known = [sum(counts) for counts in zip(*(result.known for result in results.values()), strict=True)]
    coverage = {name: count / max(pairs, 1) for name, count in zip(m.features.names, known, strict=True)}
    matches = sum(result.matches for result in results.values())
    return Summary(pairs, matches, rejected, coverage, len(job.chunks), resumed, m.threshold, m.name)


def _rejected(job: Job, results: dict[int, ChunkResult]) -> Iterator[pa.Table]:
    for chunk in job.chunks:
        if results[chunk.number].rejected:
            yield read_parquet(job.rejects(chunk))


def _kept(job: Job, work: WorkFolder) -> str:
    if not work.finished:
        return "interrupted before the first chunk was finished; nothing half-written is left."
    return (
        f"interrupted; {len(work.finished):,} of {len(job.chunks):,} chunks are kept in {job.folder}. "
        "Run the same command again to go on."
    )
