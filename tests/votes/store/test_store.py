from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.errors import InputError
from dxmatch.votes.batch_files import custom_id
from dxmatch.votes.prompts.questions import MAX_RAW, Answer, ModelConfig, Question
from dxmatch.votes.store.store import VoteStore

QWEN = ModelConfig("Qwen/Qwen2.5-7B-Instruct", "vote-1", '{"max_tokens":16,"temperature":0}')
PHI = ModelConfig("microsoft/phi-4", "vote-1", '{"max_tokens":16,"temperature":0}')
YES = Answer(1, None, "Yes.", 0.75, 210, 2, 0.5)
NO = Answer(0, None, "No")


def asked(first: str, second: str, repeat: int = 0, of: ModelConfig = QWEN) -> Question:
    return Question(of, first, second, repeat)


def known(store: VoteStore) -> int:
    return sum(status.answers for status in store.status())


@pytest.fixture
def store(tmp_path: Path):
    with VoteStore(tmp_path / "votes.sqlite") as store:
        yield store


@pytest.mark.parametrize("other", [
    asked("a", "c"), asked("b", "a"), asked("a", "b", 1), asked("a", "b", of=PHI), asked("A", "b"), asked("a\u0308", "b"),
    *(asked("a", "b", of=ModelConfig(QWEN.model, *rest)) for rest in (("vote-2", QWEN.parameters), ("vote-1", "{}"))),
])  # fmt: skip
def test_every_part_of_a_question_counts(store: VoteStore, other: Question) -> None:
    store.add(asked("a", "b"), YES)
    assert list(store.unknown([other, asked("a", "b")])) == [other]
    assert custom_id(other) != custom_id(asked("a", "b"))
    assert store.add(other, NO)
    assert list(store.stored([asked("a", "b"), other])) == [YES, NO]


def test_many_are_kept_all_or_none(store: VoteStore) -> None:
    def items():
        yield from ((asked("a", str(i)), NO) for i in range(2_500))
        raise InputError("a bad line")

    with pytest.raises(InputError, match="a bad line"):
        store.add_many(items())
    assert known(store) == 0
    assert store.add_many((asked("a", str(i)), NO) for i in range(2_500)) == 2_500
    assert known(store) == 2_500


def test_status_tells_tokens_and_when(store: VoteStore) -> None:
    """How many answers of which kind: tests/golden/asked."""
    before = datetime.now(UTC) - timedelta(seconds=1)
    for repeat, answer in enumerate((YES, NO, Answer(1, None, "Yes", None, 101, 4, 0.25))):
        store.add(asked("a", "b", repeat), answer)
    (status,) = store.status()
    assert (status.prompt_tokens, status.completion_tokens) == (311, 6)
    assert before <= status.first_at <= status.last_at <= datetime.now(UTC)


@given(texts=st.lists(st.text(), min_size=5, max_size=5))
@settings(max_examples=25, deadline=None)
def test_texts_come_back_exactly(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    with VoteStore(tmp_path_factory.mktemp("texts") / "votes.sqlite") as store:
        config = ModelConfig(texts[2], texts[3], texts[4])
        question = Question(config, texts[0], texts[1])
        assert store.add(question, Answer(1, None, texts[4]))
        assert list(store.stored([question])) == [Answer(1, None, texts[4])]
        assert list(store.unknown([question])) == []
        assert list(store.answers(config, texts)) == [(question, Answer(1, None, texts[4]))]
        assert store.status()[0].config == config
        assert store.add_many([(question, NO)]) == 0


def test_half_a_surrogate_pair_is_refused_in_a_question_and_spelt_out_in_an_answer(store: VoteStore) -> None:
    broken = asked("a\ud800", "b")
    for work in (lambda: store.add(broken, YES), lambda: list(store.unknown([broken]))):
        with pytest.raises(InputError, match="half a surrogate pair"):
            work()
    store.add(asked("a", "c"), Answer(1, None, "\ud83d" * MAX_RAW))
    (answer,) = store.stored([asked("a", "c")])
    assert answer is not None and answer.raw == ("\\ud83d" * MAX_RAW)[:MAX_RAW]


def test_any_name_of_a_file_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["per%20cent", "what?", "ha#sh", "größe", "a&b=c", "'quoted'", ":memory:"]
    for path in [*names, *(tmp_path / name for name in names)]:
        with VoteStore(path) as store:
            store.add(asked("a", "b"), YES)
            assert known(store) == 1
    assert {file.name for file in tmp_path.iterdir()} == {*names}
