"""Damage to a vote store: is any of it unnoticed? `python -m tests.fuzz store --number 375 --seed 0`

A trial is unnoticed where a check finds the damaged store whole, and an answer is another one or is missing.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from dxmatch.errors import DxmatchError
from dxmatch.votes.prompts.questions import Answer, ModelConfig, Question
from dxmatch.votes.store.check import check_votes
from dxmatch.votes.store.store import StoreError, VoteStore

ASKED = [
    Question(ModelConfig(model, "vote-1", '{"temperature":0}'), f"disease {i}", f"illness {j}", repeat)
    for model in ("Qwen/Qwen2.5-7B-Instruct", "microsoft/phi-4")
    for i in range(10)
    for j in range(5)
    for repeat in range(2)
]
ANSWERS = [
    Answer(None, "refusal", "I cannot tell.", None, 200, 3, 1.25) if i % 7 == 0
    else Answer(i % 2, None, ("Yes. ", "No. ")[i % 2] * (1 + i % 40), (i % 100) / 100, 210, 2, 0.5)
    for i in range(len(ASKED))
]  # fmt: skip
EDITS = (
    "UPDATE answer SET verdict = 1 - verdict WHERE second = 'illness 3' AND verdict IS NOT NULL",
    "UPDATE answer SET probability = 0.125 WHERE first = 'disease 2'",
    "UPDATE answer SET raw = raw || '.' WHERE first = 'disease 4'",
    "UPDATE answer SET second = 'illness 9' WHERE second = 'illness 1' AND respondent = 1 AND repeat = 0",
    "UPDATE answer SET respondent = 3 - respondent WHERE repeat = 2",
    "DELETE FROM answer WHERE first = 'disease 7'",
    "DELETE FROM respondent WHERE id = 2",
    "UPDATE respondent SET model = 'another/model' WHERE id = 1",
    "INSERT INTO answer SELECT respondent, first, 'new', repeat, verdict, reason, probability, prompt_tokens, completion_tokens, "
    "seconds, answered_at, raw, checksum FROM answer WHERE second = 'illness 1'",
    "DELETE FROM exported",
)  # fmt: skip
KINDS = ("bit", "bytes", "cut", "swap", "sql")


def made(path: Path) -> bytes:
    with VoteStore(path) as store:
        store.add_many(zip(ASKED, ANSWERS, strict=True))
        store.remember_exported((f"{i:032x}", question) for i, question in enumerate(ASKED))
    return path.read_bytes()


def damaged(content: bytes, kind: str, path: Path, rng: random.Random) -> None:
    data = bytearray(content)
    pages = len(data) // 4096
    if kind == "bit":
        bit = rng.randrange(len(data) * 8)
        data[bit // 8] ^= 1 << bit % 8
    elif kind == "bytes":
        at, length = rng.randrange(len(data) - 64), rng.randrange(2, 64)
        data[at : at + length] = rng.randbytes(length)
    elif kind == "cut":
        del data[rng.randrange(1, len(data)) :]
    elif kind == "swap":
        one, two = rng.sample(range(pages), 2)
        first, second = (bytes(data[i * 4096 : (i + 1) * 4096]) for i in (one, two))
        data[one * 4096 : (one + 1) * 4096], data[two * 4096 : (two + 1) * 4096] = second, first
    path.write_bytes(data)
    if kind == "sql":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute(rng.choice(EDITS))


def came_of(path: Path) -> str:
    """ "refused", "no effect" or "UNNOTICED"."""
    try:
        if not check_votes(path).whole:
            return "refused"
        with VoteStore(path, must_exist=True, wait=0.1) as store:
            same = list(store.stored(ASKED)) == ANSWERS
            same &= [store.exported(f"{i:032x}") for i in range(len(ASKED))] == ASKED
            config = ASKED[0].config
            names = sorted({name for question in ASKED for name in (question.first, question.second)})
            mine = {
                (q.first, q.second, q.repeat): (a.verdict, a.probability, a.reason)
                for q, a in zip(ASKED, ANSWERS, strict=True)
                if q.config == config
            }
            same &= {row[:3]: row[3:] for row in store.answers(config, names)} == mine
            same &= sum(status.answers for status in store.status()) == len(ASKED)
    except StoreError as error:
        assert "\n" not in str(error)
        return "refused"
    return "no effect" if same else "UNNOTICED"


def repaired_of(path: Path, copy: Path) -> tuple[int, int]:
    """(answers in the repaired copy, those of them that are other ones)"""
    check_votes(path, repair=copy)
    with VoteStore(copy, must_exist=True) as store:
        kept = list(store.stored(ASKED))
        strange = sum(status.answers for status in store.status()) - sum(answer is not None for answer in kept)
    return sum(answer is not None for answer in kept), strange + sum(
        answer is not None and answer != right for answer, right in zip(kept, ANSWERS, strict=True)
    )


def trial(kind: str, content: bytes, folder: Path, rng: random.Random) -> Counter[str]:
    """What came of one damage: `came_of`'s word; of a repaired copy the answers "saved", of them "saved wrongly", "of" how many."""
    path, copy = folder / "votes.sqlite", folder / "copy.sqlite"
    damaged(content, kind, path, rng)
    found = Counter([came_of(path)])
    if found["refused"]:
        try:
            saved, wrong = repaired_of(path, copy)
        except DxmatchError as error:
            found[f"not repaired: {type(error).__name__}"] += 1
        else:
            found.update({"saved": saved, "saved wrongly": wrong, "of": len(ASKED)})
    for file in folder.iterdir():
        file.unlink()
    return found


def outcomes(number: int, seed: int, kinds: tuple[str, ...] = KINDS) -> dict[str, Counter[str]]:
    """For each kind of damage what came of `number` trials together."""
    found = {kind: Counter[str]() for kind in kinds}
    for kind, _, counts in _trials(number * len(kinds), seed, kinds):
        found[kind].update(counts)
    return found


def run(number: int, seed: int) -> list[str]:
    """`number` trials, the kinds of damage in turn."""
    return [
        f"{kind}, trial {i} of seed {seed}: {dict(counts)}"
        for kind, i, counts in _trials(number, seed, KINDS)
        if counts["UNNOTICED"] or counts["saved wrongly"]
    ]


def _trials(number: int, seed: int, kinds: tuple[str, ...]) -> Iterator[tuple[str, int, Counter[str]]]:
    with tempfile.TemporaryDirectory() as made_in, tempfile.TemporaryDirectory() as folder:
        content = made(Path(made_in) / "good.sqlite")
        for i in range(number):
            kind = kinds[i % len(kinds)]
            yield kind, i, trial(kind, content, Path(folder), random.Random(f"{seed} {i}"))
