"""Labels from a console: one pair at a time, blind, and each answer kept before the next is asked."""

from __future__ import annotations

import contextlib
import os
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from ..errors import InputError, OptionError
from ..files.invisible import visible
from ..files.pair_labels import UNSURE, answer_of, key_of
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.wording import counted
from ..options import Output, Table, checked
from .label_file import LabelFile
from .sheets import INSTRUCTIONS, SHEETS
from .suggestion import Suggestion

EXPERT = "expert_1"
PROMPT = "Same disease? (y)es, (n)o, (u)nsure, (s)kip, (b)ack, (?) criteria, (q)uit: "
LAST = "\nThat was the last pair. (b)ack, or Enter to end: "
CRITERIA = INSTRUCTIONS.partition("## The six criteria\n")[2].partition("## ")[0].strip().replace("**", "")
_KEYS = {word[0]: word for word in (UNSURE, "skip", "back", "quit")}
_WORDS = ("yes", "no", *_KEYS.values())
_ALLOWED = "y, n, u, s, b, ? or q"


@dataclass(frozen=True)
class Labelled:
    """How many pairs are said to match, not to match, and unsure, and how many are still open; and the file that says so."""

    output: Path
    matches: int
    others: int
    unsure: int
    open: int

    def words(self) -> str:
        """Says it in a sentence."""
        total = self.matches + self.others + self.unsure + self.open
        left = f", {self.open:,} open" if self.open else ""
        return f"{counted(total, 'pair')}: {self.matches:,} yes, {self.others:,} no, {self.unsure:,} unsure{left}."


@checked
def label(
    pairs: Table,
    output: Output,
    expert: str | None = None,
    *,
    a: str = "a",
    b: str = "b",
    ask: Callable[[str], str] = input,
    reading: Annotated[Reading, *OF_TABLES] = Reading(),
) -> Labelled:
    """Asks for each pair, on the console or in a notebook, whether both are one disease.

    What a model says of a pair is not shown. Every answer is written at once, so that nothing is lost however the session ends; the
    next one goes on with what is open, skipped pairs among it.

    Parameters
    ----------
    pairs : table
        Pairs; or the folder that `suggest` made, whose order and sides are then the expert's own.
    output : path
        The CSV file that the answers are appended to, which `train` and `labels` take: a, b, `label_<expert>` (1, 0 or "unsure") and
        labelled_at. Of a pair with several rows the last one counts. Each expert has a file.
    expert : str, optional
        Who answers; "expert_1" if not given, of a suggestion for one expert that one.
    a, b : str
        The columns of the two diagnoses.
    ask : callable
        Gives the answer to a question, as `input` does; an `EOFError` of it ends the session. It is asked again after an answer that is
        none, and so is who sits at a terminal; of a file that is an error, since what follows may then belong to other pairs.
    reading : Reading
        How `pairs` are read.

    Returns
    -------
    Labelled
        How many pairs have which answer.

    Raises
    ------
    InputError
        For pairs that cannot be right, and an `output` that holds something else, or another expert's labels.
    OptionError
        For an expert for whom a suggestion was not made.
    """
    if isinstance(pairs, str | os.PathLike) and Path(pairs).is_dir():
        experts = Suggestion.read(pairs).experts
        expert = experts[0] if expert is None and len(experts) == 1 else expert
        if expert not in experts:
            raise OptionError("expert", f"one of {', '.join(experts)}", expert)
        pairs = Path(pairs) / SHEETS / f"{expert}.xlsx"
    expert = EXPERT if expert is None else expert
    asks = ask is not input or sys.stdin.isatty()
    labels = LabelFile(output, expert)
    read = read_pairs(pairs, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
    once = {key_of(*both): both for both in zip(read.a.to_pylist()[::-1], read.b.to_pylist()[::-1], strict=True)}
    questions = [*once.values()][::-1]
    said = [labels.of(*pair) for pair in questions]
    open_ = deque(number for number, answer in enumerate(said) if answer is None)
    passed = [number for number, answer in enumerate(said) if answer is not None]
    try:
        while open_ or (asks and passed and _typed(ask, LAST) == "back"):
            if not open_:
                open_.append(passed.pop())
            number = open_[0]
            before = "" if said[number] is None else f" (you said {said[number]}; skip leaves it so)"
            shown = (_plain(text) for text in questions[number])
            print(f"\n{number + 1:,} of {len(said):,}{before}", *(f"  {text}" for text in shown), sep="\n")
            word = _answer(ask, asks)
            if word == "quit":
                break
            if word == "back":
                if passed:
                    open_.appendleft(passed.pop())
                else:
                    print("This is the first pair.")
                continue
            if word != "skip":
                labels.say(*questions[number], word)
                said[number] = word
            passed.append(open_.popleft())
    except KeyboardInterrupt:
        done = len(said) - said.count(None)
        raise KeyboardInterrupt(f"{done:,} of {len(said):,} pairs are answered and kept in {output}.") from None
    yes, no, unsure, still = (said.count(word) for word in ("yes", "no", UNSURE, None))
    return Labelled(Path(output), yes, no, unsure, still)


def _answer(ask: Callable[[str], str], asks: bool) -> str:
    """What is answered: yes, no, unsure, skip, back or quit. asks : again after an answer that is none."""
    while (word := _typed(ask, PROMPT)) not in _WORDS:
        if word in ("?", "h"):
            print(f"\n{CRITERIA}\n")
        elif word and not asks:
            raise InputError("an answer that is not known; those before it are kept", allowed=_ALLOWED, got=word)
        elif word:
            print(f"Allowed: {_ALLOWED}.")
    return word


def _typed(ask: Callable[[str], str], prompt: str) -> str:
    """What is typed, as the word that it stands for where it stands for one; "quit" at the end of the input."""
    try:
        typed = ask(prompt).strip().casefold()
    except EOFError:
        print()
        return "quit"
    with contextlib.suppress(LookupError):
        return answer_of(typed) or ""
    return _KEYS.get(typed, typed)


def _plain(text: str) -> str:
    """A text on one line, without what would steer a terminal."""
    return "".join(char if char.isprintable() else "\ufffd" for char in " ".join(visible(text).split()))
