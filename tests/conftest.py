from __future__ import annotations

import os
import runpy
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import dxmatch
from dxmatch.tests.chromium import Tab, tab
from dxmatch.tests.command_line import Done, typed

# A first call compiles or opens a file; how long it takes says nothing about what it gives.
settings.register_profile("dxmatch", deadline=None)
settings.load_profile("dxmatch")

# A shell that starts a command in the background lets it ignore Ctrl-C; the tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SECRET_KEY = "sk-0123-none-may-see-this"
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real public data; a test that needs it is skipped where it is absent."""
    folder = Path(os.environ.get("DXMATCH_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "craft_md_pairs.csv").is_file():
        pytest.skip(f"no real data at {folder} (set DXMATCH_DATA)")
    return folder


@pytest.fixture(scope="session")
def example() -> Path:
    """The bundled example."""
    return ROOT / "example"


@pytest.fixture(scope="session")
def m() -> dxmatch.MatchFunction:
    """The match function that ships: its indexes are opened once."""
    return dxmatch.load()


@pytest.fixture(scope="session")
def few() -> dxmatch.MatchFunction:
    """The same with the words of a small vocabulary, so that it does not know German."""
    from dxmatch.terms.icd.naming import Naming
    from dxmatch.tests.small_vocabulary import small_vocabulary

    m = dxmatch.load()
    m.providers.naming = Naming(m.providers.normalizer, m.features.icd_source, small_vocabulary())
    return m


@pytest.fixture(scope="session")
def command() -> Callable[..., Done]:
    return typed


@pytest.fixture(scope="session")
def tiny_sentence_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a sentence-transformers model of two small layers with random weights: letters are its tokens."""
    from dxmatch.tests.tiny_sentence_model import make_tiny_sentence_model

    pytest.importorskip("torch", reason="a model of sentence-transformers is made by PyTorch")
    return make_tiny_sentence_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def endpoint(loopback: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes endpoints of the loopback server, whose key is `SECRET_KEY`."""
    from dxmatch.endpoints.endpoint import Endpoint

    monkeypatch.setenv("DXMATCH_TEST_KEY", SECRET_KEY)

    def made(**changes: Any) -> Endpoint:
        usual = {"name": "lab", "url": loopback.url, "key_env": "DXMATCH_TEST_KEY", "timeout": 20.0, "concurrency": 8}
        return Endpoint(**{**usual, **changes})

    return made


@pytest.fixture
def at_once() -> Iterator[None]:
    """No back-off between tries."""
    import stamina

    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture(scope="session")
def loopback_process() -> Iterator[Any]:
    server = runpy.run_path(str(ROOT / "tests" / "loopback_server.py"))["Loopback"]()
    yield server
    server.stop()


@pytest.fixture
def loopback(loopback_process: Any) -> Any:
    """A server of chat completions and embeddings in a process of its own, with no rule set; see `loopback_server.py`."""
    loopback_process.reset()
    return loopback_process


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with tab(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
