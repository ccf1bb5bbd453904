"""`python -m dxmatch.tests.golden.asked.store`: makes `store.sqlite` anew, with all that the run `vote_store` asks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from .adapter import HERE, find

if __name__ == "__main__":
    run = json.loads((HERE / "runs" / "vote_store.json").read_text("utf-8"))
    with TemporaryDirectory() as folder:
        place = HERE / run.pop("begins_with")
        find(run, Path(folder))
        shutil.copy(Path(folder) / "store.sqlite", place)
