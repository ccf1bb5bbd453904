"""Multiple choice as it is read and asked: questions out of tables, answers of a table or of language models through the vote store."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from string import ascii_uppercase
from typing import Any

from ...errors import OptionError
from ...files.invisible import read_visible
from ...files.reading import Reading
from ...files.tables import Table
from ...files.wording import hint
from ...pages.rows import Row
from ...progress import Progress
from ...votes.asking import Budget, Job, LanguageModel
from ...votes.prompts.files import prompt_of
from ...votes.prompts.prompt import Prompt, fitting, packed
from ...votes.prompts.questions import Question
from ...votes.prompts.replies import letters_of
from ...votes.store.store import VoteStore
from ..score.choice import option_at, shifted, shifts

OF_QUESTIONS = {
    "question_id": "id", "question": "question", "options": "options", "answer": "right", "disease_info": "disease_info", "subset": "subset",
}  # fmt: skip
OF_ANSWERS = {"question_id": "id", "response": "letters", "shift": "shift", "model": "model"}
"""What is read of a question, of an answer -> another name of its column."""
_MARK = r"\s*[.)、:]\s*"


@dataclass(frozen=True)
class ChoiceQuestion:
    """One question. right : the places of the right options, from 0, in order. subset : "" where there are none."""

    name: str
    text: str
    options: tuple[str, ...]
    right: tuple[int, ...]
    subset: str


def read_rows(
    source: Any, reading: Reading, columns: Mapping[str, str], needed: Sequence[str]
) -> tuple[Table, dict[str, str], list[Row]]:
    """Reads a table, what its columns are called, and its rows, which have each cell also under what it is, None for none.

    columns : what is read -> another name of its column; `reading.columns` goes before both.
    """
    table, given, known = read_visible(source, reading.encoding), reading.columns or {}, OF_QUESTIONS | OF_ANSWERS
    if unknown := [what for what in given if what not in known]:
        raise OptionError("reading.columns", f"a column for some of {', '.join(known)}", unknown[0])
    called = {
        what: str(given.get(what, "")) or (other if {what, other} & {*table.names} == {other} else what)
        for what, other in columns.items()
    }
    for what in (*needed, *(called.keys() & given.keys())):
        table.require(called[what], what)
    rows = table.data.to_pylist()
    return table, called, [row | {what: row.get(name) for what, name in called.items()} for row in rows]


def read_questions(source: Any, reading: Reading) -> list[ChoiceQuestion]:
    """Reads a table or file of questions.

    A row has `question`, `answer` (letters, "A" or "ABC") and `options`: a list, an object {"A": …}, one text "A. … B. …" as
    ClinBench-HPB publishes it, or columns A, B, C …; `question_id` (else its number in the table, from 1); and `subset`, if there are any.

    Raises
    ------
    InputError
        A column that is missing, fewer than two options, no right answer among them, two questions of one name.
    """
    table, called, rows = read_rows(source, reading, OF_QUESTIONS, ("question", "answer"))
    lettered = [letter for letter in ascii_uppercase if letter in table.names]
    if not lettered:
        table.require(called["options"], "options")
    found: dict[str, ChoiceQuestion] = {}
    for row, of in enumerate(rows):
        if not str(of["question"] or "").strip():
            raise table.error("the question is blank", row, called["question"])
        given = {letter: of[letter] for letter in lettered} if lettered else of["options"]
        options = options_of(given)
        if len(options) < 2:
            allowed = 'a list, {"A": …, "B": …}, "A. … B. …", or columns A, B, …'
            column = (lettered or [called["options"]])[0]
            raise table.error("fewer than two options", row, column, allowed=allowed, got=given)
        letters = "".join(map(str, of["answer"])) if isinstance(of["answer"], list) else str(of["answer"] or "")
        places = letters_of(letters, options)
        if places is None:
            allowed = f"letters from A to {ascii_uppercase[len(options) - 1]}"
            raise table.error("no right option", row, called["answer"], allowed=allowed, got=of["answer"])
        name = str(row + 1 if of["question_id"] is None else of["question_id"])
        if name in found:
            raise table.error("two questions of one name", row, called["question_id"], allowed="each once", got=name)
        text = "\n".join(str(part) for part in (of["disease_info"], of["question"]) if part).strip()
        found[name] = ChoiceQuestion(name, text, tuple(options), places, str(of["subset"] or ""))
    return list(found.values())


def options_of(given: Any) -> list[str]:
    """Reads the texts of the options in their order; of an object those that are not blank. [] where none can be read."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):  # of a column with several kinds of options
        try:
            given = json.loads(given)
        except ValueError:
            return []
    if isinstance(given, dict):
        kept = {key: str(value).strip() for key, value in given.items() if value is not None and str(value).strip()}
        return list(kept.values()) if list(kept) == list(ascii_uppercase[: len(kept)]) else []
    if isinstance(given, list):
        return [str(one).strip() for one in given if one is not None]
    return _in_text(given) if isinstance(given, str) else []


def _in_text(text: str) -> list[str]:
    """Of "A. … B. …": the next letter each time, at the head of a line, else after a blank, else anywhere."""
    text = unicodedata.normalize("NFKC", text)
    marks: list[tuple[int, int]] = []
    for letter in ascii_uppercase:
        sign, start = letter + _MARK, marks[-1][1] if marks else 0
        forms = (rf"^\s*{sign}", rf"(?<=\s){sign}", rf"(?<![A-Z]){sign}") if marks else (rf"^\s*{sign}",)
        found = next((m for form in forms if (m := re.compile(form, re.MULTILINE).search(text, start))), None)
        if found is None:
            break
        marks.append(found.span())
    ends = [*(start for start, _ in marks[1:]), len(text)]
    options = [text[end:stop].strip() for (_, end), stop in zip(marks, ends, strict=False)]
    return options if all(options) else []


@dataclass(frozen=True)
class ChoiceAnswer:
    """One answer to a question.

    shift : of its options, 0 for the order in which the question has them. said_again : by a model that was asked what the response chooses.
    """

    model: str
    question: ChoiceQuestion
    shift: int
    repeat: int
    response: str = ""
    said_again: str | None = None

    @property
    def options(self) -> list[str]:
        """Lists the options in the order in which they were put."""
        return shifted(self.question.options, self.shift)

    @cached_property
    def chosen(self) -> tuple[int, ...] | None:
        """Finds the places of the chosen options in the question's own order; None where none can be read."""
        n = len(self.question.options)
        places = letters_of(self.response if self.said_again is None else self.said_again, self.options)
        return None if places is None else tuple(sorted(option_at(one, self.shift, n) for one in places))

    @property
    def row(self) -> Row:
        """Makes its row of the table of answers; letters are those of the question's own order."""
        right, chosen = (
            places and "".join(map(ascii_uppercase.__getitem__, places))
            for places in (self.question.right, self.chosen)
        )
        return {
            "model": self.model, "question_id": self.question.name, "subset": self.question.subset, "shift": self.shift,
            "repeat": self.repeat, "chosen": chosen, "right": right, "correct": chosen == right, "unread": chosen is None,
            "response": self.response,
        }  # fmt: skip


def read_answers(
    source: Any, questions: Sequence[ChoiceQuestion], model: str, reading: Reading
) -> Iterator[ChoiceAnswer]:
    """Reads a row for each answer: question_id, response (the whole answer, or letters), and if there are any, model and shift (else 0).

    Several rows of one model, question and shift are repeats. model : where no column names one.

    Raises
    ------
    InputError
        A missing column, a question that is not there, a shift that is no whole number.
    """
    table, called, rows = read_rows(source, reading, OF_ANSWERS, ("question_id", "response"))
    by_name, repeats = {one.name: one for one in questions}, Counter[tuple[str, str, int]]()
    for row, of in enumerate(rows):
        question = by_name.get(str(of["question_id"]))
        if question is None:
            problem = f"an answer to a question that is not there{hint(str(of['question_id']), by_name)}"
            raise table.error(problem, row, called["question_id"], got=of["question_id"])
        try:
            shift = range(len(question.options) + 1).index(float(of["shift"] or 0))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            allowed = f"a whole number from 0 to {len(question.options)}, the number of the options"
            raise table.error("no shift", row, called["shift"], allowed=allowed, got=of["shift"]) from None
        key = (str(of["model"] or model), question.name, shift)
        yield ChoiceAnswer(key[0], question, shift, repeats[key], str(of["response"] or ""))
        repeats[key] += 1


Asked = tuple[Job, dict[Question, list[ChoiceAnswer]]]
"""What a model is asked under a prompt, and which answers each question gives, before there are any."""


def questions_put(
    models: Sequence[LanguageModel],
    questions: Sequence[ChoiceQuestion],
    prompt: Prompt | None,
    whole: bool,
    repeats: int,
) -> list[Asked]:
    """Lists each question in each order, `repeats` times, for each model and prompt.

    prompt : None for the one that fits each question, by its script and whether several options are right (`fitting`). whole : as of
    `shifts`, all orders.
    """
    found: dict[tuple[int, str], Asked] = {}
    for (at, model), one in product(enumerate(models), questions):
        own = prompt or prompt_of("choice", fitting(one.text, one.options, len(one.right) > 1))
        put: dict[Question, list[ChoiceAnswer]] = {}
        job = Job(model, own, lambda put=put: put, f"{model.model}, {own.version}")
        _, put = found.setdefault((at, own.version), (job, put))
        for shift, repeat in product(shifts(len(one.options), whole), range(repeats)):
            blank = ChoiceAnswer(model.model, one, shift, repeat)
            question = Question(model.config(own), one.text, packed(blank.options), repeat)
            put.setdefault(question, []).append(blank)
    return list(found.values())


def stored_answers(put: Sequence[Asked], store: VoteStore) -> Iterator[ChoiceAnswer]:
    """Yields what the store holds; a question without an answer is left out."""
    for _, asked in put:
        for blanks, answer in zip(asked.values(), store.stored(asked), strict=True):
            if answer is not None:
                yield from (replace(blank, response=answer.raw) for blank in blanks)


def reread(
    answers: Sequence[ChoiceAnswer], model: LanguageModel, store: VoteStore, budget: Budget, progress: Progress
) -> Iterator[ChoiceAnswer]:
    """Has a model read the answers that no rule reads; one that it too finds no letter in stays unread.

    Source: ClinBench-HPB, §3.2, which has GPT-4o-mini read what its pattern does not.
    """
    unread = {at: one for at, one in enumerate(answers) if one.chosen is None and one.response.strip()}
    asked = [(one.response, packed(one.options)) for one in unread.values()]
    said = dict(zip(unread, model.answers(prompt_of("choice-reading"), asked, store, budget, progress), strict=True))
    for at, one in enumerate(answers):
        again = said.get(at)
        yield one if again is None else replace(one, said_again=again.raw)
