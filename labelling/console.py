"""Labels from a console: one pair at a time, blind, and each answer kept before the next is asked."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, OptionError
from ..files.counted import counted
from ..files.invisible import visible
from ..files.pairs import read_pairs
from . import sheet
from .answer_file import AnswerFile, key_of
from .suggestion import MADE_WITH, Suggestion, check_experts

EXPERT = "expert_1"
PROMPT = "Same disease? (y)es, (n)o, (u)nsure, (s)kip, (b)ack, (?) criteria, (q)uit: "
LAST = "\nThat was the last pair. (b)ack, or Enter to end: "
_WORDS = ("yes", "no", "unsure", "skip", "back", "quit")
_KEYS = {key: word for word in _WORDS for key in (word, word[0])} | {"1": "yes", "0": "no", "?": "?", "h": "?"}
_ALLOWED = "y, n, u, s, b, ? or q"
CRITERIA = sheet.INSTRUCTIONS.partition("## The six criteria\n")[2].partition("## ")[0].strip().replace("**", "")


@dataclass(frozen=True)
class Question:
    """identity : the pair's id in a suggestion, None for another file's. a, b : the pair. shown : the two as they are asked."""

    identity: str | None
    a: str
    b: str
    shown: tuple[str, str]


@dataclass(frozen=True)
class Labelled:
    """How many pairs are said to match, not to match, and unsure, and how many are still open; and the file that says so.

    rejected : rows that cannot be right.
    """

    output: Path
    matches: int
    others: int
    unsure: int
    open: int
    rejected: int = 0

    def words(self) -> str:
        total = self.matches + self.others + self.unsure + self.open
        left = f", {self.open:,} open" if self.open else ""
        return f"{counted(total, 'pair')}: {self.matches:,} yes, {self.others:,} no, {self.unsure:,} unsure{left}."


def label(
    pairs: Any,
    output: str | os.PathLike[str],
    expert: str | None = None,
    *,
    a: str = "a",
    b: str = "b",
    rejects: str | os.PathLike[str] | None = None,
    encoding: str | None = None,
    ask: Callable[[str], str] = input,
    ask_again: bool = True,
) -> Labelled:
    """Asks for each pair, on the console or in a notebook, whether both are one disease.

    What a model says of a pair is not shown. Every answer is written at once, so that nothing is lost however the session ends; the
    next one goes on with what is open, skipped pairs among it.

    Parameters
    ----------
    pairs : a path or data frame with the columns `a` and `b`; or the folder that `suggest` made, or a sheet in it, whose order and sides are
        then the expert's own.
    output : the table that the answers go into, which `train` takes: a, b and `label_<expert>`; where one was unsure, `unsure` names
        them. Where it is there, answers are added: another expert's in a column beside, those on other pairs below.
    expert : who answers; "expert_1" if not given, of a suggestion for one expert that one.
    rejects : a file for rows that cannot be right; without it the first of them is an `InputError`.
    encoding : of a text file that is not UTF-8.
    ask : gives the answer to a question, as `input` does; an `EOFError` of it ends the session.
    ask_again : after an answer that is none. Else it is an `InputError`, since answers from a file may then belong to other pairs.

    Raises
    ------
    InputError
        For pairs that cannot be right, a suggestion made for others, and an `output` that holds something else.
    """
    questions, expert, rejected = _questions(pairs, expert, a, b, rejects, encoding)
    answers = AnswerFile(Path(output), expert)
    said = [answers.of(each) for each in questions]
    open_ = deque(number for number, answer in enumerate(said) if answer is None)
    passed = [number for number, answer in enumerate(said) if answer is not None]
    try:
        while open_ or (ask_again and passed and _typed(ask, LAST) == "back"):
            if not open_:
                open_.append(passed.pop())
            number = open_[0]
            word = _answer(questions[number], number, len(questions), said[number], ask, ask_again)
            if word == "quit":
                break
            if word == "back":
                if passed:
                    open_.appendleft(passed.pop())
                else:
                    print("This is the first pair.")
                continue
            if word != "skip":
                answers.put(questions[number], word)
                said[number] = word
            passed.append(open_.popleft())
    except KeyboardInterrupt:
        done = len(said) - said.count(None)
        raise KeyboardInterrupt(f"{done:,} of {len(said):,} pairs are answered and kept in {output}.") from None
    yes, no, unsure, still = (said.count(word) for word in ("yes", "no", "unsure", None))
    return Labelled(Path(output), yes, no, unsure, still, rejected)


def _answer(
    question: Question, number: int, total: int, said: str | None, ask: Callable[[str], str], ask_again: bool
) -> str:
    """What is answered: yes, no, unsure, skip, back or quit."""
    before = "" if said is None else f" (you said {said}; skip leaves it so)"
    print(f"\n{number + 1:,} of {total:,}{before}", *(f"  {_plain(text)}" for text in question.shown), sep="\n")
    while True:
        word = _typed(ask, PROMPT)
        if word == "?":
            print(f"\n{CRITERIA}\n")
        elif word in _WORDS:
            return word
        elif word and not ask_again:
            problem = f"an answer that is not known, to pair {number + 1:,} of {total:,}; those before it are kept"
            raise InputError(problem, allowed=_ALLOWED, got=word)
        elif word:
            print(f"Allowed: {_ALLOWED}.")


def _typed(ask: Callable[[str], str], prompt: str) -> str:
    """What is typed, as the word that it stands for where it stands for one; "quit" at the end of the input."""
    try:
        typed = ask(prompt).strip().casefold()
    except EOFError:
        print()
        return "quit"
    return _KEYS.get(typed, typed)


def _plain(text: str) -> str:
    """A text on one line, without what would steer a terminal."""
    return "".join(char if char.isprintable() else "\ufffd" for char in " ".join(visible(text).split()))


def _questions(
    pairs: Any,
    expert: str | None,
    a: str,
    b: str,
    rejects: str | os.PathLike[str] | None,
    encoding: str | None,
) -> tuple[list[Question], str, int]:
    """What is asked, each pair once; who answers; how many rows are set aside."""
    folder, of_sheet = _suggestion(pairs)
    rejected = 0
    if folder is None:
        expert = EXPERT if expert is None else expert
        check_experts([expert], "expert")
        read = read_pairs(pairs, a=a, b=b, rejects=rejects, encoding=encoding)
        rejected = read.n_rejected
        found = (Question(None, *both, both) for both in zip(read.a.to_pylist(), read.b.to_pylist(), strict=True))
    else:
        suggested = Suggestion.read(folder)
        if expert is None:
            expert = of_sheet or (suggested.experts[0] if len(suggested.experts) == 1 else None)
        if expert is None or expert not in suggested.experts or of_sheet not in (None, expert):
            raise OptionError("expert", f"one of {', '.join((of_sheet,) if of_sheet else suggested.experts)}", expert)
        key = {row["id"]: row for row in suggested.key.select(["id", "a", "b"]).to_pylist()}
        asked = sheet.questions(suggested.key, expert, suggested.made_with["seed"]).to_pylist()
        found = (Question(row["id"], *_sides(key[row["id"]]), _sides(row)) for row in asked)
    once: dict[tuple[str, ...], Question] = {}
    for each in found:
        once.setdefault(key_of(each.a, each.b), each)
    return list(once.values()), expert, rejected


def _sides(row: dict[str, str]) -> tuple[str, str]:
    return row["a"], row["b"]


def _suggestion(pairs: Any) -> tuple[Path | None, str | None]:
    """The folder of a suggestion, where `pairs` is one or a sheet in one, and whose sheet it is."""
    if not isinstance(pairs, str | os.PathLike):
        return None, None
    path = Path(pairs)
    if path.is_dir():
        return path, None
    folder = path.absolute().parents[1] if len(path.absolute().parts) > 2 else None
    if path.parent.name == sheet.FOLDER and folder is not None and (folder / MADE_WITH).is_file():
        return folder, path.stem
    return None, None
