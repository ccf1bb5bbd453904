"""The checkpoint directory of a job under way: its parts, and a file that says what job it is; what makes it resumable."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

from ..errors import DxmatchError
from ..files.atomic import make_folder, make_private_file, whole_file
from .hashes import changed_files, hash_lines, hashes_beside, read_hashes
from .parts import ChunkResult, finished_part, read_footer, rename
from .plan import Plan

ABOUT = "_job.json"
_PART = re.compile(r"part-\d{5,}\.parquet")
_HASHES = re.compile(r"_part-\d{5,}\.sha256")
_OURS = re.compile(
    rf"{ABOUT}|[._]?((part-\d{{5,}}|_rejects-\d{{5,}}|_merged)\.parquet|_part-\d{{5,}}\.sha256)(\.[0-9a-f]{{12}}\.part)?"
)
_WORDS = {
    "dxmatch": "release", "model": "model", "libraries": "libraries", "votes": "vote store", "a": "column a", "b": "column b",
    "policy": "policy", "threshold": "threshold", "judge_all": "judge_all", "add": "further columns", "rejecting": "rejects", "chunk_rows": "rows of a chunk", "input": "input", "rows": "rows",
}  # fmt: skip


class Checkpoint:
    """Opens `plan.folder`, for one process alone; `finished` holds what came of the chunks whose parts are there, by number.

    A part is a chunk's result as soon as it has its name. Unfinished files of killed workers are removed, and so is the
    directory in the end if nothing was finished in it.

    Raises
    ------
    DxmatchError
        Where the directory holds another job or other files, another process works in it, or it cannot be written.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.finished: dict[int, ChunkResult] = {}

    def __enter__(self) -> Self:
        folder = make_folder(self.plan.folder)
        about = folder / ABOUT
        if not about.is_file() and (
            other := min((p.name for p in folder.iterdir() if not _OURS.fullmatch(p.name)), default=None)
        ):
            raise DxmatchError(
                f"{folder} is no checkpoint directory: it holds {other}. Give another output, or move it away."
            )
        try:
            make_private_file(about)
            self._about = about.open("a+", encoding="utf-8")
        except OSError as error:
            raise DxmatchError(f"{about} could not be written: {error.strerror}.") from error
        try:
            _lock(self._about, folder)
            self._resume()
        except BaseException:
            # What is there may be another job's, or another process's.
            self._about.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if not self.finished and self.plan.folder.is_dir():
            self.remove()
        self._about.close()

    def add(self, result: ChunkResult) -> None:
        """Says that a chunk is finished."""
        self.finished[result.number] = result

    def remove(self) -> None:
        """Takes away what is dxmatch's, and the directory if nothing else is in it."""
        self._clean(set())
        with contextlib.suppress(OSError):
            self.plan.folder.rmdir()

    def publish(self, output: Path) -> None:
        """Gives the folder of parts its final name; the result of dxmatch that is there, if any, gives way."""
        parts = [self.plan.part(chunk).name for chunk in self.plan.chunks]
        hashes, beside = self._hashes(), [self.plan.hashes(chunk).name for chunk in self.plan.chunks]
        self._clean({ABOUT, *parts, *beside})
        with whole_file(hashes_beside(output)) as temporary:
            temporary.write_text(hash_lines({f"{output.name}/{name}": hashes[name] for name in parts}), "utf-8")
        if output.is_dir():
            for path in output.iterdir():
                path.unlink()  # `finished_output` has seen that all of it is dxmatch's
        rename(self.plan.folder, output)
        for name in (*beside, ABOUT):
            (output / name).unlink()

    def _resume(self) -> None:
        self._about.seek(0)
        there = _parsed(self._about.read())
        if there is not None and there != dict(self.plan.about):
            finished = sum(bool(_PART.fullmatch(path.name)) for path in self.plan.folder.iterdir())
            if finished and not self.plan.job.restart:
                raise _another_job(self.plan, there, f"{self.plan.folder} holds {finished:,} finished chunks")
        kept, hashes = {ABOUT}, self._hashes()
        for chunk in () if self.plan.job.restart else self.plan.chunks:
            if (result := finished_part(self.plan, chunk, hashes)) is not None:
                self.finished[chunk.number] = result
                kept |= {path(chunk).name for path in (self.plan.part, self.plan.rejects, self.plan.hashes)}
        self._clean(kept)
        self._about.truncate(0)
        self._about.write(json.dumps(dict(self.plan.about)))
        self._about.flush()

    def _hashes(self) -> dict[str, str]:
        """Of the files that are there, by name."""
        kept: dict[str, str] = {}
        for chunk in self.plan.chunks:
            kept |= read_hashes(self.plan.hashes(chunk)) or {}
        return kept

    def _clean(self, kept: set[str]) -> None:
        for path in self.plan.folder.iterdir():
            if path.name not in kept and _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)


def finished_output(plan: Plan, output: Path) -> dict[int, ChunkResult] | None:
    """What came of the chunks of a folder that is a finished result of this very job; None where nothing is there.

    Every part is held against the hash that was kept when it was written.

    Raises
    ------
    DxmatchError
        Where it holds another result or one that is no longer what was written, unless the plan's `restart` says to replace it, or
        files that are none.
    """
    if not output.is_dir() or not any(output.iterdir()):
        return None
    results: dict[int, ChunkResult] = {}
    others = 0
    hashes = read_hashes(hashes_beside(output)) or {}
    ours = {path for path in output.iterdir() if path.name == ABOUT or _HASHES.fullmatch(path.name)}
    for path in sorted(output.iterdir()):
        footer = read_footer(path) if _PART.fullmatch(path.name) else None
        if footer is None and path not in ours and f"{output.name}/{path.name}" not in hashes:
            raise DxmatchError(f"{output} is no result of dxmatch: it holds {path.name}. Give another output.")
        if footer is not None and footer[0] == plan.identity:
            results[footer[1].number] = footer[1]
        else:
            others += footer is not None
    if plan.job.restart:
        return None
    damaged: list[str] = []
    if results and not others:
        parts = {f"{output.name}/{plan.part(chunk).name}" for chunk in plan.chunks}
        damaged = (
            changed_files(output.parent, hashes, plan.threads)
            if hashes.keys() == parts
            else [hashes_beside(output).name]
        )
    if damaged:
        raise DxmatchError(
            f"{output.parent / damaged[0]} is gone, or not what was written{f', and {len(damaged) - 1:,} more' if damaged[1:] else ''}. The result of "
            "this very job is there, but damaged; to make it anew, use the option 'restart'."
        )
    if others or len(results) < len(plan.chunks):
        raise DxmatchError(
            f"{output} holds the result of another job (other input, model or options). Give another output, or replace it "
            "with the option 'restart'."
        )
    for path in ours:  # of a run that was killed after its last step but one
        path.unlink(missing_ok=True)
    return results


def _another_job(plan: Plan, there: Mapping[str, Any], what: str) -> DxmatchError:
    """Says in what the job that is there differs from the one that is asked for, and how to go on."""
    differs = [
        f"another {words}" if key in ("input", "votes") else f"{words} {there.get(key)}, not {plan.about.get(key)}"
        for key, words in _WORDS.items()
        if there.get(key) != plan.about.get(key)
    ]
    return DxmatchError(
        f"{what} of another job: {'; '.join(differs)}. To go on with that one, give the same input, model and options as "
        "then; to replace it, use the option 'restart'."
    )


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError):
        return None


def _lock(about: IO[str], folder: Path) -> None:
    """One process at a time, where the system and the drive can hold a lock."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(about.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DxmatchError(f"Another process works in {folder}. Wait for it, or end it.") from None
    except OSError:
        return
