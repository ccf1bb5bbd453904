"""Models of the Hugging Face hub: pushed, fetched by the user's word, verified, from a server on loopback."""

from __future__ import annotations

import pickle
import socket
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.matcher.hub import hub_name
from dxmatch.models.folder import contents_of

from ..conftest import Done
from ..hub_server import Hub

NAME = "clinic/own"
A, B = ["mild flu", "organ pain", "flu"], ["flu", "pain of organs", "gout"]


@pytest.fixture
def pushed(hub: Hub, own: dxmatch.MatchFunction) -> str:
    """The commit of `own` on the hub."""
    return own.push_to_hub(NAME).partition("@")[2]


def test_pushed_and_fetched_is_the_same(hub: Hub, pushed: str, own: dxmatch.MatchFunction) -> None:
    assert hub.repositories[NAME]["private"] is True
    assert set(hub.repositories[NAME]["commits"][pushed]) == {*contents_of(own.parts, "own"), "README.md"}
    readme = hub.repositories[NAME]["commits"][pushed]["README.md"].decode()
    assert readme.startswith('---\nlibrary_name: dxmatch\nlanguage: "en"\n') and "# own" in readme
    for m in (
        dxmatch.load(NAME, loading=dxmatch.Loading(revision=pushed, allow_download=True)),
        dxmatch.load(f"{NAME}@{pushed}"),
        dxmatch.MatchFunction.from_pretrained(NAME, loading=dxmatch.Loading(revision=pushed)),
    ):
        assert (m.identity, m.fetched_from) == (own.identity, f"{NAME}@{pushed}")
        np.testing.assert_array_equal(m.probabilities(A, B), own.probabilities(A, B))
        assert pickle.loads(pickle.dumps(m)).fetched_from == m.fetched_from


def test_nothing_is_asked_without_the_users_word(hub: Hub, pushed: str) -> None:
    hub.asked.clear()
    with pytest.raises(
        dxmatch.InputError,
        match=r"^no such folder here; clinic/own: .*nothing is fetched unasked.*Or: loading=dxmatch.Loading\(allow_download=True\) fetches it",
    ):
        dxmatch.load(NAME)
    assert hub.asked == []
    dxmatch.load(NAME, loading=dxmatch.Loading(revision=pushed, allow_download=True))
    hub.asked.clear()
    dxmatch.load(NAME, loading=dxmatch.Loading(revision=pushed))
    dxmatch.load(NAME, loading=dxmatch.Loading(revision=pushed, allow_download=True))
    assert hub.asked == [], "a commit that the cache holds is never asked for again"


def test_without_a_commit_a_warning_says_which_it_is(hub: Hub, pushed: str, own: dxmatch.MatchFunction) -> None:
    for revision in (None, "main"):
        with pytest.warns(UserWarning, match=f'{NAME} without a commit .* this one is revision="{pushed}"'):
            dxmatch.load(NAME, loading=dxmatch.Loading(revision=revision, allow_download=True))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = dxmatch.load(NAME, loading=dxmatch.Loading(revision=pushed)).identities[-1]
        dxmatch.load(NAME, loading=dxmatch.Loading(identity=whole))
        with pytest.raises(dxmatch.ModelError, match="not own@0000"):
            dxmatch.load(NAME, loading=dxmatch.Loading(identity="own@" + "0" * 64))


def test_a_changed_model_is_refused_and_nothing_but_what_the_model_lists_is_fetched(hub: Hub, pushed: str) -> None:
    commit = hub.commit(NAME, {"setup.py": b"raise SystemExit", "model.pkl": b"\x80"})
    hub.asked.clear()
    dxmatch.load(NAME, loading=dxmatch.Loading(revision=commit, allow_download=True))
    assert not [request for request in hub.asked if "setup.py" in request or "model.pkl" in request]
    commit = hub.commit(NAME, {"model.safetensors": b"x"})
    with pytest.raises(dxmatch.ModelError, match=f"{NAME}@.*/model.safetensors: changed since it was written"):
        dxmatch.load(NAME, loading=dxmatch.Loading(revision=commit, allow_download=True))


def test_a_public_repository_is_asked_for(hub: Hub, own: dxmatch.MatchFunction) -> None:
    hub.make(NAME, private=False)
    with pytest.raises(dxmatch.ModelError, match=r"is there and public.*private=False"):
        own.push_to_hub(NAME)
    commit = own.push_to_hub(NAME, private=False, branch="trial", message="first").partition("@")[2]
    assert hub.repositories[NAME]["refs"] == {"trial": commit}


def test_without_a_network_it_is_told_at_once(
    hub: Hub, own: dxmatch.MatchFunction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The library would try again for 23 s; what the cache holds is still taken."""
    commit = own.push_to_hub(NAME).partition("@")[2]
    dxmatch.load(NAME, loading=dxmatch.Loading(revision=commit, allow_download=True))
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        gone = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", gone)
        monkeypatch.setattr(
            "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", gone + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr("time.sleep", lambda seconds: pytest.fail(f"waits {seconds} s"))
        with pytest.raises(dxmatch.ModelError, match=r"^clinic/none: could not be fetched from the hub \(.+\)\.$"):
            dxmatch.load("clinic/none", loading=dxmatch.Loading(allow_download=True))
        assert (
            dxmatch.load(NAME, loading=dxmatch.Loading(revision=commit, allow_download=True)).identity == own.identity
        )


def test_a_folder_goes_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: dxmatch.MatchFunction) -> None:
    own.save(tmp_path / NAME)
    monkeypatch.chdir(tmp_path)
    assert dxmatch.load(NAME).fetched_from is None
    with pytest.raises(dxmatch.OptionError, match="left out for a model that is a folder"):
        dxmatch.load(NAME, loading=dxmatch.Loading(revision="main"))


@pytest.mark.parametrize(
    ("path", "revision", "expected"),
    [
        ("org/name", None, ("org/name", None)), ("org/name", "v1", ("org/name", "v1")),
        ("org/name@v1", None, ("org/name", "v1")), (Path("org/name"), None, None), ("name", None, None),
        ("./org/name", None, None), ("a/b/c", None, None), ("/a/b", None, None), (None, None, None),
    ],
)  # fmt: skip
def test_what_is_a_name_of_the_hub(path: object, revision: str | None, expected: object) -> None:
    assert hub_name(path, revision) == expected
    with pytest.raises(dxmatch.OptionError, match="left out where the name says it"):
        hub_name("org/name@v1", "v2")


def test_from_the_command_line(
    hub: Hub,
    own: dxmatch.MatchFunction,
    command: Callable[..., Done],
    tmp_path: Path,
) -> None:
    folder, pairs, out = own.save(tmp_path / "own"), tmp_path / "pairs.csv", tmp_path / "out.csv"
    pairs.write_text("a,b\nmild flu,flu\nflu,gout\n")
    done = command("model", "push", folder, NAME)
    commit = hub.repositories[NAME]["refs"]["main"]
    assert (done.code, f"--matcher {NAME}@{commit}" in done.out.replace("\n", " ")) == (0, True), done.err
    refused = command("score", pairs, "-o", out, "--matcher", NAME)
    assert refused.code == 1
    assert "Or: --allow-download fetches it." in " ".join(refused.err.split())
    done = command("score", pairs, "-o", out, "--matcher", f"{NAME}@{commit}", "--allow-download")
    assert done.code == 0, done.err
    assert (
        pd.read_csv(out, float_precision="round_trip")["probability"].tolist()
        == own.probabilities(A[::2], B[::2]).tolist()
    )
    shown = command("model", "show", f"{NAME}@{commit}")
    assert f"{NAME}@{commit}" in shown.out and own.identity in shown.out


def test_without_the_extra_a_wrong_path_is_said_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(
        dxmatch.DxmatchError, match=r"models/mine: no such folder here; a model of the hub needs an extra"
    ):
        dxmatch.load("models/mine")
    with pytest.raises(dxmatch.ModelError, match="no such folder"):
        dxmatch.load("mine")
