"""Folders made to get out: `python -m tests.fuzz folders --number 125`.

Model folders that name hub models, paths and addresses as encoders, and sentence-transformers folders, named by the user, that
hold what `hostile_folders` puts there. A process of its own opens each and scores a pair. It counts what leaves: connections and
look-ups (of a server on loopback that stands for the hub, too), processes, files written elsewhere, code of the folder that ran. A
folder is refused in one clear line, or, where what it holds is harmless, gives a finite score.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

BATCH = 125
SECONDS_EACH = 60
LONGEST = 1_000
"""Characters of a refusal."""


def run(number: int, seed: int) -> list[str]:
    """What went wrong with `number` folders: each kind once, in another order for another seed, then two at a time."""
    return report(number, seed)["findings"]


def report(number: int, seed: int) -> dict[str, Any]:
    """findings; outcomes by kind."""
    requests: list[str] = []

    class Hub(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            requests.append(f"{self.command} {self.path}")
            self.send_error(404)

        do_HEAD = do_POST = do_GET

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as hub, tempfile.TemporaryDirectory() as folder:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{hub.server_port}"
        own = {
            "HF_HOME": f"{folder}/hf",
            "HOME": f"{folder}/case",
            "HF_ENDPOINT": url,
            "DXMATCH_CACHE": f"{folder}/cache",
        }
        offline = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "SENTENCE_TRANSFORMERS_HOME")
        environment = {name: value for name, value in os.environ.items() if name not in offline}
        command = [sys.executable, "-m", "dxmatch.tests.fuzz.folders", folder, str(number), str(seed)]
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env={**environment, **own, "OMP_NUM_THREADS": "1"}
        )
        hub.shutdown()
    if done.returncode:
        return {
            "findings": [f"the process ended with {done.returncode}:\n{done.stderr[-3000:]}"],
            "outcomes": {},
        }
    said = json.loads(done.stdout.splitlines()[-1])
    said["findings"] += [f"request to the hub: {one}" for one in requests]
    said["requests"] = len(requests)
    return said


def worker(folder: Path, number: int, seed: int) -> dict[str, Any]:
    import resource

    from dxmatch.matcher.loading import Loading
    from dxmatch.matcher.match_function import load
    from dxmatch.tests.fuzz.hostile_folders import ENCODERS, NAMES, TABLES
    from dxmatch.tests.tiny_sentence_model import make_tiny_sentence_model

    resource.setrlimit(resource.RLIMIT_AS, (16 * 2**30, 16 * 2**30))
    (folder / "tiny").mkdir()
    with pytest.MonkeyPatch.context() as patched:  # to save a model, its library asks the hub for the base of its card
        patched.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        tiny, case = make_tiny_sentence_model(folder / "tiny"), folder / "case"
    case.mkdir()
    os.chdir(case)
    watched = Watch(folder)
    parts = model_parts()
    chance = random.Random(seed)
    cases: list[tuple[str, ...]] = [("encoder", kind) for kind in ENCODERS] + [("name", name) for name in NAMES]
    chance.shuffle(cases)
    while len(cases) < number:
        cases.append(("encoder", *chance.sample(list(ENCODERS), 2)))
    load(saved(parts, case / "warm", "own", {"model": "x"}), loading=Loading(encoders={"own": tiny})).probability(
        "gout", "flu"
    )
    sys.addaudithook(watched)
    findings, outcomes = [], Counter[str]()
    for kind, *what in cases[:number]:
        shutil.rmtree(case)
        case.mkdir()
        os.chdir(case)
        label = f"{kind} {what}"[:200]
        encoder = Path(shutil.copytree(tiny, case / "encoder"))
        marker = case / "marker"
        given: dict[str, Path] = {}
        if kind == "encoder":
            name, table = "own", {"model": "x"}
            given["own"] = encoder
            for one in what:
                with_errors_of_the_maker(ENCODERS[one], encoder, marker)
        else:
            shutil.copytree(tiny, case / "attacker" / "model")  # a trap in the working directory
            model = what[0].format(encoder=encoder, url=os.environ["HF_ENDPOINT"]) if "{" in what[0] else what[0]
            inline = chance.random() < 0.5
            name = f"sentence-transformers:{model}" if inline else "enc"
            table = None if inline else {**chance.choice(TABLES), "model": model}
        signal.alarm(SECONDS_EACH)
        outcome, words = tried(parts, case, name, table, given, watched)
        signal.alarm(0)
        outcomes[f"{kind}: {outcome}"] += 1
        wrong = list(watched.events)
        wrong += ["code ran"] if marker.exists() else []
        wrong += [f"ended in {words}"] if outcome == "crash" else []
        wrong += ["opened, and nobody but the model named it"] if kind == "name" and outcome == "finite" else []
        wrong += [f"not one clear line: {words!r}"] if outcome == "refused" and not clear(words) else []
        findings += [f"{label}: {one}" for one in wrong]
    return {"findings": findings, "outcomes": dict(outcomes)}


def with_errors_of_the_maker(make: Any, encoder: Path, marker: Path) -> None:
    """Two makers may be at odds: the second one finds gone what it would spoil."""
    try:
        make(encoder, marker)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        return


def tried(parts: Any, case: Path, name: str, table: Any, given: Any, watched: Watch) -> tuple[str, str]:
    from dxmatch.errors import DxmatchError
    from dxmatch.matcher.loading import Loading
    from dxmatch.matcher.match_function import load

    watched.events.clear()
    watched.on = False
    try:
        path = saved(parts, case / "model", name, table)
    except DxmatchError as error:
        return "refused", f"saving: {error}"
    watched.on = True
    try:
        value = load(path, loading=Loading(encoders=given)).probability("acute gout", "gouty arthritis")
    except DxmatchError as error:
        return "refused", str(error)
    except Exception as error:
        return "crash", f"{type(error).__name__}: {error}"
    finally:
        watched.on = False
    return ("finite" if np.isfinite(value) else "crash"), f"{value:.3f}"


def clear(words: str) -> bool:
    return 0 < len(words) <= LONGEST and words.isprintable()


class Watch:
    """Counts, while `on`, what an opened folder must not bring about. `folder` is where all may be written."""

    LEAVES = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.startfile", "urllib.Request", "webbrowser.open")  # fmt: skip

    def __init__(self, folder: Path) -> None:
        self.folder, self.on = str(folder), False
        self.events: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.on:
            return
        if event in self.LEAVES:
            self.events.append(f"{event} {arguments!r}"[:300])
        elif event == "open" and isinstance(arguments[0], str | bytes):
            path, flags = os.path.abspath(os.fsdecode(arguments[0])), arguments[2]  # noqa: PTH100
            writes = flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            if (
                writes
                and not path.startswith((self.folder, "/dev/null"))
                and not path.endswith(".pyc")
                and ".pyc." not in path
            ):
                self.events.append(f"wrote {path}")
        elif event == "import" and str(arguments[0]).startswith("modeling_x"):
            self.events.append(f"imported {arguments[0]}")


def model_parts() -> Any:
    """A small model of one cosine and one ratio."""
    import lightgbm

    from dxmatch.models.folder import ModelFolder
    from dxmatch.models.manifest import Made
    from dxmatch.terms.text.normalizer import Normalizer
    from dxmatch.tests.small_model import small_manifest
    from dxmatch.training.engines.fitted import trees_of

    names = ("cosine_x", "ratio_unigram")
    table = np.random.default_rng(0).random((200, 2)).astype(np.float32)
    data = lightgbm.Dataset(table, (table.sum(1) > 1).astype(int), feature_name=list(names))
    settings = {"objective": "binary", "num_leaves": 4, "verbosity": -1, "num_threads": 1, "min_data_in_leaf": 5}
    trees = trees_of([lightgbm.train(settings, data, num_boost_round=3)])
    made = Made("2025-01-31", "0.1.0", {})
    return ModelFolder(small_manifest(names, normalizer=Normalizer().spec(), made=made), trees)


def saved(parts: Any, path: Path, name: str, table: dict[str, Any] | None) -> Path:
    from dataclasses import replace

    import msgspec

    from dxmatch.models.folder import save

    columns = [
        {"name": "cosine_x", "kind": "cosine", "encoder": name},
        {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"},
    ]
    features = {"name": "x", "language": "en", "feature": columns}
    if table is not None:
        features["encoder"] = {name: table}
    return save(path, replace(parts, manifest=msgspec.structs.replace(parts.manifest, feature_set=features)))


if __name__ == "__main__":
    print(json.dumps(worker(Path(sys.argv[1]), *map(int, sys.argv[2:]))))
