"""The vote store: every answer of a language model, kept in one file so that nothing is asked twice."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...files.wording import counted
from ..prompts.questions import IMPORTED, MAX_RAW, Answer, ModelConfig, Question, in_parts
from .file import KEYS, DamagedStore, StoreFile, with_checksum

_ID = "(SELECT id FROM respondent WHERE model = ? AND prompt = ? AND parameters = ?)"
_KEY = f"respondent = {_ID} AND first = ? AND second = ? AND repeat = ?"


def row_of(respondent: int, question: Question, answer: Answer, answered_at: int) -> tuple[Any, ...]:
    """A row of the table `answer`.

    A raw answer is cut to `MAX_RAW` characters; half a surrogate pair in it, which is no text, is spelt out (\\ud83d).
    """
    asked = respondent, str(question.first), str(question.second), question.repeat
    numbers = answer.probability, answer.prompt_tokens, answer.completion_tokens, answer.seconds
    raw = answer.raw[:MAX_RAW].encode("utf-8", "backslashreplace").decode("utf-8")[:MAX_RAW]
    return with_checksum((*asked, answer.verdict, answer.reason, *numbers, answered_at, raw))


@dataclass
class ModelStatus:
    """What the store holds of one model configuration.

    answers : all of them, with a verdict or without.
    matches : verdicts that are 1 (of a pick: those that name the first candidate).
    unscored : answers without a verdict, by reason.
    prompt_tokens, completion_tokens : sums over the answers that tell them.
    first_at, last_at : when the first and the last answer came, UTC.
    served_by : the names under which servers said that the model answers, and how often.
    """

    config: ModelConfig
    answers: int
    matches: int
    prompt_tokens: int
    completion_tokens: int
    first_at: datetime
    last_at: datetime
    unscored: dict[str, int]
    served_by: dict[str, int]

    def lines(self) -> list[str]:
        """Its answers, what is unscored and why, tokens, and when, for the user to read."""
        who, unscored = self.config, f"{sum(self.unscored.values()):,} unscored{in_parts(self.unscored)}"
        said = f", {self.matches:,} match" if who.prompt.startswith(("vote-", IMPORTED)) else ""
        lines = [f"{who.model}, prompt {who.prompt}, parameters {who.parameters}"]
        lines.append(f"    {counted(self.answers, 'answer')}{said}, {unscored}")
        if self.prompt_tokens or self.completion_tokens:
            lines.append(f"    {self.prompt_tokens:,} + {self.completion_tokens:,} tokens of prompts and answers")
        if self.served_by.keys() - {who.model}:
            lines.append(f"    answered by other names{in_parts(self.served_by)}")
        return [*lines, f"    from {self.first_at:%Y-%m-%d %H:%M} to {self.last_at:%Y-%m-%d %H:%M} UTC"]


class VoteStore(StoreFile):
    """The answers in a file.

    An answer is committed when `add` returns: it outlives the process, however that ends (a power cut can lose the last ones,
    which are then asked again). Every row has a checksum that is proved as it is read; all of a store is proved by
    `votes check`, and on opening where a process that wrote to it was killed, or still writes. No address, header or key of an endpoint is stored.
    """

    def add(self, question: Question, answer: Answer) -> bool:
        """Commits one answer. False, and nothing changes, where the question has one already."""
        return self.add_many([(question, answer)]) == 1

    def add_many(self, items: Iterable[tuple[Question, Answer]]) -> int:
        """Commits all of them or none; returns how many were written. All of `items` is read before the store is locked.

        Of two answers to one question the first counts.
        """
        now, added = int(time.time()), 0
        with self._errors():
            rows = [(one, answer, row_of(self._id(one.config), one, answer, now)) for one, answer in items]
        with self.writing() as db:
            for question, answer, row in rows:
                new = db.execute(f"INSERT INTO answer VALUES ({'?, ' * 12}?) ON CONFLICT DO NOTHING", row).rowcount
                if new and answer.model:
                    count = "INSERT INTO served VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET answers = answers + 1"
                    db.execute(count, (row[0], answer.model))
                db.execute(f"DELETE FROM claimed WHERE {_KEY}", _key(question))
                added += new
        return added

    def claim(self, question: Question, seconds: float) -> bool:
        """Whether it has no answer and nobody else is asking it. It is held for so long, or until it is answered or released."""
        now, id = time.time(), self._id(question.config)
        claim = f"""INSERT INTO claimed SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM answer WHERE {_KEY})
            ON CONFLICT DO UPDATE SET until = excluded.until WHERE until < ?"""
        with self.writing() as db:
            row = (id, question.first, question.second, question.repeat, now + seconds)
            return db.execute(claim, (*row, *_key(question), now)).rowcount == 1

    def release(self, questions: Iterable[Question]) -> None:
        """Lets others ask what was claimed and not answered."""
        with self.writing() as db:
            db.executemany(f"DELETE FROM claimed WHERE {_KEY}", map(_key, questions))

    def forget(self, questions: Iterable[Question]) -> int:
        """Removes their answers, so that they are asked anew; returns how many these were."""
        keys = list(map(_key, questions))
        with self.writing() as db:
            return db.executemany(f"DELETE FROM answer WHERE {_KEY}", keys).rowcount

    def unknown(self, questions: Iterable[Question]) -> Iterator[Question]:
        """Those without an answer, in order; each is looked up when it is come to."""
        known = f"SELECT 1 FROM answer WHERE {_KEY}"
        return (question for question in questions if not self.read(known, _key(question)))

    def stored(self, questions: Iterable[Question]) -> Iterator[Answer | None]:
        """The answer to each question, in order; None where there is none."""
        for question in questions:
            rows = self.read(f"SELECT * FROM answer WHERE {_KEY}", _key(question))
            yield self._proved(rows[0]) if rows else None

    def answers(self, config: ModelConfig, names: Sequence[str]) -> Iterator[tuple[Question, Answer]]:
        """Every answer on two of `names`, sorted by first, second and repeat."""
        wanted, select = set(names), f"SELECT * FROM answer WHERE respondent = {_ID} AND first = ?"
        for name in sorted(wanted):
            for row in self.read(select, (*_words(config), name)):
                if row[2] in wanted:
                    yield Question(config, *row[1:4]), self._proved(row)

    def status(self) -> list[ModelStatus]:
        """One per model configuration that answered, by model, prompt and parameters."""
        select = """SELECT r.model, r.prompt, r.parameters, count(*), sum(a.verdict IS 1), coalesce(sum(a.prompt_tokens), 0),
                coalesce(sum(a.completion_tokens), 0), min(a.answered_at), max(a.answered_at),
                (SELECT json_group_object(reason, n) FROM (SELECT reason, count(*) AS n FROM answer
                    WHERE respondent = r.id AND verdict IS NULL GROUP BY reason)),
                (SELECT json_group_object(model, answers) FROM served WHERE respondent = r.id)
            FROM respondent r JOIN answer a ON a.respondent = r.id GROUP BY r.id ORDER BY r.model, r.prompt, r.parameters"""
        return [
            ModelStatus(ModelConfig(*row[:3]), *row[3:7], *(datetime.fromtimestamp(at, UTC) for at in row[7:9]), *map(json.loads, row[9:]))
            for row in self.read(select, ())
        ]  # fmt: skip

    def _id(self, config: ModelConfig) -> int:
        """The number of a model configuration, given at once where there is none."""
        ((id,),) = self.read(f"SELECT {_ID}", words := _words(config))
        if id is None:
            with self.writing() as db:
                given = f"SELECT coalesce({_ID}, (SELECT coalesce(max(id), 0) + 1 FROM respondent))"
                ((id,),) = db.execute(given, words)
                db.execute(
                    "INSERT INTO respondent VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", with_checksum((id, *words))
                )
        return id

    def _proved(self, row: tuple[Any, ...]) -> Answer:
        """From a row of the table `answer`."""
        if with_checksum(row[:-1]) != row:
            raise DamagedStore(self.path, "table answer: a checksum does not fit what its row holds")
        verdict, reason, *numbers, _, raw, _ = row[KEYS["answer"] :]
        return Answer(verdict, reason, raw, *numbers)


def _words(config: ModelConfig) -> tuple[str, str, str]:
    return config.model, config.prompt, config.parameters


def _key(question: Question) -> tuple[Any, ...]:
    return (*_words(question.config), question.first, question.second, question.repeat)
