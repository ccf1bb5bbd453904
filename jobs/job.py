"""Scoring from Parquet to Parquet: plan, finished parts, texts, engine, one result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa

from ..errors import InputError, OptionError
from ..features.compute import prepare
from ..features.coverage import Coverage, check_coverage
from ..files.parquet_file import read_parquet
from ..files.reading import Reading
from ..files.tables import check_output, write_tables
from ..matcher.match_function import MatchFunction
from ..matcher.policy import SPECIFICATION
from ..matcher.protocol import loaded
from ..matcher.relation import prepare_relations
from ..matcher.table_scores import Added
from ..options import File, Output, Serves, checked
from ..progress import shown
from . import local
from .checkpoint import Checkpoint, finished_output
from .parts import ChunkResult, Merge
from .plan import Job, Plan, plan_job
from .source import Chunk, parquet_files
from .texts import Texts, check_votes, find_texts


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


@checked
def score_files(
    pairs: File,
    output: Output,
    *,
    matcher: Any = None,
    a: str = "a",
    b: str = "b",
    add: Sequence[Added] = (),
    reading: Annotated[Reading, Serves("rejects")] = Reading(),
    job: Job = Job(),
) -> Summary:
    """Adds `probability` and `match` to each pair of a Parquet file, or of all those in a folder.

    Where the model has a vocabulary, also `not_understood` and `read_as`, whether any row has something there or not: the
    columns of a result do not depend on its rows.

    The result does not depend on the engine, the workers or on interruptions: it is byte-identical.

    Parameters
    ----------
    pairs
        A .parquet file, a folder of them, or for the command any other table of pairs.
    output
        A .parquet file, or a folder that gets one part for each chunk. It appears when all of it is there; until then
        finished chunks are kept in a checkpoint directory beside it, named like it with ".parts", and the same call goes
        on with them.
    matcher
        The match function, loaded or its folder; the one that ships if not given. Another one, policy or threshold is another job: it
        never goes on with the first one's parts.
    a, b
        The columns of the two diagnoses.
    add
        Further columns, as of `MatchFunction.score`: "features", "shap", "relation", "reasons".
    reading
        A file for rejects, the rows that cannot be right; without it the first of them is an `InputError`.
    job
        The engine and its workers, the rows of a chunk, whether to begin anew.

    Raises
    ------
    DxmatchError
        With the file and the rows; finished chunks stay.
    """
    source, output = Path(pairs), Path(output)
    if reading.rejects is not None:
        check_output(Path(reading.rejects))
    _check_places(source, output)
    m: Any = loaded(matcher)
    if not isinstance(m, MatchFunction):
        raise OptionError("matcher", "a dxmatch.MatchFunction, or the folder of one", matcher)
    folder = output.with_name(f"{output.name}.parts")
    plan = plan_job(source, folder, m, a=a, b=b, add=add, rejecting=reading.rejects is not None, job=job)
    to_file = output.suffix.lower() == ".parquet"
    if not to_file and (there := finished_output(plan, output)) is not None:
        return _summary(m, plan, there, len(there))
    with Checkpoint(plan) as checkpoint:
        resumed = len(checkpoint.finished)
        try:
            with Merge(plan) if to_file else nullcontext() as merge:
                _score(plan, m, checkpoint, merge)
                summary = _summary(m, plan, checkpoint.finished, resumed)
                if reading.rejects is not None and summary.rejected:
                    write_tables(_rejected(plan, checkpoint.finished), Path(reading.rejects))
                if not summary.pairs:
                    checkpoint.finished.clear()
                    raise InputError(f"all {plan.rows:,} rows were refused; see {reading.rejects}", source=str(source))
                check_coverage(summary.coverage, m.features, m.min_coverage, m.providers.store)
            for state in plan.inputs.values():
                state.check(here=True)
            if merge is None:
                checkpoint.publish(output)
            else:
                merge.publish(output)
                checkpoint.remove()
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_kept(plan, checkpoint.finished)) from None
    return summary


def _score(plan: Plan, m: MatchFunction, checkpoint: Checkpoint, merge: Merge | None) -> None:
    """Finishes the chunks that are not, and merges all where they are to be merged."""
    todo = [chunk for chunk in plan.chunks if chunk.number not in checkpoint.finished]
    done = plan.rows - sum(chunk.rows for chunk in todo)
    texts = _prepared(plan, m, todo, list(checkpoint.finished.values())) if todo else None
    with shown("Scoring pairs", done) as progress:

        def report(result: ChunkResult) -> None:
            nonlocal done
            checkpoint.add(result)
            if merge is not None:
                merge.add(result)
            done += result.rows
            progress(done, plan.rows)

        if merge is not None:
            for result in checkpoint.finished.values():
                merge.add(result)
        if todo and plan.job.engine == "ray":
            from . import ray_engine

            ray_engine.run(plan, m, texts, todo, report)
        elif todo:
            local.run(plan, m, texts, todo, report)


def _prepared(plan: Plan, m: MatchFunction, todo: Sequence[Chunk], finished: Sequence[ChunkResult]) -> Texts | None:
    """The texts of the chunks, checked and prepared; None where there are too many to hold."""
    with shown("Reading texts") as progress:
        found = find_texts(plan, todo, progress)
    if found is None:
        return None
    texts = Texts.of(found, m.providers)
    if m.features.asked:
        with shown("Looking votes up") as progress:
            check_votes(plan, m, texts, todo, finished, progress)
    with shown("Preparing names") as progress:
        prepare(texts.names, m.features, progress=progress)
        if {"relation", "reasons"} & {*plan.add} or m.policy != SPECIFICATION:
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


def _summary(m: MatchFunction, plan: Plan, results: Mapping[int, ChunkResult], resumed: int) -> Summary:
    rejected = sum(result.rejected for result in results.values())
    pairs = plan.rows - rejected
    known = [sum(counts) for counts in zip(*(result.known for result in results.values()), strict=True)]
    coverage = {name: count / max(pairs, 1) for name, count in zip(m.features.names, known, strict=True)}
    matches = sum(result.matches for result in results.values())
    unscored = sum(result.unscored for result in results.values())
    asked = [feature.name for feature in m.features.asked]
    return Summary(pairs, matches, rejected, coverage, len(plan.chunks), resumed, m.threshold, m.name, unscored, asked)


def _rejected(plan: Plan, results: Mapping[int, ChunkResult]) -> Iterator[pa.Table]:
    for chunk in plan.chunks:
        if results[chunk.number].rejected:
            yield read_parquet(plan.rejects(chunk))


def _kept(plan: Plan, finished: Mapping[int, ChunkResult]) -> str:
    if not finished:
        return "interrupted before the first chunk was finished; nothing half-written is left."
    return (
        f"interrupted; {len(finished):,} of {len(plan.chunks):,} chunks are kept in {plan.folder}. "
        "Run the same command again to go on."
    )
