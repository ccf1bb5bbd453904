"""Scoring files: a table at once; from Parquet to Parquet a plan, the texts once, a part for each chunk, one result."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DxmatchError, InputError, OptionError, warn
from ..features.compute import prepare
from ..features.coverage import Coverage, check_coverage
from ..features.names import Names
from ..files.atomic import make_folder, whole_file
from ..files.pairs import Pairs, read_pairs
from ..files.parquet_file import read_parquet
from ..files.reading import OF_TABLES, Reading
from ..files.tables import check_output, write_table, write_tables
from ..files.wording import counted
from ..matcher.batch import Added
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..matcher.protocol import loaded
from ..options import File, Output, Serves, checked
from ..progress import Progress, say, shown
from . import local
from .chunk import CheckedRows, ChunkResult, Scorer, finished_part, writer
from .plan import ABOUT, Chunk, Job, Plan, as_dictionary, parquet_files, plan_job

T = TypeVar("T")
MAX_TEXTS = 1_000_000
"""With more different texts than that, which would take some 2.5 GB, the job does not hold them all."""
MAX_BYTES = 1 << 30
_OURS = re.compile(rf"{ABOUT}|_job\.lock|[._]?(part|_rejects)-\d{{5,}}\.parquet(\.[0-9a-f]{{12}}\.part)?")


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
    reading: Annotated[Reading, Serves(*OF_TABLES)] = Reading(),
    job: Job = Job(),
) -> Summary:
    """Adds `probability` and `match` to each pair of a table.

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
    if output is None:
        raise OptionError("output", "a .parquet file or a folder, for what is scored in chunks", output)
    if reading.rejects is not None:
        check_output(Path(reading.rejects))
    to_file = output.suffix.lower() == ".parquet"
    _check_places(source, output, to_file)
    folder = output.with_name(f"{output.name}.parts")
    plan = plan_job(source, folder, m, a=a, b=b, add=add, rejecting=reading.rejects is not None, job=job)
    if not to_file and (there := _finished_output(plan, output)):
        return _summary(m, plan, there, len(there))
    with _checkpoint(plan) as finished:
        if resumed := len(finished):
            say(f"{resumed:,} of {len(plan.chunks):,} chunks were there already.")
        try:
            _score(plan, m, finished)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(plan, finished)) from None
        summary = _summary(m, plan, finished, resumed)
        if reading.rejects is not None and summary.rejected:
            rejected = (plan.rejects(chunk) for chunk in plan.chunks if finished[chunk.number].rejected)
            write_tables(map(read_parquet, rejected), Path(reading.rejects))
            warn(f"{counted(summary.rejected, 'row')} set aside in {reading.rejects}.")
        if not summary.pairs:
            finished.clear()
            raise InputError(f"all {plan.rows:,} rows were refused; see {reading.rejects}", source=str(source))
        check_coverage(summary.coverage, m.features, m.min_coverage, m.providers.store)
        for path in plan.inputs:
            plan.check_input(path)
        if to_file:
            _merge(plan, output)
            finished.clear()
        else:
            _publish(plan, output)
    return summary


def _at_once(m: MatchFunction, read: Pairs, output: Path | None, add: Sequence[Added]) -> Summary:
    """Scores pairs that were read, as a table."""
    with shown("Scoring pairs") as progress:
        scored = m.score_read(read, add, progress)
    table = scored.table
    if output is not None:
        check_output(output, rows=len(table))
        write_table(table, output)
    found, asked = table["match"].to_pylist(), [feature.name for feature in m.features.asked]
    counts = len(read), found.count(True), read.n_rejected
    return Summary(*counts, dict(scored.coverage), 1, 0, m.threshold, m.name, found.count(None), asked, table)


def _score(plan: Plan, m: MatchFunction, finished: dict[int, ChunkResult]) -> None:
    """Finishes the chunks that are not."""
    todo = [chunk for chunk in plan.chunks if chunk.number not in finished]
    if not todo:
        return
    done = plan.rows - sum(chunk.rows for chunk in todo)
    names, texts = _prepared(plan, m, todo, list(finished.values()))
    with shown("Scoring pairs", done) as progress:

        def report(result: ChunkResult) -> None:
            nonlocal done
            finished[result.number] = result
            done += result.rows
            progress(done, plan.rows)

        if plan.job.engine == "ray":
            from . import ray_engine

            ray_engine.run(plan, m, names, texts, todo, report)
        else:
            local.run(plan, Scorer(plan, m, names, texts), todo, report)


def _prepared(
    plan: Plan, m: MatchFunction, todo: Sequence[Chunk], finished: Sequence[ChunkResult]
) -> tuple[Names | None, pa.Array | None]:
    """The names of the chunks' texts, prepared for every feature, and these texts; None where there are too many to hold."""
    with shown("Reading texts") as progress:
        texts = _texts(plan, todo, progress)
    if texts is None:
        return None, None
    names = Names.read(texts.to_pylist(), m.providers, strict=False)
    if m.features.asked:
        with shown("Looking votes up") as progress:
            _check_votes(plan, m, names, texts, todo, finished, progress)
    with shown("Preparing names") as progress:
        prepare(names, m.features, progress=progress)
        if {"relation", "reasons"} & {*plan.add} or m.policy != SPECIFICATION:
            m.model.prepare_relations(names)
    return names, texts


def _texts(plan: Plan, todo: Sequence[Chunk], progress: Progress) -> pa.Array | None:
    """The different diagnoses of the chunks, in the order of the chunks; None where there are too many to hold."""
    found, waiting = pa.array([], pa.large_string()), list[pa.Array]()
    each = _each(todo, lambda chunk: CheckedRows.read(plan, chunk).texts, plan.workers, progress)
    for number, texts in enumerate(each, 1):
        waiting.append(texts)
        # Merged when as much is waiting as was found: each text is then hashed a few times at most.
        if sum(map(len, waiting)) >= len(found) or number == len(todo):
            found, waiting = pc.unique(pa.concat_arrays([found, *waiting])), []
            if len(found) > MAX_TEXTS or found.nbytes > MAX_BYTES:
                return None
    return found


def _check_votes(
    plan: Plan, m: MatchFunction, names: Names, texts: pa.Array, todo: Sequence[Chunk],
    finished: Sequence[ChunkResult], progress: Progress,
) -> None:  # fmt: skip
    """Looks votes and picks up for all pairs before the first is scored: what is refused for want of them is refused in seconds.

    Raises `InputError` where one is known for a smaller share of the rows, finished ones too, than `m.min_coverage`.
    """
    asked = replace(m.features, features=m.features.asked)
    model, columns = replace(m.model, features=asked, min_coverage=0), [m.features.names.index(n) for n in asked.names]
    prepare(names, asked)

    def look_up(chunk: Chunk) -> tuple[list[float], int]:
        batch, _ = CheckedRows.read(plan, chunk).batch(model, names, texts)
        return [share * len(batch) for share in batch.coverage.values()], len(batch)

    parts = [*_each(todo, look_up, plan.workers, progress)]
    parts += [([one.known[i] for i in columns], one.rows - one.rejected) for one in finished]
    rows = sum(rows for _, rows in parts)
    known = np.sum([counts for counts, _ in parts], axis=0) / max(rows, 1)
    check_coverage(dict(zip(asked.names, known.tolist(), strict=True)), m.features, m.min_coverage, m.providers.store)


def _each(todo: Sequence[Chunk], work: Callable[[Chunk], T], threads: int, progress: Progress) -> Iterator[T]:
    """What `work` gives for each chunk, in their order."""
    total, done = sum(chunk.rows for chunk in todo), 0
    pool = ThreadPoolExecutor(threads)
    try:
        for chunk, result in zip(todo, pool.map(work, todo), strict=True):
            yield result
            done += chunk.rows
            progress(done, total)
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _checkpoint(plan: Plan) -> Iterator[dict[int, ChunkResult]]:
    """What came of the chunks whose parts wait in `plan.folder`, for one process alone. Where none is left in the end, the folder goes.

    Raises
    ------
    DxmatchError
        Where the folder holds another job or other files, another process works in it, or it cannot be written.
    """
    from filelock import FileLock, Timeout

    folder = make_folder(plan.folder)
    if other := min((path.name for path in folder.iterdir() if not _OURS.fullmatch(path.name)), default=None):
        raise DxmatchError(f"{folder} holds no parts of a job, but {other}. Give another output, or move it away.")
    with ExitStack() as held:
        try:
            held.enter_context(FileLock(folder / "_job.lock", timeout=0))
        except Timeout:
            raise DxmatchError(f"Another process works in {folder}. Wait for it, or end it.") from None
        except (OSError, NotImplementedError) as error:
            raise DxmatchError(f"{folder} cannot be worked in ({error}).") from error
        finished = _resumed(plan)
        try:
            yield finished
        finally:
            if not finished and folder.is_dir():
                for path in folder.iterdir():
                    if _OURS.fullmatch(path.name):
                        path.unlink()
                with suppress(OSError):  # something of others came in meanwhile
                    folder.rmdir()


def _resumed(plan: Plan) -> dict[int, ChunkResult]:
    """The chunks whose parts are there; all else of dxmatch's is removed, and the folder says what job it is."""
    about, finished = plan.folder / ABOUT, dict[int, ChunkResult]()
    parts = [path for path in plan.folder.iterdir() if path.name.startswith("part-")]
    try:
        there = dict(json.loads(about.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        there = None
    if there not in (None, dict(plan.about)) and parts and not plan.job.restart:
        raise plan.another_job(there, f"{plan.folder} holds {len(parts):,} finished chunks")
    kept = {"_job.lock"}
    for chunk in () if plan.job.restart else plan.chunks:
        if result := finished_part(plan, chunk, plan.part(chunk), [plan.rejects(chunk)]):
            finished[chunk.number] = result
            kept |= {plan.part(chunk).name, plan.rejects(chunk).name}
    for path in plan.folder.iterdir():
        if path.name not in kept:
            path.unlink(missing_ok=True)
    with whole_file(about) as temporary:
        temporary.write_text(json.dumps(dict(plan.about)), "utf-8")
    return finished


def _finished_output(plan: Plan, output: Path) -> dict[int, ChunkResult]:
    """What came of the chunks of a folder that is a finished result of this very job; {} where nothing is there, or is to be replaced.

    Raises
    ------
    DxmatchError
        Where it holds another result or one that is damaged, unless the plan's `restart` says to replace it, or files that are none.
    """
    there = [*output.iterdir()] if output.is_dir() else []
    if other := min(
        (path.name for path in there if not re.fullmatch(r"part-\d{5,}\.parquet", path.name)), default=None
    ):
        raise DxmatchError(f"{output} is no result of dxmatch: it holds {other}. Give another output.")
    if not there or plan.job.restart:
        return {}
    found = {chunk.number: finished_part(plan, chunk, plan.part(chunk, output)) for chunk in plan.chunks}
    if len(there) != len(found) or not all(found.values()):
        raise DxmatchError(
            f"{output} holds the result of another job (other input, model or options), or one that is damaged. Give another output, or "
            "replace it with the option 'restart'."
        )
    return {number: result for number, result in found.items() if result is not None}


def _merge(plan: Plan, output: Path) -> None:
    """The parts as one file, in order, a row group each; the next is read while one is written, with the checksums of its pages verified."""

    def read(chunk: Chunk) -> pa.Table:
        return read_parquet(plan.part(chunk), plan.texts)

    with ThreadPoolExecutor(1) as ahead, whole_file(output) as temporary, writer(temporary, plan) as file:
        coming = ahead.submit(read, plan.chunks[0])
        for after in (*plan.chunks[1:], None):
            part, coming = coming.result(), coming if after is None else ahead.submit(read, after)
            for name in plan.texts:
                at = part.schema.get_field_index(name)
                part = part.set_column(at, name, pa.chunked_array([as_dictionary(part.column(at))]))
            if len(part):
                file.write_table(part.replace_schema_metadata(None), row_group_size=len(part))


def _publish(plan: Plan, output: Path) -> None:
    """Gives the folder of parts its final name; the result of dxmatch that is there, if any, gives way."""
    for path in plan.folder.iterdir():
        if not path.name.startswith("part-"):
            path.unlink(missing_ok=True)
    if output.is_dir():
        shutil.rmtree(output)  # `_finished_output` has seen that all of it is dxmatch's
    try:
        plan.folder.replace(output)
    except OSError as error:
        raise DxmatchError(f"{output} could not be written: {error.strerror or error}.") from error


def _check_places(source: Path, output: Path, to_file: bool) -> None:
    """Errors: `InputError` for an output that is, holds or lies in the input, or has no folder to lie in."""
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


def _summary(m: MatchFunction, plan: Plan, results: Mapping[int, ChunkResult], resumed: int) -> Summary:
    rejected = sum(result.rejected for result in results.values())
    pairs = plan.rows - rejected
    known = [sum(counts) for counts in zip(*(result.known for result in results.values()), strict=True)]
    coverage = {name: count / max(pairs, 1) for name, count in zip(m.features.names, known, strict=True)}
    matches = sum(result.matches for result in results.values())
    unscored = sum(result.unscored for result in results.values())
    asked = [feature.name for feature in m.features.asked]
    return Summary(pairs, matches, rejected, coverage, len(plan.chunks), resumed, m.threshold, m.name, unscored, asked)


def _kept(plan: Plan, finished: Mapping[int, ChunkResult]) -> str:
    if not finished:
        return "interrupted before the first chunk was finished; nothing half-written is left."
    return (
        f"interrupted; {len(finished):,} of {len(plan.chunks):,} chunks are kept in {plan.folder}. "
        "Run the same command again to go on."
    )
