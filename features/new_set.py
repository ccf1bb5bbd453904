"""A new feature set as a file that works as it is written: the columns of a built-in set, and those asked of a user's models."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from ..endpoints.servers import Server, server_of
from ..errors import InputError, OptionError, Remedy
from ..files.atomic import whole_file
from .feature_set import FeatureSet

ADDED = ("vote", "soft-vote", "pick", "embedding")
"""What may be asked of a model: yes or no; the probability of yes; the nearest ICD-10 entry; a vector."""

_ENGLISH = 'language = "en"'
_COLUMN = {"vote": "vote", "soft-vote": "soft_vote", "pick": "icd", "embedding": "cosine"}


def init_features(
    path: str | os.PathLike[str],
    add: Sequence[str] | None = None,
    *,
    server: str = "ollama",
    models: Sequence[str] | None = None,
    embedding_models: Sequence[str] | None = None,
    start: str = "offline",
    overwrite: bool = False,
) -> list[str]:
    """Writes a feature set: the columns of a built-in one, and what is asked of language models, each line explained.

    Parameters
    ----------
    path : the file, "mine.toml".
    add : of `ADDED`, each for every model; if not given "vote" where `models` are given, "embedding" where `embedding_models`
        are, else nothing: a copy of the built-in set.
    server : "ollama", "vllm", "llamacpp", "openai", or the URL of a server. How many calls it takes at once, and how long it
        may take for one, are written as they suit it.
    models : the names under which the server knows its chat models; one to begin with if not given.
    embedding_models : the same of its models of embeddings.
    start : the built-in set whose columns come first: "offline", "paper17" or "paper17-ru".
    overwrite : whether a file that is there is replaced.

    Returns
    -------
    list of str
        What to run next, in order: the server, `votes check`, `votes ask`, `train`, `score`.

    Raises
    ------
    InputError
        The file is there. `DxmatchError`: it cannot be written.
    OptionError
        A parameter outside what is allowed.
    """
    if isinstance(add, str) or not set(add or ()) <= set(ADDED):
        raise OptionError("add", f"a list of {', '.join(ADDED)}", add)
    unsaid = [*(["vote"] if models else []), *(["embedding"] if embedding_models else [])]
    wanted = unsaid if add is None else list(dict.fromkeys(add))
    target = Path(path)
    if target.suffix != ".toml":
        raise OptionError("path", "the path of a .toml file", os.fspath(path))
    if target.exists() and not overwrite:
        raise InputError("is there already", source=f"{target}", remedy=Remedy("replaces it", overwrite=True))
    new = _NewSet(target, wanted, server_of(server), models or (), embedding_models or (), start)
    text = "\n".join(new.lines())
    read = FeatureSet.from_dict(tomllib.loads(text), str(target), folder=target.parent)
    read.check_providers(str(target))
    with whole_file(target) as temporary:
        temporary.write_text(text, "utf-8")
    return new.steps()


@dataclass(frozen=True)
class _Asked:
    """A model, what it is asked for, and the endpoint that serves it: its name, and its number among servers of its kind."""

    kinds: tuple[str, ...]
    model: str
    endpoint: str
    number: int

    @property
    def column(self) -> str:
        """The end of a column's name: "llama3_1_8b" of "org/llama3.1:8b"."""
        return re.sub(r"[^a-z0-9]+", "_", self.model.rpartition("/")[2].lower()).strip("_") or "model"


class _NewSet:
    def __init__(
        self,
        path: Path,
        added: Sequence[str],
        server: Server,
        models: Sequence[str],
        embedding_models: Sequence[str],
        start: str,
    ) -> None:
        self._path, self._added, self._server = path, added, server
        self._base = _base(start)
        self._start = start
        chat = tuple(kind for kind in added if kind != "embedding")
        named = [(chat, model) for model in models or ([server.chat] if chat else [])]
        if "embedding" in added:
            named += [(("embedding",), model) for model in embedding_models or [server.embedding]]
        self._asked = []
        for i, (kinds, model) in enumerate(dict.fromkeys(named)):
            number = 0 if server.many_models else i
            name = server.name if not number else f"{server.name}_{number + 1}"
            self._asked.append(_Asked(kinds, model, name, number))

    def steps(self) -> list[str]:
        """What to run, in order."""
        file, asks = shlex.quote(self._path.name), any(kind != "embedding" for kind in self._added)
        steps: list[str] = []
        for one in self._asked:
            steps += self._server.commands(one.model, one.number, embedding="embedding" in one.kinds)
        if self._asked or self._start != "offline":
            steps.append(f"dxmatch votes check --features {file}")
        store = ""
        if asks or self._start != "offline":
            store = " --store votes.sqlite"
            steps.append(f"dxmatch votes ask labelled.csv --features {file}{store} --dry-run")
            steps.append(f"dxmatch votes ask labelled.csv --features {file}{store}")
        steps.append(f"dxmatch train labelled.csv --features {file}{store} -o my-model")
        served = f" --endpoints {file}" if self._asked or self._start != "offline" else ""
        if store:
            steps.append(f"dxmatch votes ask pairs.csv --model my-model{served}{store}")
        steps.append(f"dxmatch score pairs.csv --model my-model{served}{store} -o scored.csv")
        return list(dict.fromkeys(steps))

    def lines(self) -> Iterator[str]:
        yield f"# The columns of the match function: those of the built-in set {self._start!r}" + (
            ", and before them what your language models are asked." if self._asked else "."
        )
        yield "# The order of the entries is the order of the columns; take out an entry, and its column is gone."
        yield "# What to run, in order (labelled.csv: columns a, b and label; pairs.csv: a and b):"
        yield "#"
        yield from (f"#   {step}" for step in self.steps())
        yield f"name = {_text(self._path.stem)}    # stands in the card of a model that is trained with this file"
        yield self._base[0]
        yield ""
        for endpoint in dict.fromkeys((one.endpoint, one.number) for one in self._asked):
            yield from self._endpoint(*endpoint)
        for one in self._asked:
            yield from self._entries(one)
        yield f"# The columns of {self._start!r} follow."
        yield self._base[1]

    def _endpoint(self, name: str, number: int) -> Iterator[str]:
        server = self._server
        yield "# Where the models are served: any server of the OpenAI protocol. A model that is trained with this file keeps no address."
        yield f"[endpoint.{name}]"
        yield f"url = {_text(server.at(number))}    # up to where /chat/completions follows"
        if server.key_env:
            yield f"key_env = {_text(server.key_env)}    # the environment variable that holds the key, never the key itself"
        else:
            yield '# key_env = "MY_KEY"    # the environment variable that holds a key, where the server wants one'
        yield f"concurrency = {server.concurrency}    # calls under way at once: {server.why}"
        yield f"timeout = {server.timeout}    # seconds for one call"
        yield ""
        if server.key_env:
            for one in (each for each in self._asked if each.endpoint == name):
                yield "# What a million tokens cost, for --max-cost and the estimate of --dry-run; in any one currency."
                yield f"# [price.{_text(one.model)}]"
                yield "# prompt = 0.0"
                yield "# completion = 0.0"
                yield ""

    def _entries(self, one: _Asked) -> Iterator[str]:
        for kind in one.kinds:
            name = f"{_COLUMN[kind]}_{one.column}"
            if kind == "embedding":
                yield "# The cosine of two vectors that the model gives. Change `revision` when another model takes its name: old vectors are kept under it."
                yield f"[encoder.{one.column}]"
                yield f"model = {_text(one.model)}    # as the server names it"
                yield f"endpoint = {_text(one.endpoint)}"
                yield 'revision = "1"'
                yield ""
                yield "[[feature]]"
                yield f"name = {_text(name)}"
                yield 'kind = "cosine"'
                yield f"encoder = {_text(one.column)}"
                yield ""
                continue
            yield _ABOUT[kind]
            yield "[[feature]]"
            yield f"name = {_text(name)}    # of the column"
            yield f"kind = {_text('icd_pick' if kind == 'pick' else 'vote')}"
            yield f"model = {_text(one.model)}    # as the server names it; answers are kept under this name"
            yield f"endpoint = {_text(one.endpoint)}"
            yield from _OPTIONS[kind] if self._base[0] == _ENGLISH else _OPTIONS_RU[kind]
            yield "# parameters = { max_tokens = 2048, temperature = 0 }    # for a model that thinks first; if left out max_tokens is 16"
            yield ""


_ABOUT = {
    "vote": "# A vote: do the two diagnoses name the same disease, by the six criteria? Yes is 1, No is 0, no clear answer is blank.",
    "soft-vote": "# The same vote as a probability, from the log-probabilities of the answer's first word, which the server must give.",
    "pick": "# Which of the 15 nearest names of ICD-10 fits each diagnosis best? 1 where the picks of both share their category.",
}
_OPTIONS = {
    "vote": (
        '# order = "both"    # asks in both orders, and averages',
        "# repeats = 3    # asks so often, and averages; with a temperature above 0",
    ),
    "soft-vote": ("soft = true", '# order = "both"    # asks in both orders, and averages'),
    "pick": (
        'encoder = "shipped"    # finds the nearest names; it travels with dxmatch',
        'prompt = "icd-pick-2"    # dxmatch votes prompt icd-pick-2 prints it; a text file of your own may stand here',
    ),
}
_OPTIONS_RU = {
    "vote": ('prompt = "vote-ru"', *_OPTIONS["vote"]),
    "soft-vote": ('prompt = "vote-ru"', *_OPTIONS["soft-vote"]),
    "pick": (
        'source = "icd-ru.csv"', 'encoder = "bergamot"', 'distance = "euclidean"', 'entries = "names"', 'prompt = "pick-ru"',
    ),
}  # fmt: skip
"""As the built-in set for Russian has them."""


def _text(value: str) -> str:
    """A string in TOML, which takes JSON's escapes."""
    return json.dumps(value, ensure_ascii=False)


def _base(start: str) -> tuple[str, str]:
    """The line `language = …` of a built-in set, and all that follows it."""
    sets = resources.files(str(__package__)) / "sets"
    known = sorted(each.name.removesuffix(".toml") for each in sets.iterdir() if each.name.endswith(".toml"))
    if start not in known:
        raise OptionError("start", f"one of {', '.join(known)}", start)
    text = (sets / f"{start}.toml").read_text("utf-8")
    language, after = re.split(r"^(?=language = )", text, maxsplit=1, flags=re.MULTILINE)[1].split("\n", 1)
    return language, after.strip("\n") + "\n"
