"""Prompts by name, or from a text file of the user's own, in any language.

A file is UTF-8 text with placeholders in braces, `{first}`; `{data}` stands for all of them in a data block. Before a first line
of three dashes stands the system message, where there is one. At its top may stand a head, in TOML between lines of `+++`:

    +++
    yes = ["да"]
    no = ["нет"]
    +++
    Ты врач. Отвечай одним словом.
    ---
    Это одна болезнь? {first} и {second}. Да или Нет?

The head may hold yes and no (of a vote: words that are read beside the English and Russian ones), k (of a diagnosis: how many are
asked for where nothing else says so) and max_answer_tokens (the limit of an answer where no parameters are given).
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from pathlib import Path

from msgspec import Struct

from ...errors import InputError
from ...files.toml import table_as
from ...files.wording import hint
from .diagnosis_prompts import DiagnosisPrompt
from .prompt import DATA, PLACEHOLDER, Prompt
from .versions import LATEST, PROMPTS
from .vote_prompt import VotePrompt

KINDS = tuple(LATEST)
MAX_BYTES = 100_000
"""Of a prompt file."""

_HEAD = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


class _Head(Struct, forbid_unknown_fields=True):
    yes: list[str] = []
    no: list[str] = []
    k: int | None = None
    max_answer_tokens: int | None = None


def prompt_of(kind: str, given: str | os.PathLike[str] | None = None) -> Prompt:
    """A prompt to ask with.

    Parameters
    ----------
    kind : "vote", "pick", "judge", "check", "relation", "severity", "diagnosis", "observation", "rationale" or "choice".
    given : None for the built-in default; the name or the version of a built-in one ("vote-ru", "vote-1"); or the path of a
        text file.

    Raises
    ------
    InputError
        No such prompt or file; a file that is empty, too large, not UTF-8, lacks a placeholder or has an unknown one.
    """
    built_in = _built_in(kind)
    if given is None:
        return PROMPTS[LATEST[kind]]
    if (name := os.fspath(given)) in built_in:
        return built_in[name]
    path = Path(given)
    if not path.is_file():
        allowed = f"{', '.join(built_in)}, or the path of a text file"
        raise InputError(f"no such prompt for {kind}{hint(name, built_in)}", source=name, allowed=allowed, got=name)
    return prompt_of_text(kind, _read(path), name)


def prompt_of_text(kind: str, text: str, source: str = "prompt") -> Prompt:
    """As `prompt_of`, from the text of a file. source : its name in errors.

    The version is `KIND-file-` and the first 12 hexadecimal digits of the SHA-256 of the text, its line ends those of Unix.
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    if not text.strip():
        raise InputError("the prompt is empty", source=source, allowed=_allowed(PROMPTS[LATEST[kind]]))
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    head, body = _parted(text, source)
    like = PROMPTS[LATEST[kind]]
    _check(body, like, source)
    prompt = like.with_text(body, f"{kind}-file-{digest}")
    prompt.file_name, prompt.file_text = Path(source).stem, text
    _use(head, prompt, source)
    return prompt


def named(name: str) -> Prompt:
    """A built-in prompt of any kind: the default of a kind, or by name or version; `prompt_of` where the kind is known.

    Raises
    ------
    InputError
        No such prompt.
    """
    if name in KINDS:
        return prompt_of(name)
    known: dict[str, Prompt] = {}
    for prompt in reversed(PROMPTS.values()):  # of one name, the latest version
        for word in (prompt.version, prompt.long_name, prompt.name):
            known.setdefault(word, prompt)
    if name not in known:
        allowed = f"a kind ({', '.join(KINDS)}) or one of {', '.join(prompt.version for prompt in PROMPTS.values())}"
        raise InputError(f"no such prompt{hint(name, [*KINDS, *known])}", allowed=allowed, got=name)
    return known[name]


def names_of(kind: str) -> list[str]:
    """The versions of the built-in prompts of a kind, the default first."""
    versions = [version for version, prompt in PROMPTS.items() if prompt.kind == kind]
    return sorted(versions, key=lambda version: version != LATEST[kind])


def allowed_in(kind: str) -> str:
    """What a file of a kind holds, in words."""
    return _allowed(PROMPTS[LATEST[kind]])


def file_of(prompt: Prompt) -> str:
    """A prompt as the text of a file, which asks the same where it is given back.

    Raises
    ------
    InputError
        A prompt of an earlier release that puts in other things than a file of its kind can.
    """
    if prompt.file_text:
        return prompt.file_text
    like, head = PROMPTS[LATEST[prompt.kind]], ""
    if prompt.placeholders != like.placeholders:
        raise InputError(f"{prompt.version} holds other things than a file of its kind", allowed=_allowed(like))
    if isinstance(prompt, DiagnosisPrompt) and prompt.k is not None:
        head += f"k = {prompt.k}\n"
    if prompt.max_answer_tokens != like.max_answer_tokens:
        head += f"max_answer_tokens = {prompt.max_answer_tokens}\n"
    return f"+++\n{head}+++\n{prompt.text}\n" if head else f"{prompt.text}\n"


def _built_in(kind: str) -> dict[str, Prompt]:
    """By version, and by name, of which the latest counts."""
    if kind not in KINDS:
        raise InputError(f"no such kind of prompt{hint(kind, KINDS)}", allowed=", ".join(KINDS), got=kind)
    of_kind = [prompt for prompt in PROMPTS.values() if prompt.kind == kind]
    return {**{p.name: p for p in of_kind}, **{p.long_name: p for p in of_kind}, **{p.version: p for p in of_kind}}


def _read(path: Path) -> str:
    source = str(path)
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"could not be read ({error.strerror or error})", source=source) from error
    if len(data) > MAX_BYTES:
        raise InputError(
            "too large for a prompt", source=source, allowed=f"{MAX_BYTES:,} bytes", got=path.stat().st_size
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = f"not UTF-8 (byte {error.start + 1:,}, {data[error.start]:#04x})"
        raise InputError(problem, source=source, allowed="a prompt in UTF-8") from error
    if "\0" in text:
        raise InputError("not a text file: it holds a zero byte", source=source, allowed="a prompt in UTF-8")
    return text


def _parted(text: str, source: str) -> tuple[_Head, str]:
    if not text.startswith("+++"):
        return _Head(), text
    found = _HEAD.match(text)
    if found is None:
        raise InputError("the head does not end", source=source, allowed="a line +++ before and after it")
    try:
        head = tomllib.loads(found[1])
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"the head is not TOML ({error})", source=source, allowed='such as yes = ["да"]') from error
    return table_as(_Head, head, source, "the head"), text[found.end() :]


def _check(body: str, like: Prompt, source: str) -> None:
    put_in = {found[2] for found in PLACEHOLDER.finditer(body) if found[2]}
    known = {*like.placeholders, *like.optional, DATA.strip("{}")}
    if unknown := sorted(put_in - known):
        problem = f"an unknown placeholder{hint(unknown[0], known)}"
        literal = f"; {{{{{unknown[0]}}}}} for the word in braces itself"
        raise InputError(problem, source=source, allowed=_allowed(like) + literal, got=f"{{{unknown[0]}}}")
    missing = [f"{{{name}}}" for name in like.placeholders if name not in put_in]
    if missing and DATA.strip("{}") not in put_in:
        held = ", ".join(f"{{{name}}}" for name in sorted(put_in)) or "no placeholder"
        raise InputError(f"{', '.join(missing)} is missing", source=source, allowed=_allowed(like), got=held)


def _allowed(like: Prompt) -> str:
    needed = " and ".join(f"{{{name}}}" for name in like.placeholders)
    more = f", and if wanted {', '.join(f'{{{name}}}' for name in like.optional)}" if like.optional else ""
    return f"{'an' if like.kind[0] in 'aeiou' else 'a'} {like.kind} prompt with {needed}, or {DATA} for all of it{more}"


def _use(head: _Head, prompt: Prompt, source: str) -> None:
    for name in ("k", "max_answer_tokens"):
        number = getattr(head, name)
        if number is None:
            continue
        if name == "k" and not isinstance(prompt, DiagnosisPrompt):
            raise InputError(
                "the head names a number of diagnoses", source=source, allowed="k in a diagnosis prompt alone"
            )
        if number < 1:
            raise InputError(f"{name} is below 1", source=source, allowed="1 or more", got=number)
        setattr(prompt, name, number)
    if not (head.yes or head.no):
        return
    if not isinstance(prompt, VotePrompt):
        raise InputError("the head names words for yes or no", source=source, allowed="these in a vote prompt alone")
    yes, no = ([word.strip().lower() for word in words] for words in (head.yes, head.no))
    try:
        prompt.set_words(yes, no)
    except ValueError as error:
        raise InputError(str(error), source=source, allowed="other words for yes than for no") from error
