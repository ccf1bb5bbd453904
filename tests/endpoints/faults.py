"""What servers and networks do wrong, on real sockets of loopback, and what is told of each. As a script it prints the table.

python tests/endpoints/faults.py
"""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

SECRET = "fibrosarcoma"
"""A word of the question, which every faulty reply repeats."""
TIMEOUT = 0.4
"""Seconds, of the calls that are never answered."""
ANSWER = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Yes"}, "finish_reason": "stop"}]})


def reply(body: str | bytes = ANSWER, status: str = "200 OK", length: int | None = None, **headers: str) -> bytes:
    raw = body.encode() if isinstance(body, str) else body
    lines = [
        f"HTTP/1.1 {status}",
        "Content-Type: application/json",
        f"Content-Length: {len(raw) if length is None else length}",
    ]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + raw


def said(message: str, **more: str) -> str:
    return json.dumps({"error": {"message": f"{message} ({SECRET})", **more}})


@dataclass
class Server:
    """Raw TCP; `act` answers one request on a connection; False from it ends the connection, True waits for a further request."""

    act: Callable[[socket.socket, int], object]
    context: object = None
    requests: list[bytes] = field(default_factory=list)
    connections: int = 0

    def __enter__(self) -> Server:
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listening.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            connection.settimeout(20)
            if self.context is not None:
                connection = self.context.wrap_socket(connection, server_side=True)
            while True:
                got = b""
                while b"\r\n\r\n" not in got:
                    if not (part := connection.recv(65_536)):
                        return
                    got += part
                head, _, body = got.partition(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0] or 0)
                while len(body) < length:
                    body += connection.recv(65_536)
                self.requests.append(head + b"\r\n\r\n" + body)
                if not self.act(connection, len(self.requests)):
                    return


def send(data: bytes) -> Callable[[socket.socket, int], bool]:
    return lambda connection, _: connection.sendall(data) is None


def cut(data: bytes) -> Callable[[socket.socket, int], bool]:
    return lambda connection, _: connection.sendall(data) is not None


def reset(connection: socket.socket, _: int) -> bool:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    return False


def forever(part: bytes, pause: float = 0.0, before: bytes = b"") -> Callable[[socket.socket, int], bool]:
    def act(connection: socket.socket, _: int) -> bool:
        connection.sendall(before)
        while True:
            connection.sendall(part)
            time.sleep(pause)

    return act


def hang(connection: socket.socket, _: int) -> bool:
    connection.recv(1)
    return False


ZEROS = bytes(1 << 20)


def bomb(gigabytes: float) -> bytes:
    """gzip of a JSON text of so many gigabytes of blanks, a thousandth of that on the wire."""
    packer = zlib.compressobj(9, wbits=31)
    blanks = b" " * (1 << 20)
    return b"".join(packer.compress(blanks) for _ in range(int(gigabytes * 1024))) + packer.flush()


def packed(encoding: str) -> bytes:
    body = {"gzip": gzip.compress, "deflate": zlib.compress}.get(encoding, bytes)(ANSWER.encode())
    return reply(body, Content_Encoding=encoding)


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"

# name -> (what the server does, what is told after the endpoint's name and address)
FAULTS: dict[str, tuple[Callable[[socket.socket, int], object], str]] = {
    "no answer": (hang, "time-out: no whole answer within 0.4 s"),
    "a body of one byte now and then": (forever(b" ", 0.2, reply("", length=9_999)), "time-out: no whole answer within 0.4 s"),
    "headers of one byte now and then": (forever(b"a", 0.2, b"HTTP/1.1 200 OK\r\nX: "), "time-out: no whole answer within 0.4 s"),
    "interim replies without end": (forever(b"HTTP/1.1 100 Continue\r\n\r\n", 0.01), "time-out: no whole answer within 0.4 s"),
    "chunks without end": (forever(b"100000\r\n" + ZEROS + b"\r\n", 0, CHUNKED), "too long: a reply of more than 4,194,304 bytes"),
    "10 MB": (send(reply(b" " * 10_000_000)), "too long: a reply of more than 4,194,304 bytes"),
    "a header of 5 MB": (send(reply(X=SECRET * 400_000)), "connection: what came is no HTTP"),
    "a connection reset": (reset, "connection: the connection was lost (Connection reset by peer)"),
    "closed without an answer": (cut(b""), "connection: the server closed the connection without an answer"),
    "cut in the midst": (cut(reply(length=9_999)), "connection: the server closed the connection in the midst of its answer"),
    "no HTTP": (send(f"{SECRET} is not HTTP\r\n\r\n".encode()), "connection: what came is no HTTP"),
    "a header that is none": (send(f"HTTP/1.1 200 OK\r\n{SECRET}\r\n\r\n".encode()), "connection: what came is no HTTP"),
    "chunks that are none": (send(CHUNKED + SECRET.encode() + b"\r\n"), "connection: what came is no HTTP"),
    "no content": (send(b"HTTP/1.1 204 No Content\r\n\r\n"), "malformed: the reply is not JSON: Expecting value: line 1 column 1 (char 0)"),
    "JSON of 100,000 levels": (send(reply("[" * 100_000)), "malformed: the reply is not of the protocol (maximum recursion depth exceeded"),
    "a page": (send(reply(f"<html>{SECRET}</html>")), "malformed: the reply is not JSON: a web page (HTML): `url` must lead to the server's API"),
    "other JSON": (send(reply(json.dumps({"choices": SECRET}))), "malformed: the reply is not of the protocol (Expected `array`, got `str` - at `$.choices`)"),
    "gzip": (send(packed("gzip")), "malformed: a reply in gzip, which was not asked for, and is not unpacked"),
    "deflate": (send(packed("deflate")), "malformed: a reply in deflate, which was not asked for, and is not unpacked"),
    "brotli": (send(packed("br")), "malformed: a reply in br, which was not asked for, and is not unpacked"),
    "zstd": (send(packed("zstd")), "malformed: a reply in zstd, which was not asked for, and is not unpacked"),
    "gzip in gzip": (send(packed("gzip, gzip")), "malformed: a reply in several encodings, which was not asked for, and is not unpacked"),
    "an encoding by another name": (send(packed(SECRET)), "malformed: a reply in an encoding, which was not asked for, and is not unpacked"),
    "gzip unsaid": (send(reply(gzip.compress(ANSWER.encode()))), "malformed: the reply is not JSON: 'utf-8' codec can't decode byte 0x8b in position 1: invalid start byte"),
    "redirected to another host": (send(reply("", "307 Temporary Redirect", Location=f"http://127.0.0.2:1/{SECRET}")), "redirect: status 307 to another host; none is followed: mend `url`"),
    "redirected to https": (send(reply("", "301 Moved", Location="/elsewhere")), "redirect: status 301 to another path of this host; none is followed: mend `url`"),
    "redirected nowhere": (send(reply("", "302 Found")), "redirect: status 302 to nowhere; none is followed: mend `url`"),
    "bad request": (send(reply(said("bad"), "400 Bad Request")), "refused question: status 400: it takes no such request: check the model's name and the parameters"),
    "too long a question": (send(reply(said("long", code="context_length_exceeded"), "400 Bad Request")), "refused question: status 400, context_length_exceeded: what was asked is longer than the model reads"),
    "a code of its own": (send(reply(said("odd", code=SECRET), "400 Bad Request")), "refused question: status 400: it takes no such request: check the model's name and the parameters"),
    "unauthorised": (send(reply(said("key"), "401 Unauthorized")), "refused key: status 401: it does not take the key in DXMATCH_TEST_KEY"),
    "payment": (send(reply(said("pay"), "402 Payment Required")), "payment required: status 402: its account has no credit left"),
    "forbidden": (send(reply(said("no"), "403 Forbidden")), "forbidden: status 403: the key may not ask this model, or not from here"),
    "no such model": (send(reply(said("no", code="model_not_found"), "404 Not Found")), "not found: status 404, model_not_found: no such model there"),
    "no such path": (send(reply(f"404: {SECRET}", "404 Not Found")), "not found: status 404: no such path or model: `url` must end where /chat/completions follows, and the model be served there"),
    "no quota": (send(reply(said("no", code="insufficient_quota"), "429 Too Many Requests")), "rate limited: status 429, insufficient_quota: its account has no credit left"),
    "come back in 30 years": (send(reply(said("later"), "429 Too Many Requests", Retry_After="1000000000")), "rate limited: status 429: it asks for a wait of over 1,000,000 s, longer than 300 s; run this again later"),
    "come back at nan": (send(reply(said("later"), "429 Too Many Requests", Retry_After="nan")), "rate limited: status 429: lower `concurrency`, or set `per_minute`"),
    "come back at 10^400": (send(reply(said("later"), "429 Too Many Requests", Retry_After="9" * 400)), "rate limited: status 429: lower `concurrency`, or set `per_minute`"),
    "a server error": (send(reply(said("traceback"), "500 Internal Server Error")), "server error: status 500: the server failed; its own log says why"),
    "a gateway's page": (send(reply(f"<html>{SECRET}</html>", "502 Bad Gateway")), "server error: status 502: the server failed; its own log says why"),
    "a status of its own": (send(reply(said("tea"), f"418 {SECRET}")), "refused question: status 418: it takes no such request: check the model's name and the parameters"),
}  # fmt: skip

READ: dict[str, Callable[[socket.socket, int], object]] = {
    "usage of nan and 10^30": send(reply(ANSWER[:-1] + ', "usage": {"prompt_tokens": NaN, "completion_tokens": 1e30}}')),
    "a cookie": send(reply(Set_Cookie="track=abc; Path=/")),
    "a second reply at once": send(reply() + reply(ANSWER.replace("Yes", "No"))),
}  # fmt: skip
"""Replies that are odd, and answers all the same."""


@contextlib.contextmanager
def self_signed() -> Iterator[object]:
    """A TLS context with a certificate that nobody trusts."""
    import ssl

    with tempfile.TemporaryDirectory() as folder:
        key, certificate = Path(folder) / "key.pem", Path(folder) / "cert.pem"
        made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2"]
        subprocess.run(["openssl", *made, "-subj", "/CN=localhost"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        yield context


def main() -> None:
    import asyncio

    from dxmatch.endpoints.client import EndpointClient, EndpointError
    from dxmatch.endpoints.endpoint import Endpoint

    os.environ["DXMATCH_TEST_KEY"] = "sk-0123-none-may-see-this"

    async def told(url: str) -> str:
        endpoint = Endpoint("lab", url, key_env="DXMATCH_TEST_KEY", timeout=TIMEOUT, tries=1)
        try:
            async with EndpointClient(endpoint) as client:
                return f"answered {(await client.chat('m', [{'role': 'user', 'content': SECRET}], {})).text!r}"
        except EndpointError as error:
            return str(error).removeprefix(f"{error.address}: ")

    def line(name: str, url: str) -> None:
        start = time.monotonic()
        print(f"| {name} | {asyncio.run(told(url))} | {time.monotonic() - start:.1f} s |", flush=True)

    print("| what the server does | what is told | after |\n| --- | --- | --- |")
    for name, act in {**{name: act for name, (act, _) in FAULTS.items()}, **READ}.items():
        with Server(act) as server:
            line(name, f"http://127.0.0.1:{server.port}/v1")
    with self_signed() as context, Server(send(reply()), context) as server:
        line("a certificate that nobody trusts", f"https://127.0.0.1:{server.port}/v1")
    with Server(send(reply())) as server:
        line("no TLS where https is asked for", f"https://127.0.0.1:{server.port}/v1")
    line("nothing listens", "http://127.0.0.1:11434/v1")
    line("a name without an address", "http://models.invalid/v1")
    line("an address that does not answer", "http://192.0.2.1:8000/v1")


if __name__ == "__main__":
    sys.exit(main())
