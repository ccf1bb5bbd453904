"""The server that other tests ask answers on, whoever leaves it in the middle of an answer."""

from __future__ import annotations

import json
import socket
from typing import Any


def test_one_who_leaves_an_endless_answer_holds_up_nobody(loopback: Any) -> None:
    loopback.rules({"endless": True})
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "x"}]}).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: {len(body)}\r\n\r\n".encode()
    for leavers in range(1, 31):
        with socket.create_connection(("127.0.0.1", loopback.port), timeout=30) as client:
            client.sendall(head + body)
            left = 2_000_000
            while left > 0:
                left -= len(client.recv(1 << 20))
        assert loopback.log()["calls"] == leavers
