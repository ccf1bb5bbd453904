"""A real server of an application."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

from dxmatch.serving.server import server_of


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    return tmp_path_factory.mktemp("labels") / "labels.csv"


@pytest.fixture(scope="session")
def served():
    """Gives the address of an application on a port of its own, while the block runs."""

    @contextlib.contextmanager
    def running(application):
        server = server_of(application)
        server.config.port = 0
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
        finally:
            server.should_exit = True
            thread.join(timeout=20)

    return running
