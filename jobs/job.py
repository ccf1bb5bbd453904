"""Scoring files: a table at once; from Parquet to Parquet a plan, the texts once, a part for each chunk, one result."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Annotated, Any, TypeVar

import numpy as np
import pyarrow as pa

from ..errors import DxmatchError, InputError, OptionError, warn
from ..features.compute import Coverage, check_coverage, prepare, shares
from ..features.names import Names
from ..files.atomic import make_folder, whole_file
from ..files.pairs import Pairs, read_pairs
from ..files.parquet_file import read_parquet
from ..files.reading import OF_TABLES, Reading
from ..files.tables import check_output, write_table, write_tables
from ..files.wording import counted
from ..matcher.batch import Added, Batch
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..matcher.protocol import loaded
from ..options import File, Output, checked
from ..progress import say, shown
from ..settings import cores
from .plan import Chunk, Done, Job, Plan, Rows, as_dictionaries, plan_job, read_rows, rows_known, state_of

T = TypeVar("T")
MAX_TEXTS = 1_000_000
"""With more different texts than that, which would take some 2.5 GB, the job does not hold them all."""
_LOCK = "_job.lock"
_OURS = re.compile(rf"{_LOCK}|\.?part-\d{{5,}}\.parquet(\.[0-9a-f]{{12}}\.part)?")


@dataclass(frozen=True)
class Summary:
    """What came of a job.

    pairs : rows that were scored. matches : of them. rejected : rows that were left out.
    coverage : the share of these rows that each feature is known for.
    unscored : of the pairs, those with a diagnosis that is not understood; their probability is null.
    chunks : in all. resumed : how many of them were there already.
    threshold, model : of the match function. asked : the names of its votes and picks.
    table : what was scored, where it was scored at once.
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
    table: pa.Table | None = None


@checked
def score_files(
    pairs: File,
    output: Output | None = None,
    *,
    matcher: Any = None,
    a: str = "a",
    b: str = "b",
    add: Sequence[Added] = (),
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
    job: Job = Job(),
) -> Summary:
    """Adds `probability`, `match` and `doubtful` to each pair of a table.

    From Parquet to Parquet, with a folder of pairs or with a `job`, chunk by chunk; any other file at once, as `MatchFunction.score` does.

    Of chunks, where the model has a vocabulary, also `not_understood` and `read_as`, whether any row has something there or not: the
    columns of a result do not depend on its rows. Nor does it depend on the engine, the workers or on interruptions: it is byte-identical.

    Parameters
    ----------
    pairs
        A .parquet file, a folder of them, or any other table of pairs.
    output
        A table; of chunks a .parquet file, or a folder that gets one part for each chunk. It appears when all of it is there; until then
        finished chunks wait in a folder beside it, named like it with ".parts", and the same call goes on with them.
    matcher
        The match function, loaded or its folder; the one that ships if not given. Another one, policy or threshold is another job: it
        never goes on with the first one's parts.
    a, b
        The columns of the two diagnoses.
    add
        Further columns, as of `MatchFunction.score`: "features", "shap", "relation", "reasons".
    reading
        The encoding of a text file, and a file for rejects, the rows that cannot be right; without it the first of them is an `InputError`.
    job
        The engine and its workers, the rows of a chunk, whether to begin anew.

    Raises
    ------
    DxmatchError
        With the file and the rows; finished chunks stay.
    """
    source, output = Path(pairs), None if output is None else Path(output)
    m: Any = loaded(matcher)
    if not isinstance(m, MatchFunction):
        raise OptionError("matcher", "a dxmatch.MatchFunction, or the folder of one", matcher)
    parquet = output is not None and {source.suffix.lower(), output.suffix.lower()} <= {".parquet", ""}
    if not (parquet or source.is_dir() or job.given):
        if output is not None:
            check_output(output)
        return _at_once(
            m, read_pairs(source, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding), output, add
        )
    if m.model.verdicts is not None:
        problem = "left out in a job of chunks, whose finished parts keep what was decided; a job that ends in another file than Parquet asks"
        raise OptionError("doubtful", problem, m.model.verdicts.how.model)
    if output is None:
        raise OptionError("output", "a .parquet file or a folder, for what is scored in chunks", output)
    rejects = None if reading.rejects is None else Path(reading.rejects)
    if rejects is not None:
        check_output(rejects)
    folder, rejecting = output.with_name(f"{output.name}.parts"), rejects is not None
    plan = plan_job(source, folder, m, a=a, b=b, add=add, rejecting=rejecting, chunk_rows=job.chunk_rows)
    _check_places(source, output)
    if output.is_dir() and any(output.iterdir()):
        _check_ours(output)
        if not job.restart:
            if len(there := plan.finished_parts(output)) == len(plan.chunks):
                return _summary(plan, there, len(there))
            raise DxmatchError(
                f"{output} holds a result that is damaged. Give another output, or replace it with the option 'restart'."
            )
    _check_ours(folder)
    with _alone(folder):
        finished = {} if job.restart else plan.finished_parts(folder)
        kept = {_LOCK, *(plan.part(plan.chunks[number]).name for number in finished)}
        for path in (path for path in folder.iterdir() if path.name not in kept):
            path.unlink()
        if resumed := len(finished):
            say(f"{resumed:,} of {len(plan.chunks):,} chunks were there already.")
        try:
            _score(plan, job, finished)
        except KeyboardInterrupt:
            if not (parts := len([*folder.glob("part-*")])):
                raise KeyboardInterrupt("interrupted before the first chunk was finished.") from None
            kept = f"{parts:,} of {len(plan.chunks):,} chunks are kept in {folder}"
            raise KeyboardInterrupt(f"interrupted; {kept}. Run the same command again to go on.") from None
        if state_of(source) != plan.about["input"]:
            changed = "it was changed or replaced while it was scored"
            raise InputError(changed, source=str(source), allowed="input that stays until the result is there")
        summary = _summary(plan, finished, resumed)
        if rejects is not None and summary.rejected:
            write_tables(plan.rejected_rows(finished), rejects)
            warn(f"{counted(summary.rejected, 'row')} set aside in {rejects}.")
        if not summary.pairs:
            shutil.rmtree(folder)
            raise InputError(f"all {plan.rows:,} rows were refused; see {rejects}", source=str(source))
        check_coverage(summary.coverage, m.features, m.min_coverage)
        if output.suffix:
            _merge(plan, output)
            shutil.rmtree(folder)
        else:
            (folder / _LOCK).unlink()
            _publish(folder, output)
    return summary


def _at_once(m: MatchFunction, read: Pairs, output: Path | None, add: Sequence[Added]) -> Summary:
    """Scores pairs that were read, as a table."""
    if output is not None:
        check_output(output, rows=len(read))
    with shown("Scoring pairs") as progress:
        table, known = m.score_read(read, add, progress)
    if output is not None:
        write_table(table, output)
    found, asked = table["match"].to_pylist(), [feature.name for feature in m.features.asked]
    counts = len(read), found.count(True), read.n_rejected
    return Summary(*counts, dict(known), 1, 0, m.threshold, m.name, found.count(None), asked, table)


def _score(plan: Plan, job: Job, finished: dict[int, Done]) -> None:
    """Finishes the chunks that are not."""
    todo = [chunk for chunk in plan.chunks if chunk.number not in finished]
    if not todo:
        return
    workers, ended = job.workers or cores(), Event()
    plan = replace(plan, names=_prepared(plan, workers))
    before = plan.rows - sum(chunk.rows for chunk in todo)
    with ExitStack() as held:
        # The kernels run without the interpreter's lock, so threads are enough.
        work, end = partial(plan.write_part, ended=ended), ended.set
        if job.engine == "ray":
            from .ray_engine import on_ray

            work, workers = held.enter_context(on_ray(plan, job.workers))
        for chunk, done in _each("Scoring pairs", plan, todo, work, workers, before, end):
            finished[chunk.number] = done


def _prepared(plan: Plan, workers: int) -> Names | None:
    """The names of all texts of the job, prepared for every feature; None where there are too many to hold.

    Votes and picks are looked up for all pairs: what is refused for want of them is refused in seconds, before the first is scored.
    """
    m, texts = plan.m, dict[str, None]()

    def rows(chunk: Chunk) -> Rows:
        return Rows(plan, chunk, read_rows(chunk, plan.texts, plan.texts))

    for _, more in _each("Reading texts", plan, plan.chunks, lambda chunk: rows(chunk).texts, workers):
        texts |= dict.fromkeys(more)
        if len(texts) > MAX_TEXTS:
            return None
    names = Names.read(list(texts), m.providers)
    if m.features.asked:
        asked = replace(m.features, features=m.features.asked)
        model = replace(plan.model, features=asked)
        prepare(names, asked)
        known = lambda chunk: rows_known(rows(chunk).batch(model, names))  # noqa: E731
        counts = [found for _, found in _each("Looking votes up", plan, plan.chunks, known, workers)]
        check_coverage(shares(asked, counts), m.features, m.min_coverage)
    with shown("Preparing names") as progress:
        prepare(names, m.features, progress=progress)
        if {"relation", "reasons"} & {*plan.add} or m.policy != SPECIFICATION:
            none = np.zeros(0, np.int32)
            _ = Batch(m.model, names, none, none).directions
    return names


def _each(
    what: str,
    plan: Plan,
    chunks: Sequence[Chunk],
    work: Callable[[Chunk], T],
    workers: int,
    done: int = 0,
    end: Callable[[], object] = lambda: None,
) -> Iterator[tuple[Chunk, T]]:
    """What `work` gives for each chunk, in their order, with progress shown.

    done : rows that were done before. end : called where no more is wanted, so that what is under way may stop.
    """
    with shown(what, done) as progress, ThreadPoolExecutor(workers) as pool:
        try:
            for chunk, result in zip(chunks, pool.map(work, chunks), strict=True):
                yield chunk, result
                done += chunk.rows
                progress(done, plan.rows)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            end()


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Holds a folder of parts for one process; where it has no part in the end, it goes.

    Raises
    ------
    DxmatchError
        Where another process works in it, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    try:
        held = FileLock(make_folder(folder) / _LOCK, timeout=0).acquire()
    except Timeout:
        raise DxmatchError(f"Another process works in {folder}. Wait for it, or end it.") from None
    except (OSError, NotImplementedError) as error:
        raise DxmatchError(f"{folder} cannot be worked in ({error}).") from error
    with held:
        try:
            yield
        finally:
            if not any(folder.glob("part-*")):
                shutil.rmtree(folder, ignore_errors=True)


def _check_ours(folder: Path) -> None:
    """Raises `DxmatchError` for a folder that holds other files than dxmatch's."""
    names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    if other := next((name for name in names if not _OURS.fullmatch(name)), None):
        raise DxmatchError(
            f"{folder} holds {other}, which is no part of a result. Give another output, or move it away."
        )


def _merge(plan: Plan, output: Path) -> None:
    """The parts as one file, in order, a row group each; the next is read while one is written, with the checksums of its pages verified."""

    def read(chunk: Chunk) -> pa.Table:
        part = read_parquet(plan.part(chunk), plan.texts).replace_schema_metadata(None)
        return as_dictionaries(part, plan.texts) if len(part) else part

    with ThreadPoolExecutor(1) as ahead, whole_file(output) as temporary, plan.writer(temporary) as file:
        coming = ahead.submit(read, plan.chunks[0])
        for after in (*plan.chunks[1:], None):
            part, coming = coming.result(), coming if after is None else ahead.submit(read, after)
            if len(part):
                file.write_table(part, row_group_size=len(part))


def _publish(folder: Path, output: Path) -> None:
    """Gives the folder of parts its final name; the result of dxmatch that is there, if any, gives way."""
    try:
        if output.is_dir():
            shutil.rmtree(output)  # all of it is dxmatch's
        folder.replace(output)
    except OSError as error:
        raise DxmatchError(f"{output} could not be written: {error.strerror or error}.") from error


def _check_places(source: Path, output: Path) -> None:
    """Errors: `InputError` for an output that is, holds or lies in the input, or has no folder to lie in."""
    here, there, kind = source.resolve(), output.resolve(), output.suffix.lower()
    one_in_other = here.is_relative_to(there) or there.is_relative_to(here)
    for refused, problem, allowed in (
        (kind not in ("", ".parquet"), f"an output of an unknown kind ({kind})", "a .parquet file, or a folder"),
        (kind and output.is_dir(), "a folder is there", "a file, or a folder without that suffix"),
        (not kind and output.is_file(), "a file is there", "a .parquet file, or a folder"),
        (not output.parent.is_dir(), "the folder for the output is absent", "an existing folder"),
        (one_in_other, "the output is the input, or one lies in the other", "another place"),
    ):
        if refused:
            raise InputError(problem, source=str(output), allowed=allowed)


def _summary(plan: Plan, finished: Mapping[int, Done], resumed: int) -> Summary:
    m, counts = plan.m, [done.counts for done in finished.values()]
    pairs, matches, unscored, *_ = np.sum(counts, axis=0).tolist()
    coverage = shares(m.features, [(rows, *known) for rows, _, _, *known in counts])
    asked, rejected = [feature.name for feature in m.features.asked], plan.rows - pairs
    return Summary(pairs, matches, rejected, coverage, len(plan.chunks), resumed, m.threshold, m.name, unscored, asked)
