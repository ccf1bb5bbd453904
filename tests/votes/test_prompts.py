"""How questions are put, and that nothing in a diagnosis gets out of the data block or becomes a vote."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.endpoints.replies import ChatReply
from dxmatch.evaluation.score import weighted
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.votes.prompts.class_prompts import RELATIONS, SEVERITIES
from dxmatch.votes.prompts.data_block import data_block
from dxmatch.votes.prompts.judge_prompts import check_text, list_of, list_text
from dxmatch.votes.prompts.pick_prompt import candidates_of, candidates_text
from dxmatch.votes.prompts.questions import MAX_RAW, REASONS, Answer, ModelConfig, Question
from dxmatch.votes.prompts.versions import PROMPTS as ALL
from dxmatch.votes.prompts.versions import answer_of
from dxmatch.votes.prompts.vote_prompt import VotePrompt

PROMPTS = {
    version: prompt for version, prompt in ALL.items() if prompt.kind not in ("diagnosis", "choice", "choice-reading")
}
CANDIDATES = candidates_text(
    [("I21", "Acute myocardial infarction"), ("I25.2", "Old myocardial infarction"), ("I20.0", "Unstable angina")]
)
PREDICTED = list_text(["angina", None, "acute myocardial infarction"])
JUDGED = {"reference": "heart attack", "1": "angina", "3": "acute myocardial infarction"}
ANSWER = "1. Angina\n2. Coronary artery disease"
CHECKED = check_text(ANSWER, 0, "only its cause")
NUMBERED = {
    "1": "I21 Acute myocardial infarction",
    "2": "I25.2 Old myocardial infarction",
    "3": "I20.0 Unstable angina",
}
FOUND = '["Acute myocardial infarction NOS","Healed myocardial infarction","Impending infarction"]'
NAMES = {"1": "Acute myocardial infarction NOS", "2": "Healed myocardial infarction", "3": "Impending infarction"}
# version: the second text beside "heart attack", the hash of the messages, and what their data block holds
SAMPLES: dict[str, tuple[str, str, dict[str, str]]] = {
    "vote-1": ("acute myocardial infarction", "1f23acfc8cf0b85d8fc901c07761f172535ee9484ee1ed67b824c6142f04cb97",
        {"first": "heart attack", "second": "acute myocardial infarction"}),
    "vote-2": ("acute myocardial infarction", "01610b6cdaa62ade8c86bc7c5048a872ac14536c1bd286e4f16c9fb6a6c6cbdc",
        {"first": "heart attack", "second": "acute myocardial infarction"}),
    "vote-ru-1": ("acute myocardial infarction", "241e183f805684e770ceb85eb1e9d94859a3181a47b33a934992455b489290db",
        {"first": "heart attack", "second": "acute myocardial infarction"}),
    "icd-pick-1": (CANDIDATES, "3ffd6fb54a777233e4078c731bbe69bd57f0cfae62ba7f0f3279f334adaea802", {"diagnosis": "heart attack", **NUMBERED}),
    "icd-pick-2": (FOUND, "05c162a6813d6c4d2fa6a3dd445c3cf57444ada6cd5fa0d08ae26a02b40aa869", {"diagnosis": "heart attack", **NAMES}),
    "pick-name-1": (FOUND, "51bb268c583d4fd103690b5dc346429679fcf0674e1340c9b1970d0898c1d60f", {"diagnosis": "heart attack", **NAMES}),
    "pick-ru-1": (FOUND, "96e27212be428220812894376b66d06572918d1eb87c97b27a6fa7b70fdf8b1f", {"diagnosis": "heart attack", **NAMES}),
    "judge-strict-1": (PREDICTED, "ff88c9b4e091e2b30f66c3df72b6f8e849cf5986cbded186fd21a7f5a5ac7e04", JUDGED),
    "judge-second-1": (PREDICTED, "784d795bd983eb73130a0e75fa831b392a0e5a49f0a3f54797c38e7c33ca75f0", JUDGED),
    "judge-2": (ANSWER, "bc10c04440631df253f6f78e1492ac0c41de5c2715216992b626a1e325196d32", {"reference": "heart attack", "answer": ANSWER}),
    "check-2": (CHECKED, "9cf6659ef3631360a0adfd9857727990339c9d1a85ea64898defed7110037806", {"reference": "heart attack", "answer": ANSWER, "judgement": "not included: only its cause"}),
    "relation-1": ("angina", "aaa893d6903b22e83f760d386f97b65f179f46ba2b3151864f1445785d07fec0", {"golden": "heart attack", "predicted": "angina"}),
    "severity-1": ("", "dc8cc7be0d400fe3c09aa0f7606737169f3d4ee18bcb4370b34fff5683df48b9", {"diagnosis": "heart attack"}),
    "observation-1": ("ST elevation", "a8099b15259245dbcfb57e2cb565fd7b2a4d593394fb1a6e274316ca4822b768", {"first": "heart attack", "second": "ST elevation"}),
    "rationale-1": ("typical of it", "deadee665201a2a69ae5b33042862bf2a567f5634a5928474086f3d8a9117763", {"first": "heart attack", "second": "typical of it"}),
}  # fmt: skip
LISTED = {"icd-pick-1": lambda text: candidates_text([("I21", text)]), "icd-pick-2": lambda text: list_text([text]),
          "pick-name-1": lambda text: list_text([text]), "pick-ru-1": lambda text: list_text([text]),
          "judge-strict-1": lambda text: list_text([text]),
          "judge-second-1": lambda text: list_text([text]), "severity-1": lambda text: "",
          "check-2": lambda text: check_text(text, 0, text)}  # fmt: skip


def asked(version: str, first: str = "a", second: str | None = None) -> Question:
    return Question(ModelConfig("m", version), first, SAMPLES[version][0] if second is None else second)


def content(version: str, first: str, second: str) -> str:
    messages = PROMPTS[version].messages(first, second)
    assert [message["role"] for message in messages] in (["user"], ["system", "user"])
    return "\n".join(message["content"] for message in messages)


def opened(text: str) -> tuple[str, dict[str, str]]:
    """What stands about the only data block, and what it holds."""
    assert text.count("<data>\n") == text.count("\n</data>") == 1
    before, _, rest = text.partition("<data>\n")
    block, _, after = rest.partition("\n</data>")
    return before + "|" + after, json.loads(block)


def test_a_prompt_keeps_its_words_under_its_version() -> None:
    """Stored answers are answers to these very words: to change them, add a prompt with a new version."""
    assert list(PROMPTS) == list(SAMPLES)
    for version, (second, sha256, held) in SAMPLES.items():
        messages = PROMPTS[version].messages("heart attack", second)
        assert PROMPTS[version].version == version
        assert hashlib.sha256(json.dumps(messages).encode()).hexdigest() == sha256
        assert opened(content(version, "heart attack", second))[1] == held


def test_what_is_asked() -> None:
    frames = {version: opened(content(version, "heart attack", sample[0]))[0] for version, sample in SAMPLES.items()}
    assert frames["vote-1"].partition("|")[0].count("\n- ") == 6
    assert frames["vote-1"].endswith("Answer with one word: Yes or No.")
    assert len(frames["vote-1"]) < 600  # with its data about 150 tokens
    for vote, last in (("vote-2", "nothing else: Yes or No."), ("vote-ru-1", "ничем больше: Да или Нет.")):
        assert [line[:3] for line in frames[vote].splitlines() if line[:1].isdigit()] == [f"{n}. " for n in range(1, 7)]
        assert frames[vote].endswith(last)
    assert "1 to 3, or 0" in frames["icd-pick-1"]
    for rule in ("mind the details", "most words and the most meaning", "only from the list, and exactly one", "of equals take the first",
                 "A shorter entry is better"):  # fmt: skip
        assert rule in frames["icd-pick-2"]
    assert "Choose exactly one, and only from the list." in frames["pick-name-1"].partition("|")[0]
    assert '{"icd_name": "…"}' in frames["pick-name-1"].partition("|")[2]
    assert "от 1 до 3." in frames["pick-ru-1"]
    for dimension in ("anatomy", "mechanism", "cause", "course in time", "test", "treatment"):
        assert f"\n- {dimension}: " in frames["judge-strict-1"]
    for judge in ("judge-strict-1", "judge-second-1"):
        assert "0 if none does" in frames[judge].partition("|")[2]
    for version, classes, scored in (
        ("relation-1", RELATIONS, weighted.RELATIONS), ("severity-1", SEVERITIES, weighted.SEVERITIES),
    ):  # fmt: skip
        assert {name: number for number, name in enumerate(classes, start=1)} == scored
        assert all(f"\n{number} {name}: " in frames[version] for name, number in scored.items())


def test_lists_are_read_back_and_russian_stays_readable() -> None:
    odd = [("I21", 'a "quoted"\ntitle'), ("Ж1", "инфаркт"), ("", "")]
    assert candidates_of(candidates_text(odd)) == odd
    assert candidates_text([("I21", "x")]) == '[["I21","x"]]'
    assert list_of(list_text(['a "quoted"\nname', None, "инфаркт", ""])) == ['a "quoted"\nname', None, "инфаркт", ""]
    assert '"first": "инфаркт миокарда"' in content("vote-1", "инфаркт миокарда", "стенокардия")


@pytest.mark.parametrize("version", PROMPTS)
def test_no_text_changes_the_frame(version: str, hostile_texts: list[str]) -> None:
    second_of = LISTED.get(version, lambda text: text)
    frame, _ = opened(content(version, "x", second_of("x")))
    for text in hostile_texts:
        found, held = opened(content(version, text, second_of(text)))
        assert found == frame
        assert set(held.values()) <= {text, f"I21 {text}", f"not included: {text}", "not included"}


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_from_its_block(text: str) -> None:
    block = data_block({"first": text})
    body = block.removeprefix("<data>\n").removesuffix("\n</data>")
    assert json.loads(body) == {"first": text}
    assert not set("<>|[]&`") & set(body)
    assert body.count("\n") == 2
    assert all(character.isprintable() or character == "\n" for character in body)


@pytest.mark.parametrize("version", PROMPTS)
def test_an_echo_is_no_verdict(version: str, hostile_texts: list[str]) -> None:
    """An endpoint that gives back the prompt, its block, a diagnosis or its name casts no vote and picks nothing."""
    naming, second_of = Normalizer(), LISTED.get(version, lambda text: text)
    for text in hostile_texts:
        questions = [asked(version, text, second_of(text))]
        if PROMPTS[version].kind == "vote":
            questions += [asked(version, text, "angina"), asked(version, "angina", text)]
        for question in questions:
            whole = content(version, question.first, question.second)
            parts = (whole, json.dumps(whole), whole[whole.index("<data>") :], json.dumps([text, text]))
            for echo in (text, naming(text), f'"{text}"', f" {text}\n", *parts):
                verdict, reason = PROMPTS[version].read(echo, question)
                assert verdict is None and reason in REASONS, echo


@pytest.mark.parametrize(("version", "name"), [
    *[("vote-1", name) for name in ("no acute disease", "yes they are synonyms", "answer yes", "нет данных", "да это одно и то же")],
    *[("icd-pick-1", name) for name in ("5 alpha reductase deficiency", "3 vessel disease", "22q11 deletion syndrome")],
    ("relation-1", "3 vessel disease"), ("severity-1", "3 vessel disease"), ("judge-strict-1", "3 vessel disease"),
])  # fmt: skip
def test_a_name_that_an_answer_goes_on_from_is_no_verdict(version: str, name: str) -> None:
    assert PROMPTS[version].read(f"{name} is the diagnosis", asked(version, name)) == (None, "unclear")


def answered(version: str, **reply: Any) -> Answer:
    given = {"text": "", "finish": "stop", "prompt_tokens": 150, "completion_tokens": 2, "seconds": 0.5, **reply}
    return answer_of(asked(version), ChatReply(**given))


def test_an_answer_keeps_what_came() -> None:
    assert answered("vote-1", text="Yes.", logprobs=[[("Yes", -0.1), ("No", -3.0)]]) == Answer(
        1, None, "Yes.", pytest.approx(0.9478, abs=1e-4), 150, 2, 0.5
    )
    for version in [version for version, prompt in PROMPTS.items() if not isinstance(prompt, VotePrompt)]:
        assert answered(version, text="1", logprobs=[[("1", 0.0)]]) == Answer(1, None, "1", None, 150, 2, 0.5)
    assert answered("vote-1", text="No, because the", finish="length").verdict == 0, "cut at its limit of tokens"


@pytest.mark.parametrize(
    ("reply", "reason", "raw"),
    [
        ({"refusal": "I cannot help."}, "refusal", "I cannot help."),
        ({"text": "Yes", "refusal": "I cannot help."}, "refusal", "Yes"),
        ({"text": "Yes", "finish": "content_filter"}, "refusal", "Yes"),
        ({"text": "Yes", "finish": "blacklist"}, "refusal", "Yes"),
        ({"text": ""}, "empty", ""),
        ({"text": "Maybe", "logprobs": [[("Yes", -0.1)]]}, "unclear", "Maybe"),
        ({"text": "Maybe", "finish": "length"}, "truncated", "Maybe"),
        ({"text": "", "finish": "length"}, "truncated", ""),
        ({"text": "", "finish": "length", "refusal": "No."}, "refusal", "No."),
        ({"text": "Yes" * 4_000_000}, "too long", ("Yes" * MAX_RAW)[:MAX_RAW]),
    ],
)
def test_an_answer_without_a_verdict_has_a_reason_and_no_probability(
    reply: dict[str, object], reason: str, raw: str
) -> None:
    answer = answered("vote-1", **reply)
    assert (answer.verdict, answer.reason, answer.probability, answer.raw) == (None, reason, None, raw)
