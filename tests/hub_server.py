"""A server that speaks as much of the Hugging Face hub's protocol as a model needs: repositories, commits, files by revision."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest


class Hub:
    """repositories : by name, {"private", "commits": {commit: {file: bytes}}, "refs": {branch: commit}}. asked : the requests."""

    def __init__(self) -> None:
        self.repositories: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []

    def make(self, name: str, *, private: bool) -> None:
        self.repositories.setdefault(name, {"private": private, "commits": {}, "refs": {}})

    def commit(self, name: str, files: dict[str, bytes], branch: str = "main") -> str:
        """Adds files to a branch; gives the commit."""
        repository = self.repositories[name]
        whole = {**repository["commits"].get(repository["refs"].get(branch), {}), **files}
        told = json.dumps({file: hashlib.sha1(content).hexdigest() for file, content in whole.items()}, sort_keys=True)
        commit = hashlib.sha1(told.encode()).hexdigest()
        repository["commits"][commit], repository["refs"][branch] = whole, commit
        return commit

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        if path == "/api/repos/create":
            asked = json.loads(body)
            name = f"{asked['organization']}/{asked['name']}" if asked.get("organization") else asked["name"]
            there = name in self.repositories
            self.make(name, private=asked.get("private", asked.get("visibility") == "private"))
            return 409 if there else 200, {}, json.dumps({"url": f"http://127.0.0.1/{name}"}).encode()
        if path == "/api/validate-yaml":
            return 200, {}, json.dumps({"warnings": [], "errors": []}).encode()
        if found := re.fullmatch(r"/api/models/([^/]+/[^/]+)(?:/(preupload|commit|revision|tree)/([^/]+))?", path):
            return self._api(found[1], found[2], found[3], body)
        if found := re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            return self._file(*found.groups())
        return 404, {}, b"{}"

    def _api(self, name: str, what: str | None, branch: str, body: bytes) -> tuple[int, dict[str, str], bytes]:
        repository = self.repositories.get(name)
        if repository is None:
            return 404, {"X-Error-Code": "RepoNotFound"}, b"{}"
        if what == "preupload":
            files = [
                {"path": f["path"], "uploadMode": "regular", "shouldIgnore": False} for f in json.loads(body)["files"]
            ]
            return 200, {}, json.dumps({"files": files}).encode()
        if what == "commit":
            lines = [json.loads(line) for line in body.splitlines()]
            files = {
                line["value"]["path"]: base64.b64decode(line["value"]["content"])
                for line in lines
                if line["key"] == "file"
            }
            commit = self.commit(name, files, unquote(branch))
            told = {"commitUrl": f"http://127.0.0.1/{name}/commit/{commit}", "commitOid": commit, "success": True}
            return 200, {}, json.dumps(told).encode()
        commit = repository["refs"].get(unquote(branch or "main"), branch)
        if what is not None and commit not in repository["commits"]:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b"{}"
        told: Any = {"id": name, "private": repository["private"], "sha": commit, "siblings": []}
        if what == "tree":
            files = repository["commits"][commit].items()
            told = [{"type": "file", "path": path, "size": len(file), "oid": "0" * 40} for path, file in files]
        return 200, {}, json.dumps(told).encode()

    def _file(self, name: str, revision: str, file: str) -> tuple[int, dict[str, str], bytes]:
        repository = self.repositories.get(name)
        if repository is None:
            return 404, {"X-Error-Code": "RepoNotFound"}, b""
        revision = unquote(revision)
        commit = repository["refs"].get(revision, revision)
        if commit not in repository["commits"]:
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        content = repository["commits"][commit].get(unquote(file))
        if content is None:
            return 404, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit}, b""
        return 200, {"X-Repo-Commit": commit, "ETag": f'"{hashlib.sha1(content).hexdigest()}"'}, content


@pytest.fixture
def hub(loopback: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """The hub that huggingface_hub asks in this test, with an empty cache."""
    del loopback  # by its name the test may reach this machine
    constants = pytest.importorskip("huggingface_hub.constants", reason="needs the extra 'hub'")
    made = Hub()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            path = urlsplit(self.path).path
            made.asked.append(f"{self.command} {path}")
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, content = made.answer(self.command, path, body)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(content))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_HEAD = do_POST = _answer

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setattr(constants, "ENDPOINT", url)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", url + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("HF_TOKEN", "hf_of_this_test")
    yield made
    server.shutdown()
    server.server_close()
