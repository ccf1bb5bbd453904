"""A process that has scored once, and then forks children that score the same file and are killed in the middle.

python killed_run.py MODEL INPUT FOLDER KILLS: prints, for each kill, whether the result of the next run was that of an
uninterrupted one to the byte, and how many chunks that run found finished.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from dxmatch.jobs.job import score_files

CHUNK_ROWS = 400


def main() -> None:
    model, source, folder, kills = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])

    def score(output: Path) -> int:
        return score_files(source, output, model=model, chunk_rows=CHUNK_ROWS, workers=2).resumed

    def forked(output: Path, kill_after: int | None) -> int:
        """What a child found finished (its exit code; 255 where it was killed), killed once so many parts are there."""
        if (child := os.fork()) == 0:
            code = 254
            try:
                code = score(output)
            finally:
                os._exit(code)
        ended, status = 0, 0
        while not ended:
            if kill_after is not None and len(list(folder.glob(f"{output.name}.parts/part-*"))) >= kill_after:
                os.kill(child, signal.SIGKILL)
                kill_after = None
            ended, status = os.waitpid(child, 0 if kill_after is None else os.WNOHANG)
        return 255 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)

    whole = folder / "whole.parquet"
    score(whole)
    for number in range(kills):
        output = folder / f"{number}.parquet"
        code = forked(output, kill_after=3 * number)
        code = 0 if code != 255 and output.exists() else forked(output, None)
        same = output.read_bytes() == whole.read_bytes()
        left = sorted(path.name for path in folder.glob(f"*{number}.parquet*") if path != output)
        print(int(same), code, *[name for name in left if name.startswith((f"{number}.", f"_{number}."))])


if __name__ == "__main__":
    main()
