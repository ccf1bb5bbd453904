"""Prompts, each a text file: those that are built in, by name, and a user's own, in any language.

A file is UTF-8 text with placeholders in braces, `{first}`; `{data}` stands for all of them in a data block. Before a first line
of three dashes stands the system message, where there is one. At its top may stand a head (`prompt.Head`), in TOML between lines
of `+++`:

    +++
    yes = ["да"]
    no = ["нет"]
    +++
    Ты врач. Отвечай одним словом.
    ---
    Это одна болезнь? {first} и {second}. Да или Нет?

What the store keeps of a prompt is the hash of its file's text, as KIND-file-HASH; for the texts that are built in, their names,
"vote-2", stand for it: a better text is a new file beside the old one.
"""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from pathlib import Path

from ...errors import InputError
from ...files.toml import table_as
from ...files.wording import hint
from .prompt import DATA, KINDS, OF_KIND, PLACEHOLDER, Head, Prompt

_HEAD = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def prompt_of(kind: str | None, given: str | os.PathLike[str] | None = None) -> Prompt:
    """A prompt to ask with.

    Parameters
    ----------
    kind : "vote", "pick", "judge", "check", "relation", "severity", "diagnosis", "observation", "rationale" or "choice"; None for a
        built-in prompt of any, which a kind names too.
    given : None for the built-in default; the name or the version of a built-in one ("vote-ru", "vote-1"); or the path of a
        text file.

    Raises
    ------
    InputError
        No such prompt or file; a file that is empty, not UTF-8, lacks a placeholder or has an unknown one.
    """
    of_kind = [prompt for prompt in PROMPTS.values() if kind in (None, prompt.kind)]
    # of a name the latest counts
    built_in = {name: one for one in of_kind for name in (one.name, one.long_name, one.version)}
    built_in |= {} if kind else {name: PROMPTS[one.latest] for name, one in KINDS.items()}
    name = KINDS[kind].latest if given is None and kind else os.fspath(given or "")
    if name in built_in:
        return built_in[name]
    if kind is None or not Path(name).is_file():
        allowed = f"{', '.join(names_of(kind))}, or the path of a text file" if kind else f"a kind ({', '.join(KINDS)}) or one of {', '.join(PROMPTS)}"  # fmt: skip
        of = f" for {kind}" if kind else ""
        raise InputError(f"no such prompt{of}{hint(name, built_in)}", source=name, allowed=allowed, got=name)
    try:
        return prompt_of_text(kind, Path(name).read_text("utf-8"), name)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"could not be read ({error})", source=name, allowed="a prompt in UTF-8") from error


def prompt_of_text(kind: str, text: str, source: str = "prompt") -> Prompt:
    """As `prompt_of`, from the text of a file. source : its name in errors.

    A built-in prompt where the text is the same; else the version is `KIND-file-` and the first 12 hexadecimal digits of the SHA-256 of the
    text, its line ends those of Unix.
    """
    text = text.replace("\r\n", "\n").removeprefix("\ufeff")
    same = next((one for one in PROMPTS.values() if one.kind == kind and one.whole == text), None)
    version = f"{kind}-file-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    return same or _made(kind, version, text, source, Path(source).stem)


def names_of(kind: str) -> list[str]:
    """The versions of the built-in prompts of a kind, the default first."""
    versions = [version for version, prompt in PROMPTS.items() if prompt.kind == kind]
    return sorted(versions, key=lambda version: version != KINDS[kind].latest)


def allowed_in(kind: str) -> str:
    """What a file of a kind holds, in words."""
    of = KINDS[kind]
    needed, more = (" and ".join(f"{{{name}}}" for name in names) for names in (of.placeholders, of.optional))
    return f"a text with {needed}, or {DATA} for all of it{more and f', and if wanted {more}'}"


def _made(kind: str, version: str, text: str, source: str, name: str) -> Prompt:
    head, body = Head(), text
    if text.startswith("+++"):
        if (found := _HEAD.match(text)) is None:
            raise InputError("the head does not end", source=source, allowed="a line +++ before and after it")
        try:
            head, body = table_as(Head, tomllib.loads(found[1]), source, "the head"), text[found.end() :]
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"the head is not TOML ({error})", source=source) from error
    kind = kind or head.kind
    prompt = Prompt(kind, version, body, head, text, name)
    yes, no = {*prompt.yes}, {*prompt.no}
    put_in, data = {found[2] for found in PLACEHOLDER.finditer(body) if found[2]}, DATA.strip("{}")
    known = {*KINDS[kind].placeholders, *KINDS[kind].optional, data}
    unknown = min(put_in - known, default="")
    missing = [] if data in put_in else [f"{{{name}}}" for name in prompt.placeholders if name not in put_in]
    others = [name for name, of in OF_KIND.items() if of != kind and getattr(head, name)]
    wrong = {
        f"the head: {', '.join(others)} is for another kind of prompt": others,
        f"the head: it is a prompt of the kind {head.kind!r}, not {kind!r}": head.kind not in ("", kind),
        f"the head: {min(yes & no, default='')!r} is both yes and no": yes & no,
        "the head: a word for yes or no holds no letter": not all(any(map(str.isalnum, word)) for word in yes | no),
        "the prompt is empty": not text.strip(),
        f"an unknown placeholder{hint(unknown, known)}: {{{unknown}}} ({{{{{unknown}}}}} is the word in braces itself)": unknown,
        f"{', '.join(missing)} is missing": missing,
    }  # fmt: skip
    if problem := next((problem for problem, is_so in wrong.items() if is_so), None):
        raise InputError(problem, source=source, allowed=allowed_in(kind))
    return prompt


PROMPTS = {
    file.stem: _made("", file.stem, file.read_text("utf-8"), file.stem, "")
    for file in sorted(Path(__file__).parent.glob("*.txt"))
}
"""The built-in prompts by version."""
