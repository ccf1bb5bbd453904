"""How questions are put, and that nothing in a diagnosis gets out of the data block or becomes a vote."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.endpoints.replies import ChatReply
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.votes.prompts.data_block import data_block
from dxmatch.votes.prompts.pick_prompt import candidates_of, candidates_text
from dxmatch.votes.prompts.questions import MAX_RAW, REASONS, Answer, ModelConfig, Question
from dxmatch.votes.prompts.versions import PICK_PROMPT, PROMPTS, VOTE_PROMPT, answer_of

VOTE, PICK = PROMPTS[VOTE_PROMPT], PROMPTS[PICK_PROMPT]
CANDIDATES = [
    ("I21", "Acute myocardial infarction"),
    ("I25.2", "Old myocardial infarction"),
    ("I20.0", "Unstable angina"),
]


def content(messages: list[dict[str, str]]) -> str:
    (message,) = messages
    assert set(message) == {"role", "content"}
    assert message["role"] == "user"
    return message["content"]


def opened(text: str) -> tuple[str, dict[str, str]]:
    """What stands about the only data block, and what it holds."""
    assert text.count("<data>\n") == text.count("\n</data>") == 1
    before, _, rest = text.partition("<data>\n")
    block, _, after = rest.partition("\n</data>")
    return before + "|" + after, json.loads(block)


def vote_question(first: str = "a", second: str = "b") -> Question:
    return Question(ModelConfig("m", VOTE_PROMPT), first, second)


def pick_question(name: str = "a") -> Question:
    return Question(ModelConfig("m", PICK_PROMPT), name, candidates_text(CANDIDATES))


def answered(question: Question, **reply: object) -> Answer:
    given = {"text": "", "finish": "stop", "prompt_tokens": 150, "completion_tokens": 2, "seconds": 0.5, **reply}
    return answer_of(question, ChatReply(**given))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("version", "second", "sha256"),
    [
        ("vote-1", "acute myocardial infarction", "1f23acfc8cf0b85d8fc901c07761f172535ee9484ee1ed67b824c6142f04cb97"),
        ("icd-pick-1", candidates_text(CANDIDATES), "3ffd6fb54a777233e4078c731bbe69bd57f0cfae62ba7f0f3279f334adaea802"),
    ],
)
def test_a_prompt_keeps_its_words(version: str, second: str, sha256: str) -> None:
    """Stored answers are answers to these very words: to change them, add a prompt with a new version."""
    messages = PROMPTS[version].messages("heart attack", second)
    assert hashlib.sha256(json.dumps(messages).encode()).hexdigest() == sha256


def test_every_prompt_is_registered_under_its_version() -> None:
    wanted = ["vote-1", "icd-pick-1", "judge-strict-1", "judge-second-1", "relation-1", "severity-1"]
    assert list(PROMPTS) == wanted
    assert all(prompt.version == version for version, prompt in PROMPTS.items())


def test_the_vote_names_six_criteria_and_asks_after_the_data() -> None:
    text = content(VOTE.messages("heart attack", "acute myocardial infarction"))
    frame, data = opened(text)
    before, after = frame.split("|")
    assert before.count("\n- ") == 6
    assert after.endswith("Answer with one word: Yes or No.")
    assert data == {"first": "heart attack", "second": "acute myocardial infarction"}
    assert len(text) < 650  # about 150 tokens


def test_the_pick_numbers_its_candidates() -> None:
    frame, data = opened(content(PICK.messages("heart attack", candidates_text(CANDIDATES))))
    assert data == {
        "diagnosis": "heart attack",
        "1": "I21 Acute myocardial infarction",
        "2": "I25.2 Old myocardial infarction",
        "3": "I20.0 Unstable angina",
    }
    assert "1 to 3, or 0" in frame


def test_candidates_are_read_back() -> None:
    odd = [("I21", 'a "quoted"\ntitle'), ("Ж1", "инфаркт"), ("", "")]
    assert candidates_of(candidates_text(odd)) == odd
    assert candidates_text([("I21", "x")]) == '[["I21","x"]]'


def test_russian_names_stay_readable() -> None:
    assert '"first": "инфаркт миокарда"' in content(VOTE.messages("инфаркт миокарда", "стенокардия"))


def test_no_text_changes_the_frame(hostile_texts: list[str]) -> None:
    frame, _ = opened(content(VOTE.messages("x", "y")))
    pick_frame, _ = opened(content(PICK.messages("x", candidates_text([("I21", "x")]))))
    for text in hostile_texts:
        for first, second in ((text, "angina"), ("angina", text), (text, text)):
            assert opened(content(VOTE.messages(first, second))) == (frame, {"first": first, "second": second})
        held = {"diagnosis": text, "1": f"I21 {text}"}
        assert opened(content(PICK.messages(text, candidates_text([("I21", text)])))) == (pick_frame, held)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_its_block(text: str) -> None:
    block = data_block({"first": text})
    body = block.removeprefix("<data>\n").removesuffix("\n</data>")
    assert json.loads(body) == {"first": text}
    assert not set("<>|[]&`") & set(body)
    assert body.count("\n") == 2
    assert all(character.isprintable() or character == "\n" for character in body)


def test_an_echo_is_no_vote(hostile_texts: list[str]) -> None:
    """An endpoint that gives back the prompt, its block, a diagnosis or its name casts no vote and picks nothing."""
    naming = Normalizer()
    for text in hostile_texts:
        echoes = {text, naming(text), f'"{text}"', f" {text}\n"}
        for question in (vote_question(text, "angina"), vote_question("angina", text), pick_question(text)):
            messages = PROMPTS[question.config.prompt].messages(question.first, question.second)
            whole = content(messages)
            for echo in (
                *echoes,
                whole,
                json.dumps(messages),
                whole[whole.index("<data>") :],
                json.dumps([text, text]),
            ):
                verdict, reason = PROMPTS[question.config.prompt].read(echo, question)
                assert verdict is None, echo
                assert reason in REASONS


def test_a_name_that_an_answer_goes_on_from_is_no_vote() -> None:
    for name in ("no acute disease", "yes they are synonyms", "answer yes", "нет данных", "да это одно и то же"):
        assert VOTE.read(f"{name} is the diagnosis", vote_question(name)) == (None, "unclear")
    for name in ("5 alpha reductase deficiency", "3 vessel disease", "22q11 deletion syndrome"):
        assert PICK.read(f"{name} is the diagnosis", pick_question(name)) == (None, "unclear")


def test_an_answer_keeps_what_came() -> None:
    assert answered(vote_question(), text="Yes.", logprobs=[[("Yes", -0.1), ("No", -3.0)]]) == Answer(
        1, None, "Yes.", pytest.approx(0.9478, abs=1e-4), 150, 2, 0.5
    )
    assert answered(pick_question(), text="2") == Answer(2, None, "2", None, 150, 2, 0.5)


@pytest.mark.parametrize(
    ("reply", "reason", "raw"),
    [
        ({"refusal": "I cannot help."}, "refusal", "I cannot help."),
        ({"text": "Yes", "refusal": "I cannot help."}, "refusal", "Yes"),
        ({"text": "Yes", "finish": "content_filter"}, "refusal", "Yes"),
        ({"text": "Yes", "finish": "blacklist"}, "refusal", "Yes"),
        ({"text": ""}, "empty", ""),
        ({"text": "Maybe", "logprobs": [[("Yes", -0.1)]]}, "unclear", "Maybe"),
        ({"text": "Yes" * 4_000_000}, "too long", ("Yes" * MAX_RAW)[:MAX_RAW]),
    ],
)
def test_an_answer_without_a_verdict_has_a_reason_and_no_probability(
    reply: dict[str, object], reason: str, raw: str
) -> None:
    answer = answered(vote_question(), **reply)
    assert (answer.verdict, answer.reason, answer.probability, answer.raw) == (None, reason, None, raw)


def test_an_answer_cut_at_its_token_limit_counts() -> None:
    assert answered(vote_question(), text="No, because the", finish="length").verdict == 0
