"""The servers that a new feature set may be made for: where each listens, how it is started, how many calls suit it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ..errors import OptionError


@dataclass(frozen=True)
class Server:
    """An OpenAI-compatible server as it stands after its own installation.

    name : of the `[endpoint.NAME]` table. url, port : where it listens; a further one, for a further model, on the next port.
    many_models : one server holds several models; else each needs a server of its own.
    concurrency, timeout : calls under way at once, and seconds for one, that suit it; `why` says so in words.
    key_env : the variable that holds its key; None for a server that asks for none.
    chat, embedding : models to begin with.
    to_start : the commands that make it answer for a model, with the places {model}, {port}, {concurrency} and {key}.
    to_start_embedding : the same for a model of embeddings, where these differ.
    """

    name: str
    url: str
    many_models: bool
    concurrency: int
    timeout: int
    why: str
    chat: str
    embedding: str
    to_start: tuple[str, ...]
    to_start_embedding: tuple[str, ...] = ()
    key_env: str | None = None

    def at(self, number: int) -> str:
        """The url of the server number `number`, from 0."""
        parts = urlsplit(self.url)
        if not number or parts.port is None:
            return self.url
        return parts._replace(netloc=f"{parts.hostname}:{parts.port + number}").geturl()

    def commands(self, model: str, number: int, *, embedding: bool = False) -> list[str]:
        """What makes the server number `number` answer for `model`."""
        templates = (self.to_start_embedding or self.to_start) if embedding else self.to_start
        port = urlsplit(self.at(number)).port
        given = {"model": shlex.quote(model), "port": port, "concurrency": self.concurrency, "key": self.key_env}
        return [template.format(**given) for template in templates]


SERVERS = {
    "ollama": Server(
        "ollama", "http://localhost:11434/v1", True, 2, 300,
        "a laptop answers 1 to 4 at once (start Ollama with OLLAMA_NUM_PARALLEL of as many); the first call loads the model",
        "llama3.1:8b", "bge-m3", ("ollama serve    # where it does not run already", "ollama pull {model}"),
    ),
    "vllm": Server(
        "vllm", "http://localhost:8000/v1", False, 64, 120, "a GPU answers many at once, and is slow if asked one by one",
        "Qwen/Qwen2.5-7B-Instruct", "BAAI/bge-m3", ("vllm serve {model} --port {port} --max-model-len 4096",),
        ("vllm serve {model} --port {port} --runner pooling",),
    ),
    "llamacpp": Server(
        "llamacpp", "http://localhost:8080/v1", False, 4, 300, "as many as its --parallel",
        "Qwen/Qwen2.5-7B-Instruct-GGUF:Q4_K_M", "gpustack/bge-m3-GGUF:Q8_0",
        ("llama-server -hf {model} --alias {model} --port {port} --parallel {concurrency} --ctx-size 8192",),
        ("llama-server -hf {model} --alias {model} --port {port} --embeddings --pooling cls",),
    ),
    "openai": Server(
        "openai", "https://api.openai.com/v1", True, 16, 60, "per_minute = 500 besides where the service limits requests",
        "gpt-4.1-mini", "text-embedding-3-small", ("export {key}=…    # the key; it is written into no file",),
        key_env="OPENAI_API_KEY",
    ),
}  # fmt: skip
_OTHER = Server(
    "server", "", True, 8, 120, "raise it where the server has room for more", "MODEL", "MODEL", ()
)  # fmt: skip


def server_of(which: str) -> Server:
    """One of `SERVERS`, by its name; or what listens at a URL already, as far as its port tells. Raises `OptionError`."""
    if which in SERVERS:
        return SERVERS[which]
    try:
        parts = urlsplit(which)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OptionError("server", f"{', '.join(SERVERS)}, or the URL of a server, http://HOST:PORT/v1", which)
    usual = next((one for one in SERVERS.values() if port is not None and urlsplit(one.url).port == port), _OTHER)
    url = which.rstrip("/") if parts.path.strip("/") else f"{which.rstrip('/')}/v1"
    return replace(usual, url=url, many_models=True, to_start=(), to_start_embedding=())
