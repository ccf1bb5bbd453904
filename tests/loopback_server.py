"""A server of the chat-completions and embeddings protocols on loopback that can be told to misbehave.

Run as a script it prints its port and serves until its standard input closes. In tests, the fixture `loopback` yields a
`Loopback`: `.url` is the base of an endpoint, `.rules(*rules, delay=0.0)` says how to answer, `.log()` what was asked.

Without rules a question (the last message) is answered "Yes." or "No" by its SHA-256, and each text gets a vector of unit
length by its SHA-256. A rule is a dictionary; the first one that applies is followed.

When it applies (all that are given): `path` the end of the path; `contains` a text in the body as it was sent; `model`; `first` n: the
first n calls of each question; `times` n: its first n uses; `share` in [0, 1]: of the calls, drawn with a fixed seed.

What it does: `delay` seconds first, and then one of
    text, content, refusal, finish  parts of an ordinary completion (`content` is any JSON, `choices` replaces them all)
    status, error, code, headers    an error reply; `retry_after` seconds, or "date:SECONDS" for an HTTP date
    json | raw                      a reply with this JSON value or this text as its body; `status`, `content_type`
    reset "before" | "within"       the connection is reset before the reply, or in the middle of its body
    hang | drip                     no reply at all | one byte a second
    truncate "honest" | "lying"     half of the JSON, with a Content-Length that agrees or not
    redirect URL                    `status` 301 unless given
    echo "error" | "answer"         the Authorization header, in the text of an error (`status`, 400) or in the answer
    vectors                         "shuffled", "missing", "twice", "ragged", "nan", "zero", "words" embeddings
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import http.client
import json
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from email.utils import formatdate
from typing import Any

REASONS = {200: "OK", 301: "Moved Permanently", 307: "Temporary Redirect", 429: "Too Many Requests"}


class Loopback:
    """The server as a child process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def _call(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, json.dumps(body) if body is not None else None)
            return json.loads(connection.getresponse().read())
        finally:
            connection.close()

    def rules(self, *rules: dict[str, Any], delay: float = 0.0, dimensions: int = 8, keep: bool = True) -> None:
        """From now on; forgets the log. `delay`: seconds before every reply. `keep`: whole requests in the log."""
        self._call("POST", "/control", {"rules": list(rules), "delay": delay, "dimensions": dimensions, "keep": keep})

    def reset(self) -> None:
        self.rules()

    def log(self) -> dict[str, Any]:
        """calls, most_at_once; asked, answered: question -> how often; answers: question -> text; requests: path, headers, body, time."""
        return self._call("GET", "/log")

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


class State:
    """What the server was told, and what it was asked."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.rules: list[dict[str, Any]] = told.get("rules", [])
        self.delay: float = told.get("delay", 0.0)
        self.dimensions: int = told.get("dimensions", 8)
        self.keep: bool = told.get("keep", True)
        self.used = [0] * len(self.rules)
        self.draw = random.Random(0).random
        self.calls = self.now = self.most = 0
        self.asked: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.answers: dict[str, str] = {}
        self.requests: list[dict[str, Any]] = []

    def rule(self, path: str, raw: str, body: dict[str, Any], question: str) -> dict[str, Any]:
        for i, rule in enumerate(self.rules):
            if (
                path.endswith(rule.get("path", ""))
                and rule.get("contains", "") in raw
                and rule.get("model", body.get("model")) == body.get("model")
                and self.asked[question] <= rule.get("first", sys.maxsize)
                and self.used[i] < rule.get("times", sys.maxsize)
                and ("share" not in rule or self.draw() < rule["share"])
            ):
                self.used[i] += 1
                return rule
        return {}

    def log(self) -> dict[str, Any]:
        return {
            "calls": self.calls, "most_at_once": self.most, "asked": self.asked, "answered": self.answered,
            "answers": self.answers, "requests": self.requests,
        }  # fmt: skip


def verdict(question: str) -> str:
    return "Yes." if hashlib.sha256(question.encode("utf-8", "replace")).digest()[0] % 2 else "No"


def completion(body: dict[str, Any], question: str, rule: dict[str, Any], key: str) -> tuple[dict[str, Any], str]:
    text = key if rule.get("echo") == "answer" else rule.get("text", verdict(question))
    message = {"role": "assistant", "content": rule.get("content", text), "refusal": rule.get("refusal")}
    choice: dict[str, Any] = {
        "index": 0,
        "message": message,
        "finish_reason": rule.get("finish", "stop"),
        "logprobs": None,
    }
    if body.get("logprobs"):
        tokens = text.split() or [""]
        alternatives = [(tokens[0], -0.2), ("Yes" if tokens[0] == "No" else "No", -1.8), ("Maybe", -5.0)]
        kept = alternatives[: body.get("top_logprobs", 0)]
        top = [{"token": token, "logprob": value, "bytes": None} for token, value in kept]
        choice["logprobs"] = {
            "content": [{"token": token, "logprob": -0.2, "bytes": None, "top_logprobs": top} for token in tokens],
            "refusal": None,
        }
    prompt = sum(len(str(m.get("content")).split()) for m in body.get("messages", []))
    usage = {"prompt_tokens": prompt, "completion_tokens": 2, "total_tokens": prompt + 2}
    reply = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model"),
        "choices": rule.get("choices", [choice]), "usage": rule.get("usage", usage),
    }  # fmt: skip
    return reply, text


def vector(text: str, dimensions: int) -> list[float]:
    draw = random.Random(hashlib.sha256(text.encode("utf-8", "replace")).digest())
    values = [draw.gauss(0, 1) for _ in range(dimensions)]
    length = sum(v * v for v in values) ** 0.5
    return [v / length for v in values]


def embeddings(body: dict[str, Any], rule: dict[str, Any], state: State) -> dict[str, Any]:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [vector(text, body.get("dimensions") or state.dimensions) for text in texts]
    fault = rule.get("vectors")
    if fault == "ragged":
        vectors[-1] = vectors[-1][:-1]
    if fault in ("nan", "zero"):
        vectors[0] = [float("nan") if fault == "nan" else 0.0] * len(vectors[0])
    packed = body.get("encoding_format") == "base64"
    items: list[dict[str, Any]] = [
        {
            "object": "embedding",
            "index": i,
            "embedding": base64.b64encode(struct.pack(f"<{len(v)}f", *v)).decode() if packed else v,
        }
        for i, v in enumerate(vectors)
    ]
    if fault == "words":
        items[0]["embedding"] = ["a", "b"]
    if fault == "shuffled":
        random.Random(1).shuffle(items)
    if fault == "missing":
        items.pop()
    if fault == "twice":
        items[-1]["index"] = 0
    count = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": count, "total_tokens": count}
    return {"object": "list", "data": items, "model": body.get("model"), "usage": usage}


def reply_bytes(
    status: int, body: bytes, content_type: str = "application/json", headers: dict[str, str] | None = None, length: int | None = None
) -> bytes:  # fmt: skip
    lines = [
        f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}", f"content-type: {content_type}",
        f"content-length: {len(body) if length is None else length}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()), "", "",
    ]  # fmt: skip
    return "\r\n".join(lines).encode("latin-1") + body


class Connection(asyncio.Protocol):
    """One connection of HTTP/1.1 with keep-alive."""

    state = State({})

    def __init__(self) -> None:
        self.buffer = bytearray()
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            length = int(headers.get("content-length", 0))
            if len(self.buffer) < end + 4 + length:
                return
            raw = bytes(self.buffer[end + 4 : end + 4 + length])
            del self.buffer[: end + 4 + length]
            method, path, _ = head[0].split(" ", 2)
            self.request(method, path, headers, raw)

    def request(self, method: str, path: str, headers: dict[str, str], raw: bytes) -> None:
        if (method, path) == ("POST", "/control"):
            Connection.state = State(json.loads(raw))
            self.transport.write(reply_bytes(200, b"{}"))
        elif (method, path) == ("GET", "/log"):
            self.transport.write(reply_bytes(200, json.dumps(self.state.log()).encode()))
        else:
            self.task = asyncio.get_running_loop().create_task(self.answer(path, headers, raw))

    async def answer(self, path: str, headers: dict[str, str], raw: bytes) -> None:
        state = self.state
        body = json.loads(raw) if raw else {}
        messages = body.get("messages")
        question = str(messages[-1]["content"]) if messages else json.dumps(body.get("input"))
        state.calls += 1
        state.asked[question] += 1
        if state.keep:
            state.requests.append({"path": path, "headers": headers, "body": body, "time": time.time()})
        state.now += 1
        state.most = max(state.most, state.now)
        try:
            rule = state.rule(path, raw.decode("utf-8", "replace"), body, question)
            if pause := rule.get("delay", state.delay):
                await asyncio.sleep(pause)
            await self.reply(path, headers, body, question, rule)
        finally:
            state.now -= 1

    async def reply(
        self, path: str, headers: dict[str, str], body: dict[str, Any], question: str, rule: dict[str, Any]
    ) -> None:
        key = headers.get("authorization", "no Authorization header")
        if rule.get("hang"):
            await asyncio.sleep(3600)
        if rule.get("reset") == "before":
            return self.cut()
        if "redirect" in rule:
            status = rule.get("status", 301)
            return self.transport.write(reply_bytes(status, b"", headers={"location": rule["redirect"]}))
        if rule.get("echo") == "error" or ("status" in rule and "raw" not in rule and "json" not in rule):
            text = f"{rule.get('error', 'told to fail')}"
            if rule.get("echo") == "error":
                text = f"Incorrect API key provided: {key}."
            error = {"error": {"message": text, "type": "error", "param": None, "code": rule.get("code")}}
            return self.transport.write(
                reply_bytes(rule.get("status", 400), json.dumps(error).encode(), headers=self.extra(rule))
            )
        text = ""
        if path.endswith("/embeddings"):
            value: Any = embeddings(body, rule, self.state)
        else:
            value, text = completion(body, question, rule, key)
        whole = json.dumps(rule.get("json", value)).encode()
        if "raw" in rule:
            whole = rule["raw"].encode("utf-8", "surrogatepass")
        status, content_type = rule.get("status", 200), rule.get("content_type", "application/json")
        if rule.get("truncate"):
            half = whole[: len(whole) // 2]
            length = len(half) if rule["truncate"] == "honest" else len(whole)
            self.transport.write(reply_bytes(200, half, length=length))
            return self.transport.close() if rule["truncate"] == "lying" else None
        if rule.get("reset") == "within":
            self.transport.write(reply_bytes(200, whole)[: -len(whole) // 2])
            await asyncio.sleep(0.02)
            return self.cut()
        if rule.get("drip"):
            for byte in reply_bytes(200, whole):
                self.transport.write(bytes([byte]))
                await asyncio.sleep(1.0)
            return None
        self.state.answered[question] += 1
        self.state.answers[question] = text
        return self.transport.write(reply_bytes(status, whole, content_type, self.extra(rule)))

    @staticmethod
    def extra(rule: dict[str, Any]) -> dict[str, str]:
        headers = dict(rule.get("headers", {}))
        if (after := rule.get("retry_after")) is not None:
            dated = str(after).startswith("date:")
            headers["retry-after"] = formatdate(time.time() + float(after[5:]), usegmt=True) if dated else str(after)
        return headers

    def cut(self) -> None:
        """RST instead of FIN."""
        sock = self.transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


async def serve() -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def leave_with_parent() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    threading.Thread(target=leave_with_parent, daemon=True).start()
    asyncio.run(serve())
