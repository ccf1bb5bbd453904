"""The shipped model behind the application, read once, and a real server of it."""

from __future__ import annotations

import contextlib
import threading
import time

import pytest

import dxmatch


@pytest.fixture(scope="session")
def m():
    return dxmatch.load()


@pytest.fixture(scope="session")
def served():
    """Gives the address of an application on a port of its own, while the block runs."""
    import uvicorn

    @contextlib.contextmanager
    def running(application):
        config = uvicorn.Config(application, port=0, log_level="error", access_log=False, lifespan="off", ws="none")
        server = uvicorn.Server(config)
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
