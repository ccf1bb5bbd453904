"""A fixture that takes the network away, for tests in whose folder a conftest.py imports it. A test of a server on loopback asks for `loopback`."""

from __future__ import annotations

import socket
from typing import Any, NoReturn

import pytest


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connecting and looking up names both fail, but for a test with the fixture `loopback`, which may reach this machine."""
    local = "loopback" in request.fixturenames
    connect, connect_ex, look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse(*what: Any) -> NoReturn:
        raise AssertionError(f"no network in this test: {what}")

    def is_here(host: object) -> bool:
        return local and host in ("127.0.0.1", "localhost", "::1")

    def to(usual: Any) -> Any:
        def checked(self: socket.socket, address: Any) -> Any:
            unix = self.family == getattr(socket, "AF_UNIX", None)
            return usual(self, address) if unix or is_here(address[0]) else refuse(address)

        return checked

    monkeypatch.setattr(socket.socket, "connect", to(connect))
    monkeypatch.setattr(socket.socket, "connect_ex", to(connect_ex))
    monkeypatch.setattr(
        socket,
        "getaddrinfo",
        lambda host, *rest, **more: look_up(host, *rest, **more) if is_here(host) else refuse(host),
    )
