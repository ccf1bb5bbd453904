from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.votes.prompts.questions import MAX_RAW, Answer, ModelConfig, Question
from dxmatch.votes.store.store import VoteStore

QWEN = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1", '{"max_tokens":16,"temperature":0}')
PHI = ModelConfig("microsoft/phi-4", "vote-1", '{"max_tokens":16,"temperature":0}')
YES = Answer(1, None, "Yes.", 0.75, 210, 2, 0.5)
NO = Answer(0, None, "No")
EMPTY = Answer(None, "empty")


def asked(first: str, second: str, repeat: int = 0, of: ModelConfig = QWEN) -> Question:
    return Question(of, first, second, repeat)


def known(store: VoteStore) -> int:
    return sum(status.answers for status in store.status())


@pytest.fixture
def store(tmp_path: Path):
    with VoteStore(tmp_path / "votes.sqlite") as store:
        yield store


def test_an_answer_comes_back_whole_from_another_opening(tmp_path: Path) -> None:
    path = tmp_path / "votes.sqlite"
    with VoteStore(path) as store:
        assert store.add(asked("stroke", "ictus"), YES)
        assert store.add(asked("stroke", "gout"), Answer(None, "refusal", "I cannot", None, 200, 3, 1.25))
    with VoteStore(path, must_exist=True) as store:
        questions = [asked("stroke", "gout"), asked("stroke", "ictus"), asked("ictus", "stroke")]
        assert list(store.stored(questions)) == [Answer(None, "refusal", "I cannot", None, 200, 3, 1.25), YES, None]


@pytest.mark.parametrize(
    "other",
    [
        asked("a", "c"),
        asked("b", "a"),
        asked("a", "b", 1),
        asked("a", "b", of=PHI),
        asked("a", "b", of=ModelConfig(QWEN.model, "vote-2", QWEN.parameters)),
        asked("a", "b", of=ModelConfig(QWEN.model, "vote-1", "{}")),
        asked("A", "b"),
        asked("a\u0308", "b"),
    ],
)
def test_every_part_of_a_question_counts(store: VoteStore, other: Question) -> None:
    store.add(asked("a", "b"), YES)
    assert list(store.unknown([other, asked("a", "b")])) == [other]
    assert store.add(other, NO)
    assert list(store.stored([asked("a", "b"), other])) == [YES, NO]


def test_an_answer_that_is_there_stays(store: VoteStore) -> None:
    store.add(asked("a", "b"), YES)
    assert not store.add(asked("a", "b"), NO)
    assert store.add_many([(asked("a", "b"), NO), (asked("a", "c"), NO), (asked("a", "c"), YES)]) == 1
    assert list(store.stored([asked("a", "b"), asked("a", "c")])) == [YES, NO]
    assert store.add_many([]) == 0


def test_many_are_kept_all_or_none(store: VoteStore) -> None:
    def items():
        yield from ((asked("a", str(i)), NO) for i in range(25_000))
        raise InputError("a bad line")

    with pytest.raises(InputError, match="a bad line"):
        store.add_many(items())
    assert known(store) == 0
    assert store.add_many((asked("a", str(i)), NO) for i in range(25_000)) == 25_000
    assert known(store) == 25_000


def test_unknown_keeps_the_order_across_batches(store: VoteStore) -> None:
    questions = [asked(f"d{i % 7}", f"e{i}", of=(QWEN, PHI)[i % 2]) for i in range(25_000)]
    store.add_many((question, NO) for question in questions[::3])
    expected = [question for i, question in enumerate(questions) if i % 3]
    assert list(store.unknown(iter(questions))) == expected
    assert list(store.unknown([])) == []


def test_answers_may_be_added_while_unknown_is_read(store: VoteStore) -> None:
    questions = [asked("a", str(i)) for i in range(25_000)]
    seen = 0
    for question in store.unknown(questions):
        seen += 1
        if seen % 100 == 0:
            assert store.add(question, YES)
        if question is questions[5]:
            assert store.add(questions[-1], YES)
    assert seen == 25_000 - 1


def test_answers_are_those_on_two_of_the_names(store: VoteStore) -> None:
    names = [f"n{i:03}" for i in range(300)]
    kept = [(a, b) for a in names[::10] for b in names[::7] if a != b]
    store.add_many((asked(a, b), YES) for a, b in kept)
    store.add_many((asked(a, b, of=PHI), NO) for a, b in kept[:50])
    store.add(asked("n000", "n007", 1), EMPTY)
    for wanted in (names, names[:150], names[:40], ["n000", "n007"], ["n000"], [], ["n000", "n007", "n007", "absent"]):
        found = list(store.answers(QWEN, wanted))
        expected = [(a, b, 0, 1, 0.75, None) for a, b in kept if a in wanted and b in wanted]
        if {"n000", "n007"} <= set(wanted):
            expected.append(("n000", "n007", 1, None, None, "empty"))
        assert found == sorted(expected)
    assert list(store.answers(ModelConfig("nobody", "vote-1"), names)) == []


def test_status_tells_what_is_there(store: VoteStore) -> None:
    before = datetime.now(UTC) - timedelta(seconds=1)
    assert store.status() == []
    assert store.mean_tokens(QWEN) is None
    store.add(asked("a", "b"), Answer(1, None, "Yes", None, 100, 2, 0.5))
    store.add(asked("a", "b", 1), Answer(0, None, "No", None, 101, 4, 0.25))
    store.add(asked("a", "b", 2), Answer(None, "empty", "", None, 102, 0, 0.25))
    store.add(asked("a", "c"), Answer(1, None))
    store.add(asked("a", "c", 1), Answer(1, None))
    store.add(asked("a", "d"), Answer(None, "unclear", "Maybe"))
    store.add(asked("a", "b", of=PHI), Answer(0, None))
    qwen, phi = store.status()
    assert (qwen.config, phi.config) == (QWEN, PHI)
    assert (qwen.answers, qwen.matches, qwen.unscored) == (6, 3, {"empty": 1, "unclear": 1})
    assert (qwen.prompt_tokens, qwen.completion_tokens) == (303, 6)
    assert before <= qwen.first_at <= qwen.last_at <= datetime.now(UTC)
    assert (phi.answers, phi.matches, phi.unscored, phi.prompt_tokens) == (1, 0, {}, 0)
    assert store.mean_tokens(QWEN) == (101, 2)


def test_unscored_answers_can_be_forgotten(store: VoteStore) -> None:
    store.add(asked("a", "b"), EMPTY)
    store.add(asked("a", "c"), YES)
    store.add(asked("a", "b", of=PHI), EMPTY)
    store.add(asked("x", "y"), EMPTY)
    everything = [asked("a", "b"), asked("a", "c"), asked("a", "b", of=PHI), asked("x", "y")]
    assert store.forget_unscored([asked("a", "b"), asked("a", "c"), asked("never", "asked")]) == 1
    assert list(store.unknown(everything)) == [asked("a", "b")], "what was not named stays, with its reason"
    assert store.forget_unscored([asked("a", "b", of=ModelConfig("nobody", "vote-1"))]) == 0


def test_exported_questions_are_found_by_their_id(store: VoteStore) -> None:
    questions = {f"id-{i}": asked("a", str(i), i % 3, (QWEN, PHI)[i % 2]) for i in range(12_000)}
    store.remember_exported(questions.items())
    store.remember_exported(islice(questions.items(), 5))
    for id in ("id-0", "id-1", "id-11999"):
        assert store.exported(id) == questions[id]
    assert store.exported("id-12000") is None
    assert known(store) == 0


@given(texts=st.lists(st.text(), min_size=5, max_size=5))
@settings(max_examples=60, deadline=None)
def test_texts_come_back_exactly(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    with VoteStore(tmp_path_factory.mktemp("texts") / "votes.sqlite") as store:
        config = ModelConfig(texts[2], texts[3], texts[4])
        question = Question(config, texts[0], texts[1])
        assert store.add(question, Answer(1, None, texts[4]))
        assert list(store.stored([question])) == [Answer(1, None, texts[4])]
        assert list(store.unknown([question])) == []
        assert list(store.answers(config, texts)) == [(texts[0], texts[1], 0, 1, None, None)]
        assert store.status()[0].config == config
        store.remember_exported([(texts[4], question)])
        assert store.exported(texts[4]) == question
        assert store.add_many([(question, NO)]) == 0


def test_a_long_raw_answer_is_cut(store: VoteStore) -> None:
    store.add(asked("a", "b"), Answer(None, "too long", "ü" * 10_000_000))
    store.add(asked("a", "c"), Answer(1, None, "\ud83d" * 3000))
    long, broken = store.stored([asked("a", "b"), asked("a", "c")])
    assert long is not None and long.raw == "ü" * MAX_RAW
    assert broken is not None and broken.raw == ("\\ud83d" * 3000)[:MAX_RAW]


def test_half_a_surrogate_pair_is_refused(store: VoteStore) -> None:
    broken = asked("a\ud800", "b")
    for work in (
        lambda: store.add(broken, YES), lambda: store.add(asked("a", "b", of=ModelConfig("\ud800", "vote-1")), YES),
        lambda: store.remember_exported([("x", broken)]), lambda: store.exported("\ud800"), lambda: list(store.unknown([broken])),
    ):  # fmt: skip
        with pytest.raises(InputError, match="half a surrogate pair"):
            work()
    assert store.status() == []


def test_threads_share_a_store(store: VoteStore) -> None:
    def work(thread: int) -> None:
        for i in range(150):
            assert store.add(asked(f"t{thread}", str(i)), YES)
            if i % 30 == 0:
                list(store.unknown([asked(f"t{thread}", str(j)) for j in range(150)]))
                store.add_many([(asked(f"t{thread}", f"m{i}"), NO)])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert known(store) == 8 * 155


@pytest.mark.parametrize("name", ["per%20cent", "what?", "ha#sh", "größe", "a&b=c", "'quoted'", ":memory:"])
def test_any_name_of_a_file_will_do(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (name, tmp_path / name):
        with VoteStore(path) as store:
            store.add(asked("a", "b"), YES)
            assert known(store) == 1
    assert [file.name for file in tmp_path.iterdir()] == [name]
