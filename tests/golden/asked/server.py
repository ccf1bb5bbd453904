"""The server on loopback that golden runs ask, and the batch service that it plays."""

from __future__ import annotations

import atexit
import json
import runpy
import urllib.request
from functools import cache
from pathlib import Path
from typing import Any


@cache
def server() -> Any:
    """A `Loopback`, once in a process."""
    started = runpy.run_path(str(Path(__file__).parents[2] / "loopback_server.py"))["Loopback"]()
    atexit.register(started.stop)
    return started


def answer_batch(folder: str, output: str) -> None:
    """Asks the server what the batch files of a folder hold, and writes the results, the last first."""
    done = []
    for line in [line for file in sorted(Path(folder).iterdir()) for line in file.read_text("utf-8").splitlines()]:
        asked = json.loads(line)
        with urllib.request.urlopen(f"{server().url}/chat/completions", json.dumps(asked["body"]).encode()) as reply:
            response = {"status_code": 200, "body": json.load(reply)}
        done.append(json.dumps({"custom_id": asked["custom_id"], "response": response, "error": None}))
    Path(output).write_text("\n".join(reversed(done)), "utf-8")
