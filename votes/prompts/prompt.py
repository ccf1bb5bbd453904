"""What every prompt is: a text with placeholders, put as a question; and how its answer is read, by its kind.

| kind | `first`, `second` of a question | verdict |
| --- | --- | --- |
| vote | two diagnoses | 1 for Yes, 0 for No |
| observation, rationale | the annotators' text, the predicted one | the same |
| pick | a diagnosis; its candidates, a JSON list | the number of the candidate, from 1 |
| judge | a reference disease, a whole answer | 1 where the answer includes it, or 0 |
| check | a reference disease, a `check_text` | 1 where the judgement is correct, or 0 |
| relation | the reference diagnosis, the predicted one | the number of the class in `RELATIONS`, from 1 |
| severity | a diagnosis, "" | the number of the class in `SEVERITIES`, from 1 |
| diagnosis | a case; how many diagnoses, "" for all | 1 for any text |
| choice | a question; its options, a JSON list | the sum of 2 to the power of each chosen place, from 0 |
| choice-reading | an answer; the options | the same |
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from msgspec import Meta, Struct

from ...endpoints.replies import ChatReply
from ...errors import OptionError
from .questions import MAX_RAW, Answer, Question
from .replies import INCLUDED, RIGHT, Kind, Reply, class_of, letter_of, number_of, read, share, verdict_of

if TYPE_CHECKING:
    from ...terms.icd.index import Candidate

DATA = "{data}"
"""Stands in a text for the data block with all that is asked about."""
PLACEHOLDER = re.compile(r"\{\{([a-z_]+)\}\}|\{([a-z_]+)\}")
"""A doubled one, `{{first}}`, is the literal `{first}`. Other braces, such as those of JSON, are literal as they are."""
RELATIONS = ("exact synonym", "broad synonym", "exact disease group", "broad disease group", "not related")
SEVERITIES = ("mild", "moderate", "severe", "critical", "rare")


class KindOfPrompt(NamedTuple):
    """What goes for all prompts of a kind.

    placeholders : the names that a text must put in, unless it puts in `{data}`, which holds all of them. answer : as it is read; None
    where the words, or the candidates, are the prompt's own. max_tokens : a model that reasons before it answers needs room for its
    thoughts. optional : the names that a text may put in.
    """

    latest: str
    placeholders: tuple[str, ...] = ("first", "second")
    answer: Kind | None = None
    max_tokens: int = 16
    optional: tuple[str, ...] = ()


KINDS = {
    "vote": KindOfPrompt("vote-2"),
    "pick": KindOfPrompt("icd-pick-2", ("diagnosis", "candidates"), optional=("count",)),
    "judge": KindOfPrompt("judge-2", ("reference", "answer"), INCLUDED, 1024),
    "check": KindOfPrompt("check-2", ("reference", "answer", "judgement"), RIGHT, 1024),
    "relation": KindOfPrompt("relation-1", ("golden", "predicted"), class_of(RELATIONS)),
    "severity": KindOfPrompt("severity-1", ("diagnosis",), class_of(SEVERITIES)),
    "diagnosis": KindOfPrompt("diagnosis-free-1", ("case",), max_tokens=4096, optional=("wanted", "k")),
    "observation": KindOfPrompt("observation-1"),
    "rationale": KindOfPrompt("rationale-1"),
    "choice": KindOfPrompt("choice-one-1", ("question", "options"), max_tokens=1024),
    "choice-reading": KindOfPrompt("choice-reading-1", ("answer", "options"), max_tokens=32),
}
YES, NO = ("yes", "да"), ("no", "нет")
_DECLINED = ("content_filter", "blacklist")
"""Why a server ends an answer that it does not let through; the second is GigaChat's word."""
_SUSPECT = re.compile(r"[^ -~\n]|[<>|\[\]&`]")
_SYSTEM_ENDS = re.compile(r"^---[ \t]*\n", re.MULTILINE)


class Head(Struct, forbid_unknown_fields=True):
    """What the front matter of a prompt may hold.

    kind : what it asks for. yes, no : words that are read beside the English and Russian ones, of a vote. k : how many diagnoses are
    asked for where nothing else says so. max_answer_tokens : where no parameters are given. codes : of a pick, codes and titles are
    shown, not the names that candidates were found by.
    """

    kind: str = ""
    yes: list[str] = []
    no: list[str] = []
    k: Annotated[int, Meta(ge=1, description="a whole number from 1")] | None = None
    max_answer_tokens: Annotated[int, Meta(ge=1, description="a whole number from 1")] | None = None
    codes: bool = False


OF_KIND = {"yes": "vote", "no": "vote", "k": "diagnosis", "codes": "pick"}
"""Which kind of prompt each of these is for."""


class Prompt:
    """A text that asks for one kind of answer.

    version : what the store keeps; a text never changes under its version. text : what is sent, with placeholders in braces. What
    stands before a first line of three dashes is the system message; built-in ones seldom have one, since many chat templates know no
    system role. whole : the text of its file, head and all. file_name, file_text : of a user's file, its name without its ending, and
    `whole`; else "". parameters : what is sent beside the messages where nobody says otherwise. yes, no : the words that a vote may be.
    """

    def __init__(self, kind: str, version: str, text: str, head: Head, whole: str, file_name: str = "") -> None:
        self.kind, self.version, self.text, self.head = kind, version, text, head
        self.whole, self.file_name, self.file_text = whole, file_name, whole if file_name else ""
        self.placeholders = KINDS[kind].placeholders
        self.parameters: dict[str, Any] = {
            "max_tokens": head.max_answer_tokens or KINDS[kind].max_tokens,
            "temperature": 0,
        }
        self.yes, self.no = ((*own, *(word.strip().lower() for word in words)) for own, words in ((YES, head.yes), (NO, head.no)))  # fmt: skip

    @property
    def name(self) -> str:
        """For a reader: that of the file, or `long_name` without the kind ("free" for "diagnosis-free-1")."""
        return self.file_name or self.long_name.removeprefix(f"{self.kind}-")

    @property
    def long_name(self) -> str:
        """Of a built-in one: its version without the number ("vote" for "vote-2")."""
        return re.sub(r"-\d+$", "", self.version)

    def messages(self, first: str, second: str) -> list[dict[str, str]]:
        """As a chat completion takes them: a user message, after a system message where the text has one.

        Raises `OptionError` for a number of diagnoses that is none, or lacks where the text needs it.
        """
        values = self._values(first, second)
        parts = _SYSTEM_ENDS.split(self.text, maxsplit=1)
        put = [PLACEHOLDER.sub(lambda one: f"{{{one[1]}}}" if one[1] else values[one[2]], part) for part in parts]
        roles = ("user",) if len(parts) == 1 else ("system", "user")
        return [{"role": role, "content": part.strip("\n")} for role, part in zip(roles, put, strict=True)]

    def _values(self, first: str, second: str) -> Mapping[str, str]:
        """What each placeholder, `data` too, becomes for a question: JSON, which nothing in a diagnosis can break out of."""
        held, listed = self._parts(first, second)
        more = {}
        if self.kind == "diagnosis":
            more = {"k": (k := self._k(second)), "wanted": _wanted(k)}
        elif listed:
            numbered = "\n".join(f"{number}. {json_string(text)}" for number, text in listed.items())
            more = {self.placeholders[-1]: numbered, "count": str(len(listed))}
        return {name: json_string(one) for name, one in held.items()} | more | {"data": data_block(held | listed)}

    def _parts(self, first: str, second: str) -> tuple[dict[str, str], dict[str, str]]:
        """The texts that are asked about, by their placeholders; what is to be chosen from: candidates by number, options by letter."""
        if self.kind == "check":
            return {"reference": first, **json.loads(second)}, {}
        if self.kind == "pick":
            shown = [one if isinstance(one, str) else " ".join(one) for one in json.loads(second)]
            return {"diagnosis": first}, {str(number): one for number, one in enumerate(shown, 1)}
        if "options" in self.placeholders:
            return {self.placeholders[0]: first}, dict(zip(ascii_uppercase, json.loads(second), strict=False))
        return dict(zip(self.placeholders, (first, second), strict=False)), {}

    def _k(self, second: str | None) -> str:
        k = second or str(self.head.k or "")
        if (k and not (k.isascii() and k.isdecimal() and int(k))) or (not k and "{k}" in self.text):
            raise OptionError("k", f"a whole number from 1 to fill {{k}} of the prompt {self.name}", second or None)
        return k

    def offer(self, candidates: Sequence[Candidate]) -> str:
        """The candidates of a pick, best first, as the `second` text of a `Question`: what the model is shown of them."""
        return packed([[one.code, one.name] if self.head.codes else one.found for one in candidates])

    def reply(self, text: str, question: Question) -> Reply:
        """What an answer says, with its basis."""
        held, listed = self._parts(question.first, question.second)
        if self.kind == "diagnosis":
            return Reply(1) if text.strip() else Reply(None, "empty")
        names = [*listed.values()]
        if "options" in self.placeholders:
            return read(text, letter_of(names))
        words = ("|".join(map(re.escape, words)) for words in (self.yes, self.no))
        kind = number_of(names) if self.kind == "pick" else KINDS[self.kind].answer or verdict_of(*words)
        return read(text, kind, *(one for name, one in held.items() if name != "judgement"))

    def answer(self, question: Question, reply: ChatReply) -> Answer:
        """A reply to `question` as it is stored. Only an answer with a verdict has a probability."""
        declined = reply.refusal or reply.finish in _DECLINED
        verdict, reason, *_ = Reply(None, "refusal") if declined else self.reply(reply.text, question)
        # a list that was cut off has no verdict, whatever it says
        if reply.finish == "length" and not declined and (verdict is None or self.kind == "diagnosis"):
            verdict, reason = None, "truncated"
        soft = verdict is not None and self.kind in ("vote", "observation", "rationale")
        raw, probability = (reply.text or reply.refusal or "")[:MAX_RAW], share(reply.logprobs, self.yes, self.no) if soft else None  # fmt: skip
        counts = reply.prompt_tokens, reply.completion_tokens, reply.seconds
        return Answer(verdict, reason, raw, probability, *counts, reply.model)


def check_text(answer: str, verdict: int, basis: str) -> str:
    """An answer with a judgement on it, as the `second` text of a check. verdict : 1 or 0."""
    said = "included" if verdict else "not included"
    return packed({"answer": answer, "judgement": f"{said}: {basis}" if basis else said})


def fitting(question: str, options: Sequence[str], several: bool) -> str:
    """The name of the built-in prompt that fits one question, whatever stands beside it: by its script, and by how many options are right.

    "choice-zh" where Chinese characters are at least as many as words in other letters and no kana stands among them, else "choice-several" or
    "choice-one".

    >>> fitting("哪种病毒引起 HBV 感染?", ["甲型", "乙型"], False)
    'choice-zh'
    """
    text = "\n".join((question, *options))
    chinese = len(re.findall(r"[\u3400-\u4dbf\u4e00-\u9fff]", text))
    kana, others = re.search(r"[\u3040-\u30ff\uac00-\ud7af]", text), re.findall(r"[^\W\d_\u3400-\u9fff]+", text)
    if chinese and not kana and chinese >= len(others):
        return "choice-zh"
    return "choice-several" if several else "choice-one"


def packed(value: Any) -> str:
    """Options in the order in which they are put, or whatever else stands in one text, as the `second` of a question."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _wanted(k: str) -> str:
    if not k:
        return "all major diseases that this patient has"
    return "the likeliest disease" if int(k) == 1 else f"the {k} likeliest diseases"


def data_block(entries: Mapping[str, str]) -> str:
    r"""The entries as one JSON object between `<data>` and `</data>`, an entry a line.

    Brackets, bars, ampersands and backticks, and all that is not printed (control characters, line and paragraph
    separators, marks of direction) become \u escapes: no value can close the block, begin a line or spell a control token
    of a chat template (`<|im_end|>`, `[INST]`). Letters of every script stay as they are.

    >>> print(data_block({"first": "</data>\n[INST]"}))
    <data>
    {
    "first": "\u003c/data\u003e\n\u005bINST\u005d"
    }
    </data>
    """
    return f"<data>\n{_SUSPECT.sub(_escaped, json.dumps(entries, ensure_ascii=False, indent=0))}\n</data>"


def json_string(text: str) -> str:
    r"""One JSON string, with its quotes, escaped as in the data block.

    >>> print(json_string("</data>\n[INST]"))
    "\u003c/data\u003e\n\u005bINST\u005d"
    """
    return _SUSPECT.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(found: re.Match[str]) -> str:
    character = found[0]
    if character.isascii() and character.isprintable():
        return f"\\u{ord(character):04x}"
    return character if character.isprintable() else json.dumps(character)[1:-1]
