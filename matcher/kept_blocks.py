"""The blocks of a long job of linking, kept beside its output until that is written: an interrupted job goes on with them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..files.atomic import make_folder, whole_file
from ..models.releases import SHAPE_FEATURES, installed_releases
from ..progress import say

_LIBRARIES = ("numpy", "pyarrow", "faiss-cpu", *SHAPE_FEATURES)

Block = Mapping[str, NDArray[Any]]
"""What came of a block, by name; numbers alone."""


class KeptBlocks:
    """The blocks of one job, in a folder named like its output with ".parts": another input, model or option finds none of them.

    A block is there as soon as its file has its name; one that is damaged is made again. Left without an error, they are removed.

    Parameters
    ----------
    blocks : how many the job has. job : all that the result depends on, as JSON can hold it.
    """

    def __init__(self, output: str | os.PathLike[str], blocks: int, *job: Any) -> None:
        libraries = installed_releases(_LIBRARIES)
        about = json.dumps([metadata.version("dxmatch"), libraries, blocks, *job], sort_keys=True, default=str)
        self._name = f"links-{hashlib.sha256(about.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        self._folder, self._blocks = Path(f"{os.fspath(output)}.parts"), blocks
        self._there = {number: block for number in range(blocks) if (block := self._read(number)) is not None}
        if self._there:
            say(f"{len(self._there):,} of {blocks:,} blocks were there already.")

    def of(self, number: int, make: Callable[[], Block]) -> Block:
        """The block of that number, kept as it is made, unless it is all of the job."""
        if number not in self._there:
            block = make()
            if self._blocks == 1:
                return block
            with whole_file(make_folder(self._folder) / self._file(number)) as part, part.open("wb") as file:
                np.savez(file, **dict[str, Any](block))
            self._there[number] = block
        return self._there[number]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            for path in self._folder.glob(f"*{self._file('*')}*"):  # also what a killed process was about to write
                path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):
                self._folder.rmdir()
        elif error is KeyboardInterrupt and self._there:
            raise KeyboardInterrupt(
                f"interrupted; {len(self._there):,} of {self._blocks:,} blocks are kept in {self._folder}. Run the same command again to go on."
            ) from None

    def _file(self, number: int | str) -> str:
        return f"{self._name}-{number:>05}.npz"

    def _read(self, number: int) -> Block | None:
        try:
            with np.load(self._folder / self._file(number), allow_pickle=False) as file:
                return dict(file)
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None
