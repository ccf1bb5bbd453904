"""A process that has scored once, and then forks children that score the same file and are killed in the middle.

python killed_run.py MODEL INPUT FOLDER KILLS: prints, for each kill, whether the result of the next run was that of an
uninterrupted one to the byte, and how many chunks that run found finished.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from dxmatch.jobs.job import score_files

CHUNK_ROWS = 400


def main() -> None:
    model, source, folder, kills = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4])

    def score(output: Path) -> int:
        return score_files(source, output, model=model, chunk_rows=CHUNK_ROWS, workers=2).resumed

    def forked(output: Path, seconds: float | None) -> tuple[int, float]:
        """What a child found finished (its exit code; 255 where it was killed), and how long it took."""
        start = time.monotonic()
        if (child := os.fork()) == 0:
            code = 254
            try:
                code = score(output)
            finally:
                os._exit(code)
        if seconds is not None:
            time.sleep(seconds)
            os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        return 255 if os.WIFSIGNALED(status) else os.WEXITSTATUS(status), time.monotonic() - start

    whole = folder / "whole.parquet"
    score(whole)
    took = sorted(forked(folder / "timed.parquet", None)[1] for _ in range(3))[1]
    for number in range(kills):
        output = folder / f"{number}.parquet"
        code, _ = forked(output, took * (number + 0.5) / kills)
        code, _ = (0, 0) if code != 255 and output.exists() else forked(output, None)
        same = output.read_bytes() == whole.read_bytes()
        left = sorted(path.name for path in folder.glob(f"*{number}.parquet*") if path != output)
        print(int(same), code, *[name for name in left if name.startswith((f"{number}.", f"_{number}."))])


if __name__ == "__main__":
    main()
