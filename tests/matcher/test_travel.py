"""Where M comes from and goes: folders and what is said of them, the hub, pickles, other processes."""

from __future__ import annotations

import copy
import hashlib
import io
import os
import pickle
import socket
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib.externals.loky.backend.reduction import dumps as dumps_of_loky

import dxmatch
from dxmatch.errors import InputError, ModelError
from dxmatch.matcher import match_function
from dxmatch.models.folder import SHIPPED_MODEL, contents_of
from dxmatch.terms.encoders.declared import EncoderSpec
from dxmatch.votes.store.store import VoteStore

from ..conftest import Done
from ..hub_server import Hub
from ..small_model import STRINGS, model_of

NAME, A, B = "clinic/own", ["mild flu", "organ pain", "flu"], ["flu", "pain of organs", "gout"]
Loading = dxmatch.Loading


@pytest.fixture(autouse=True)
def nothing_has_arrived() -> Iterator[None]:
    match_function._ARRIVED.clear()
    yield
    match_function._ARRIVED.clear()


def by_joblib(m: Any) -> Any:
    joblib.dump(m, file := io.BytesIO())
    file.seek(0)
    return joblib.load(file)


def by_pickle(m: Any) -> Any:
    return pickle.loads(pickle.dumps(m))


@pytest.mark.parametrize("way", [by_pickle, by_joblib, lambda m: pickle.loads(dumps_of_loky(m)), copy.copy, copy.deepcopy])  # fmt: skip
def test_the_same_arrives(way: Any, own: dxmatch.MatchFunction) -> None:
    for m in (own, shipped := dxmatch.load(policy="strict", judge_all=True, min_coverage=0.5)):
        m = copy.copy(m)
        m.threshold = 0.75
        there = way(m)
        assert there is not m and (there.identity, there.threshold) == (m.identity, 0.75)
    assert (there.policy, there.judge_all, there.min_coverage) == ("strict", True, 0.5)
    there = way(own)
    np.testing.assert_array_equal(there.probabilities(A, B), own.probabilities(A, B))
    assert there.probability("XQZ", "mild flu") == 1, "its own abbreviations go with it"
    there.threshold = 0.01
    assert own.threshold != 0.01
    # what every dxmatch holds does not travel, and a task does not open the model anew
    assert len(pickle.dumps(shipped)) < 2_000 and len(pickle.dumps(own)) < 500_000
    assert by_pickle(own).providers is by_pickle(own).providers


def test_from_a_folder_its_path_travels_and_so_does_a_stores(tmp_path: Path, own: dxmatch.MatchFunction) -> None:
    VoteStore(path := tmp_path / "votes.db").close()
    sent = pickle.dumps(dxmatch.load(own.save(tmp_path / "own"), loading=Loading(store=path)))
    arrived = pickle.loads(sent)
    assert len(sent) < 2_000 and arrived.probabilities(A, B).tolist() == own.probabilities(A, B).tolist()
    assert arrived.providers.store.path == path
    gone = [
        (lambda: path.rename(tmp_path / "elsewhere.db"), r"votes\.db"),
        (lambda: dxmatch.MatchFunction(replace(own.parts, card="# other")).save(tmp_path / "own", overwrite=True), "own: holds another model than the one that was sent"),
        (lambda: (tmp_path / "own").rename(tmp_path / "elsewhere"), "own: no such folder"),
    ]  # fmt: skip
    for change, told in gone:
        match_function._ARRIVED.clear()
        change()
        with pytest.raises(dxmatch.DxmatchError, match=told):
            pickle.loads(sent)
    arrive, (source, _, *options) = dxmatch.load().__reduce__()
    with pytest.raises(ModelError, match="of another release: holds another model than the one that was sent"):
        arrive(source, "1" * 64, *options)


FORK = """
import multiprocessing, os
import dxmatch

names = [f"{x} of the {y}" for x in ("cancer", "infection", "stenosis") for y in ("heart", "lung", "liver", "kidney")]
others = ["injury of the eye", "pain of the toe", "abscess of the lung", "gout of the toe", "lesion of the lung"]
m = dxmatch.load()
m.link(names, others)

def again(_):
    return m.probabilities(others, others[::-1]).tolist(), m.link(names[:3], others)["note"].to_pylist(), dxmatch.icd(others, matcher=m)["icd10"].to_pylist()
expected = again(0)
if (child := os.fork()) == 0:
    os._exit(0 if again(0) == expected else 3)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map(again, range(4))
assert all(one == again(0) == expected for one in found), found
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_parent_and_children_of_a_fork_score_link_and_map() -> None:
    """As `multiprocessing` forks on Linux, and gunicorn with `--preload`, after M was used for several names that need a search."""
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("digits", [12, 64])
def test_the_identities_of_a_model(digits: int) -> None:
    whole = hashlib.sha256((SHIPPED_MODEL / "model.json").read_bytes()).hexdigest()
    for known in (f"offline-en@{whole[:12]}", f"offline-en@{whole}", whole):
        m = dxmatch.load(policy="strict", loading=Loading(identity=known))
        assert m.identities == (m.identity, f"offline-en@{whole}") and m.identity == f"offline-en@{whole[:12]}"
    told = rf"^The model is offline-en@[0-9a-f]{{{digits}}}, not mine@0{{{digits}}}\.$"
    with pytest.raises(ModelError, match=told):
        dxmatch.load(loading=Loading(identity=f"mine@{'0' * digits}"))


def with_encoder(folder: Path, **table: str) -> Path:
    """A model with a cosine of an encoder, and what a table declares of it."""
    columns = [{"name": "cosine_x", "kind": "cosine", "encoder": "enc"}, STRINGS[1]]
    return model_of(folder, columns, encoder={"enc": table})


def test_the_command_line_of_a_model_folder(command: Callable[..., Done], tmp_path: Path) -> None:
    """A folder reaches nothing by itself."""
    hub, path = with_encoder(tmp_path / "hub", model="attacker/model", revision="main"), with_encoder(tmp_path / "path", model="/etc")  # fmt: skip
    pair = ("explain", "gout", "gouty arthritis")
    for arguments, code, told in (
        (("model", "show"), 0, dxmatch.load().identities[-1]), (("model", "show", hub), 0, "'attacker/model' of the Hugging Face hub"),
        ((*pair, "--identity", "offline-en@000000000000"), 1, "not offline-en@000000000000"), ((*pair, "--identity", "x"), 2, "The option --identity must be NAME@HASH"),
        ((*pair, "--matcher", hub), 1, "Or: --allow-download fetches it.\n"), ((*pair, "--matcher", path), 1, "Or: --encoders enc=FOLDER says it.\n"),
        ((*pair, "--matcher", path, "--encoders", "enc"), 2, "--encoders"), ((*pair, "--matcher", path, "--encoders", f"enc={tmp_path}"), 1, "without modules.json"),
    ):  # fmt: skip
        done = command(*arguments)
        assert done.code == code and told in done.output, done


@pytest.fixture
def pushed(hub: Hub, own: dxmatch.MatchFunction) -> str:
    """The commit of `own` on the hub."""
    return own.push_to_hub(NAME).partition("@")[2]


def test_pushed_and_fetched_is_the_same(hub: Hub, pushed: str, own: dxmatch.MatchFunction) -> None:
    assert hub.repositories[NAME]["private"] is True
    files = hub.repositories[NAME]["commits"][pushed]
    assert {*files} == {*contents_of(own.parts, "own"), "README.md"}
    assert files["README.md"].startswith(b'---\nlibrary_name: dxmatch\nlanguage: "en"\n') and b"# own" in files["README.md"]  # fmt: skip
    hub.asked.clear()
    with pytest.raises(InputError, match=r"clinic/own: .*nothing is fetched unasked.*Or: the option 'allow_download' fetches it"):  # fmt: skip
        dxmatch.load(NAME)
    assert hub.asked == []
    dxmatch.load(NAME, loading=Loading(revision=pushed, allow_download=True))
    hub.asked.clear()
    for m in (dxmatch.load(f"{NAME}@{pushed}"), dxmatch.MatchFunction.from_pretrained(NAME, loading=Loading(revision=pushed))):  # fmt: skip
        assert (m.identity, m.fetched_from, by_pickle(m).fetched_from) == (own.identity, *[f"{NAME}@{pushed}"] * 2)
        np.testing.assert_array_equal(m.probabilities(A, B), own.probabilities(A, B))
    assert hub.asked == [], "a commit that the cache holds is never asked for again"
    with pytest.warns(UserWarning, match=f'{NAME} without a commit .* this one is revision="{pushed}"'):
        dxmatch.load(NAME, loading=Loading(revision="main", allow_download=True))
    with warnings.catch_warnings(action="error"):
        dxmatch.load(NAME, loading=Loading(identity=own.identities[-1]))
    hub.make("clinic/open", private=False)
    with pytest.raises(ModelError, match=r"is there and public.*private=False"):
        own.push_to_hub("clinic/open")
    commit = own.push_to_hub("clinic/open", private=False, branch="trial", message="first").partition("@")[2]
    assert hub.repositories["clinic/open"]["refs"] == {"trial": commit}
    # Nothing but what the model lists is fetched, and a changed model is refused.
    commit = hub.commit(NAME, {"setup.py": b"raise SystemExit", "model.pkl": b"\x80"})
    dxmatch.load(NAME, loading=Loading(revision=commit, allow_download=True))
    assert not [request for request in hub.asked if "setup.py" in request or "model.pkl" in request]
    commit = hub.commit(NAME, {"model.safetensors": b"x"})
    with pytest.raises(ModelError, match=f"{NAME}@.*/model.safetensors: changed since it was written"):
        dxmatch.load(NAME, loading=Loading(revision=commit, allow_download=True))


def test_without_a_network_it_is_told_at_once(hub: Hub, pushed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library would try again for 23 s; what the cache holds is still taken."""
    dxmatch.load(NAME, loading=Loading(revision=pushed, allow_download=True))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        gone, constants = f"http://127.0.0.1:{nobody.getsockname()[1]}", "huggingface_hub.constants"
        monkeypatch.setattr(f"{constants}.ENDPOINT", gone)
        monkeypatch.setattr(f"{constants}.HUGGINGFACE_CO_URL_TEMPLATE", gone + "/{repo_id}/resolve/{revision}/{filename}")  # fmt: skip
        monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
        with pytest.raises(ModelError, match=r"^clinic/none: could not be fetched from the hub \(.+\)\.$"):
            dxmatch.load("clinic/none", loading=Loading(allow_download=True))
        dxmatch.load(NAME, loading=Loading(revision=pushed, allow_download=True))


def test_what_is_a_name_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: dxmatch.MatchFunction) -> None:
    own.save(tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    assert dxmatch.load(NAME).fetched_from is None, "a folder goes before"
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    for name, revision, told in [
        (NAME, "main", "left out for a model that is a folder"), ("org/name@v1", "v2", "left out where the name says it"),
        *((path, None, "no such folder") for path in (Path("org/name"), "mine", "./org/name", "a/b/c", "/a/b")),
        *((path, None, "not readable") for path in (Path("a\0b"), tmp_path / NAME / "CARD.md")),
        ("models/mine", None, "models/mine: no such folder here; a model of the hub needs an extra"),
    ]:  # fmt: skip
        with pytest.raises(dxmatch.DxmatchError, match=told):
            dxmatch.load(name, loading=Loading(revision=revision))


def test_the_hub_from_the_command_line(hub: Hub, own: Any, command: Callable[..., Done], tmp_path: Path) -> None:
    folder, pairs, out = own.save(tmp_path / "own"), tmp_path / "pairs.csv", tmp_path / "out.csv"
    pairs.write_text("a,b\nmild flu,flu\nflu,gout\n")
    done = command("model", "push", folder, NAME)
    commit = hub.repositories[NAME]["refs"]["main"]
    assert (done.code, f"--matcher {NAME}@{commit}" in done.out.replace("\n", " ")) == (0, True), done.err
    assert command("score", pairs, "-o", out, "--matcher", f"{NAME}@{commit}", "--allow-download").code == 0
    read = pd.read_csv(out, float_precision="round_trip")
    assert read["probability"].tolist() == own.probabilities(A[::2], B[::2]).tolist()


def test_the_commit_of_training_is_what_a_hub_name_means() -> None:
    commit = "1" * 40
    assert EncoderSpec("x", "owner/model").pinned(f"owner/model@{commit}-8").revision == commit
    assert EncoderSpec("x", "owner/model", revision="v1").pinned(f"owner/model@{commit}-8").revision == "v1"
    for other in (None, "owner/model@main-8", f"owner/other@{commit}-8", "sentence-0123456789ab-8"):
        assert EncoderSpec("x", "owner/model").pinned(other).revision is None
