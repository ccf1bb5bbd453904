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
    twice                           the whole reply, and once more
    vectors                         "shuffled", "missing", "twice", "ragged", "nan", "zero", "words" embeddings
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
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


class Loopback:
    """The server as a child process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def _call(self, path: str, body: Any = None) -> Any:
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as connection:
            connection.request("POST", path, json.dumps(body))
            return json.loads(connection.getresponse().read())

    def rules(self, *rules: dict[str, Any], delay: float = 0.0, dimensions: int = 8, keep: bool = True) -> None:
        """From now on; forgets the log. `delay`: seconds before every reply. `keep`: whole requests in the log."""
        self._call("/control", {"rules": list(rules), "delay": delay, "dimensions": dimensions, "keep": keep})

    def reset(self) -> None:
        self.rules()

    def log(self) -> dict[str, Any]:
        """calls, most_at_once; asked, answered: question -> how often; answers: question -> text; requests: path, headers, body, time."""
        return self._call("/log")

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()


class State:
    """What the server was told, and what it was asked."""

    def __init__(self, rules: list[dict[str, Any]], delay: float, dimensions: int, keep: bool) -> None:
        self.rules, self.delay, self.dimensions, self.keep = rules, delay, dimensions, keep
        self.used, self.draw, self.now = [0] * len(rules), random.Random(0).random, 0
        self.asked, self.answered = Counter[str](), Counter[str]()
        self.log = {
            "calls": 0, "most_at_once": 0, "asked": self.asked, "answered": self.answered, "answers": {}, "requests": [],
        }  # fmt: skip

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


state = State([], 0.0, 8, True)


def completion(body: dict[str, Any], text: str, rule: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": rule.get("content", text), "refusal": rule.get("refusal")}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": rule.get("finish", "stop"), "logprobs": None}  # fmt: skip
    if body.get("logprobs"):
        tokens = text.split() or [""]
        alternatives = [(tokens[0], -0.2), ("Yes" if tokens[0] == "No" else "No", -1.8), ("Maybe", -5.0)]
        top = [{"token": token, "logprob": value} for token, value in alternatives[: body.get("top_logprobs", 0)]]
        choice["logprobs"] = {"content": [{"token": token, "logprob": -0.2, "top_logprobs": top} for token in tokens]}
    prompt = sum(len(str(m.get("content")).split()) for m in body.get("messages", []))
    usage = {"prompt_tokens": prompt, "completion_tokens": 2, "total_tokens": prompt + 2}
    return {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": body.get("model"),
        "choices": rule.get("choices", [choice]), "usage": rule.get("usage", usage),
    }  # fmt: skip


def vector(text: str, dimensions: int) -> list[float]:
    draw = random.Random(hashlib.sha256(text.encode("utf-8", "replace")).digest())
    values = [draw.gauss(0, 1) for _ in range(dimensions)]
    length = sum(v * v for v in values) ** 0.5
    return [v / length for v in values]


def embeddings(body: dict[str, Any], fault: str | None) -> dict[str, Any]:
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    vectors = [vector(text, body.get("dimensions") or state.dimensions) for text in texts]
    if fault == "ragged":
        vectors[-1] = vectors[-1][:-1]
    if fault in ("nan", "zero"):
        vectors[0] = [float("nan") if fault == "nan" else 0.0] * len(vectors[0])
    items: list[dict[str, Any]] = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    for item in items if body.get("encoding_format") == "base64" else ():
        item["embedding"] = base64.b64encode(struct.pack(f"<{len(item['embedding'])}f", *item["embedding"])).decode()
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


def reply_bytes(status: int, body: bytes, length: int | None = None, **headers: str) -> bytes:
    sent = {"content-type": "application/json", "content-length": len(body) if length is None else length, **headers}
    lines = [f"HTTP/1.1 {status} Status", *(f"{name}: {value}" for name, value in sent.items()), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """One connection of HTTP/1.1 with keep-alive."""
    global state
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
        while not writer.is_closing():
            first, *head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head) if name}
            raw = await reader.readexactly(int(headers.get("content-length", 0)))
            path = first.split(" ")[1]
            if path == "/control":
                state = State(**json.loads(raw))
            if path in ("/control", "/log"):
                writer.write(reply_bytes(200, json.dumps(state.log).encode()))
            else:
                await asked(writer, path, headers, raw)
    writer.close()


async def asked(writer: asyncio.StreamWriter, path: str, headers: dict[str, str], raw: bytes) -> None:
    now, body = state, json.loads(raw)
    question = str(body["messages"][-1]["content"] if "messages" in body else json.dumps(body.get("input")))
    now.log["calls"] += 1
    now.asked[question] += 1
    if now.keep:
        now.log["requests"].append({"path": path, "headers": headers, "body": body, "time": time.time()})
    now.now += 1
    now.log["most_at_once"] = max(now.log["most_at_once"], now.now)
    try:
        rule = now.rule(path, raw.decode("utf-8", "replace"), body, question)
        await asyncio.sleep(3600 if rule.get("hang") else rule.get("delay", now.delay))
        await answer(writer, path, headers.get("authorization", "no Authorization header"), body, question, rule)
    finally:
        now.now -= 1


async def answer(
    writer: asyncio.StreamWriter, path: str, key: str, body: dict[str, Any], question: str, rule: dict[str, Any]
) -> None:
    status, more, echo = rule.get("status"), dict(rule.get("headers", {})), rule.get("echo")
    if (after := rule.get("retry_after")) is not None:
        dated = str(after).startswith("date:")
        more["retry-after"] = formatdate(time.time() + float(after[5:]), usegmt=True) if dated else str(after)
    if rule.get("reset") == "before":
        return cut(writer)
    if "redirect" in rule:
        return writer.write(reply_bytes(status or 301, b"", location=rule["redirect"]))
    if echo == "error" or (status and not {"raw", "json"} & rule.keys()):
        text = f"Incorrect API key provided: {key}." if echo == "error" else f"{rule.get('error', 'told to fail')}"
        error = {"error": {"message": text, "type": "error", "param": None, "code": rule.get("code")}}
        return writer.write(reply_bytes(status or 400, json.dumps(error).encode(), **more))
    even = hashlib.sha256(question.encode("utf-8", "replace")).digest()[0] % 2 == 0
    text = key if echo == "answer" else rule.get("text", "No" if even else "Yes.")
    vectors = path.endswith("/embeddings")
    whole = json.dumps(rule["json"] if "json" in rule else embeddings(body, rule.get("vectors")) if vectors else completion(body, text, rule)).encode()  # fmt: skip
    if "raw" in rule:
        whole = rule["raw"].encode("utf-8", "surrogatepass")
    if rule.get("truncate"):
        lying = rule["truncate"] == "lying"
        writer.write(reply_bytes(200, whole[: len(whole) // 2], len(whole) if lying else None))
        return writer.close() if lying else None
    if rule.get("reset") == "within":
        writer.write(reply_bytes(200, whole)[: -len(whole) // 2])
        await asyncio.sleep(0.02)
        return cut(writer)
    if rule.get("drip"):
        for byte in reply_bytes(200, whole):
            writer.write(bytes([byte]))
            await asyncio.sleep(1.0)
    state.answered[question] += 1
    state.log["answers"][question] = "" if vectors else text
    more["content-type"] = rule.get("content_type", "application/json")
    return writer.write(reply_bytes(status or 200, whole, **more) * (1 + rule.get("twice", False)))


def cut(writer: asyncio.StreamWriter) -> None:
    """RST instead of FIN."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def serve() -> None:
    server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=4096)
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
