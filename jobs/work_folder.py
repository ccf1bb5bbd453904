"""The folder of a job under way: parts, and a ledger that says which are finished; what makes it resumable."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, Self

import pyarrow as pa

from ..errors import DxmatchError
from ..files.atomic import make_folder
from ..files.parquet_file import open_parquet
from .parts import FOOTER_KEY, ChunkResult, from_ledger, ledger_line, part_is_whole
from .plan import Job

LEDGER = "_dxmatch.jsonl"
_FILE = r"(part-\d{5,}|_rejects-\d{5,}|_gathered)\.parquet"
_OURS = re.compile(rf"{_FILE}|_?{_FILE}\.[0-9a-f]{{12}}\.part|_ray-[0-9a-f]{{16}}(\.\d+)?")
_WORDS = {
    "dxmatch": "release", "model": "model", "libraries": "libraries", "votes": "vote store", "a": "column a", "b": "column b",
    "features": "feature columns", "shap": "SHAP columns", "set_aside": "rejects", "chunk_rows": "rows of a chunk", "input": "input", "rows": "rows",
}  # fmt: skip


class WorkFolder:
    """Opens `job.folder`, alone; `finished` holds the chunks whose parts are there to the byte, by number.

    The first line of the ledger says what the job is; each further line is a finished chunk. One process writes it.
    Unfinished parts of killed workers are removed, and so is the folder in the end if nothing was finished in it.

    restart : removes the parts of another job that are there.

    Errors: `DxmatchError` where the folder holds another job or other files, another process works in it, or it cannot be
    written.
    """

    def __init__(self, job: Job, *, restart: bool = False) -> None:
        self.job, self.restart = job, restart
        self.finished: dict[int, ChunkResult] = {}
        self._ledger: IO[str] | None = None

    def __enter__(self) -> Self:
        folder = make_folder(self.job.folder)
        ledger = folder / LEDGER
        if not ledger.is_file() and (other := next(iter(sorted(p.name for p in folder.iterdir())), None)):
            raise DxmatchError(
                f"{folder} is no folder of a job: it holds {other}. Give another output, or move it away."
            )
        try:
            self._ledger = ledger.open("a+", encoding="utf-8")
        except OSError as error:
            raise DxmatchError(f"{ledger} could not be written: {error.strerror}.") from error
        try:
            _lock(self._ledger, folder)
            self._resume()
        except BaseException:
            # What is there may be another job's, or another process's.
            self._ledger.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        assert self._ledger is not None
        if not self.finished and self.job.folder.is_dir():
            self.remove()
        self._ledger.close()

    def record(self, result: ChunkResult) -> None:
        """Says that a chunk is finished. A line that is cut off by a crash counts as none."""
        assert self._ledger is not None
        try:
            self._ledger.write(ledger_line(result))
            self._ledger.flush()
        except OSError as error:
            raise DxmatchError(f"{self.job.folder / LEDGER} could not be written: {error.strerror}.") from error
        self.finished[result.number] = result

    def remove(self) -> None:
        """Takes away what is dxmatch's, and the folder if nothing else is in it."""
        for path in self.job.folder.iterdir():
            if path.name == LEDGER or _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.job.folder.rmdir()

    def _resume(self) -> None:
        assert self._ledger is not None
        self._ledger.seek(0)
        lines = self._ledger.read().split("\n")
        held, whole = _header(lines[0]), lines[-1] == ""
        results = {} if held is None else {r.number: r for r in map(from_ledger, lines[1:]) if r is not None}
        if held is not None and held != dict(self.job.about):
            if results and not self.restart:
                raise another_job(self.job, held, f"{self.job.folder} holds {len(results):,} finished chunks")
            results, held = {}, None
        if self.restart:
            results, held = {}, None
        chunks = {chunk.number: chunk for chunk in self.job.chunks}
        self.finished = {n: r for n, r in results.items() if n in chunks and part_is_whole(self.job, chunks[n], r)}
        self._clean()
        if held is None:
            self._ledger.truncate(0)
            self._ledger.write(json.dumps({"job": dict(self.job.about)}) + "\n")
        elif not whole:
            self._ledger.write("\n")
        self._ledger.flush()

    def _clean(self) -> None:
        kept = {LEDGER}
        for chunk in self.job.chunks:
            if chunk.number in self.finished:
                kept |= {self.job.part(chunk).name, self.job.rejects(chunk).name}
        for path in self.job.folder.iterdir():
            if path.name not in kept and _OURS.fullmatch(path.name):
                path.unlink(missing_ok=True)


def another_job(job: Job, held: Mapping[str, Any], what: str) -> DxmatchError:
    """Says in what the job that is there differs from the one that is asked for, and how to go on."""
    differs = []
    for key, words in _WORDS.items():
        there, here = held.get(key), job.about.get(key)
        if there != here:
            plain = key in ("input", "votes")
            differs.append(f"another {words}" if plain else f"{words} {there}, not {here}")
    return DxmatchError(
        f"{what} of another job: {'; '.join(differs)}. To go on with that one, give the same input, model and options as "
        "then; to replace it, add --restart."
    )


def finished_output(job: Job, output: Path, *, restart: bool) -> dict[int, ChunkResult] | None:
    """The chunks of a folder that is a finished result of this very job; None where nothing is there.

    Errors: `DxmatchError` where it holds another result, unless `restart` says to replace it, or files that are none.
    """
    if not output.is_dir() or not any(output.iterdir()):
        return None
    names = {job.part(chunk).name: chunk for chunk in job.chunks}
    held: dict[int, ChunkResult] = {}
    others = 0
    for path in sorted(output.iterdir()):
        if path.name == LEDGER or path.name.startswith("_rejects-"):
            continue
        about = _footer(path) if _OURS.fullmatch(path.name) else None
        if about is None:
            raise DxmatchError(f"{output} is no result of dxmatch: it holds {path.name}. Give another output.")
        if about["job"] == job.identity and path.name in names:
            held[about["chunk"]] = ChunkResult(about["chunk"], about["rows"], about["matches"], about["rejected"], tuple(about["known"]), path.stat().st_size, "")  # fmt: skip
        else:
            others += 1
    if len(held) == len(job.chunks) and not others and not restart:
        return held
    if not restart:
        raise DxmatchError(
            f"{output} holds the result of another job (other input, model or options). Give another output, or replace it "
            "with --restart."
        )
    return None


def publish(job: Job, output: Path) -> None:
    """Gives the folder of parts its final name; what is there (checked before) gives way."""
    try:
        if output.is_dir():
            for path in output.iterdir():
                if _OURS.fullmatch(path.name) or path.name == LEDGER:
                    path.unlink(missing_ok=True)
        job.folder.replace(output)
    except OSError as error:
        raise DxmatchError(f"{output} could not be written: {error.strerror or error}.") from error
    tidy(output)


def tidy(output: Path) -> None:
    """Leaves the parts alone in a finished folder: some readers take every file in it for data."""
    for path in output.iterdir():
        if path.name == LEDGER or path.name.startswith("_rejects-"):
            path.unlink(missing_ok=True)


def _footer(path: Path) -> dict[str, Any] | None:
    try:
        with open_parquet(path) as file:
            return json.loads((file.metadata.metadata or {})[FOOTER_KEY])
    except (pa.ArrowException, OSError, KeyError, ValueError):
        return None


def _header(line: str) -> dict[str, Any] | None:
    try:
        return dict(json.loads(line)["job"])
    except (ValueError, TypeError, KeyError):
        return None


def _lock(ledger: IO[str], folder: Path) -> None:
    """One process at a time, where the system and the drive can hold a lock."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(ledger.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise DxmatchError(f"Another process works in {folder}. Wait for it, or end it.") from None
    except OSError:
        return
