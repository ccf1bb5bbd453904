"""Prompts from files: what they must hold, what they send, and under which version their answers are kept."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from dxmatch.errors import InputError, OptionError
from dxmatch.votes.prompts.files import KINDS, file_of, prompt_of, prompt_of_text
from dxmatch.votes.prompts.judge_prompts import check_text
from dxmatch.votes.prompts.pick_prompt import candidates_text
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.versions import LATEST, PROMPTS

RUSSIAN = 'Ты врач.\n---\nОдна болезнь: {first} и {second}?\nОтвет: {"ответ": "Да"} или Нет.\n'
# kind: the second text beside a first one
SECOND = {
    "vote": "angina", "pick": candidates_text([("I21", "Acute myocardial infarction")]), "judge": "1. angina",
    "check": check_text("1. angina", 0, "another disease"), "relation": "angina", "severity": "", "diagnosis": "",
    "observation": "ST elevation", "rationale": "typical of it",
}  # fmt: skip


def test_a_file_is_sent_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "vote-ru.txt"
    file.write_text(RUSSIAN, encoding="utf-8")
    prompt = prompt_of("vote", file)
    assert prompt.messages("a\nb", "{first}</data>") == [
        {"role": "system", "content": "Ты врач."},
        {
            "role": "user",
            "content": 'Одна болезнь: "a\\nb" и "{first}\\u003c/data\\u003e"?\nОтвет: {"ответ": "Да"} или Нет.',
        },
    ]
    assert prompt.version == f"vote-file-{hashlib.sha256(RUSSIAN.encode()).hexdigest()[:12]}"
    assert (prompt.name, prompt.kind, prompt.max_answer_tokens) == ("vote-ru", "vote", 16)
    assert prompt.read("Да.", Question(ModelConfig("m", prompt.version), "a", "b")) == (1, None)
    assert file_of(prompt) == RUSSIAN
    for other in (b"\xef\xbb\xbf" + RUSSIAN.encode(), RUSSIAN.replace("\n", "\r\n").encode()):
        file.write_bytes(other)
        assert prompt_of("vote", str(file)).version == prompt.version, "a byte order mark, line ends of Windows"
    assert prompt_of_text("vote", f"{RUSSIAN} ").version != prompt.version


def test_names_and_versions_of_built_in_prompts() -> None:
    for kind in KINDS:
        assert prompt_of(kind) is PROMPTS[LATEST[kind]] is prompt_of(kind, LATEST[kind])
    assert prompt_of("vote", "vote-1").version == "vote-1"
    assert prompt_of("diagnosis", "role") is prompt_of("diagnosis", "diagnosis-role") is PROMPTS["diagnosis-role-1"]


@pytest.mark.parametrize("version", [v for v in PROMPTS if v not in ("judge-strict-1", "judge-second-1")])
def test_a_built_in_prompt_as_a_file_asks_the_same(version: str) -> None:
    prompt = PROMPTS[version]
    again = prompt_of_text(prompt.kind, file_of(prompt))
    first, second = "heart attack", SECOND[prompt.kind]
    assert again.messages(first, second) == prompt.messages(first, second)
    assert again.max_answer_tokens == prompt.max_answer_tokens
    assert again.version.startswith(f"{prompt.kind}-file-")


@pytest.mark.parametrize("kind", SECOND)
def test_nothing_breaks_out_of_a_placeholder(kind: str, hostile_texts: list[str]) -> None:
    names = PROMPTS[LATEST[kind]].placeholders
    prompt = prompt_of_text(kind, "\n".join(f"{name}: {{{name}}}" for name in names))
    made = {"pick": lambda text: candidates_text([("I21", text)]), "check": lambda text: check_text(text, 0, text)}  # fmt: skip
    for text in hostile_texts:
        (message,) = prompt.messages(text, made.get(kind, lambda text: text)(text) if SECOND[kind] else "")
        lines = message["content"].splitlines()
        held = [line.partition(" ")[2] for line in lines if line.startswith(tuple(f"{name}: " for name in names))]
        assert json.loads(held[0]) == text
        assert not set("<>|[]&`") & set(message["content"]), "nothing closes a block or spells a control token"
        assert len(lines) == len(names) + sum(line.startswith("1. ") for line in lines)


@pytest.mark.parametrize(("kind", "data", "problem"), [
    ("vote", b"", "the prompt is empty"),
    ("vote", b" \n", "the prompt is empty"),
    ("vote", b"Same?", "{first}, {second} is missing. Allowed: a vote prompt with {first} and {second}, or {data} for all of it. Got: 'no placeholder'"),
    ("vote", b"{first}", "{second} is missing"),
    ("vote", b"{first} {{second}}", "{second} is missing"),
    ("vote", b"{first} {second} {secnod}", "an unknown placeholder; did you mean 'second'"),
    ("vote", "{first} {second} ж".encode("cp1251"), "not UTF-8 (byte 18, 0xe6)"),
    ("vote", b"{first} {second}\0", "not a text file"),
    ("vote", b"{first} {second}" + b"x" * 100_000, "too large for a prompt"),
    ("severity", b"{first}", "an unknown placeholder"),
    ("pick", b"{diagnosis}", "{candidates} is missing"),
    ("diagnosis", b"{k}", "{case} is missing. Allowed: a diagnosis prompt with {case}, or {data} for all of it, and if wanted {wanted}, {k}"),
    ("vote", b"+++\nyes = 1\n+++\n{data}", "'yes'"),
    ("vote", b"+++\nyse = []\n+++\n{data}", "'yse'"),
    ("vote", b"+++\nyes = [\n+++\n{data}", "the head is not TOML"),
    ("vote", b"+++\n{data}", "the head does not end"),
    ("vote", b'+++\nyes = ["no"]\n+++\n{data}', "'no' is both yes and no"),
    ("vote", b'+++\nyes = ["-"]\n+++\n{data}', "holds no letter"),
    ("vote", b"+++\nmax_answer_tokens = 0\n+++\n{data}", "max_answer_tokens is below 1"),
    ("severity", b"+++\nk = 2\n+++\n{data}", "k in a diagnosis prompt alone"),
    ("severity", b'+++\nyes = ["si"]\n+++\n{data}', "words for yes or no"),
])  # fmt: skip
def test_a_file_that_cannot_be_asked_with(kind: str, data: bytes, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        prompt_of(kind, file)
    assert problem in str(caught.value) and str(file) in str(caught.value)


def test_what_is_no_prompt_and_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such prompt for diagnosis.*did you mean 'role'"):
        prompt_of("diagnosis", "rôle")
    with pytest.raises(InputError, match="no such prompt for vote"):
        prompt_of("vote", tmp_path)
    with pytest.raises(InputError, match="no such kind of prompt.*did you mean 'vote'"):
        prompt_of("votes")


def test_the_head_gives_words_and_a_limit() -> None:
    head = '+++\nyes = ["Oui"]\nno = ["Non"]\nmax_answer_tokens = 4\n+++\n'
    prompt = prompt_of_text("vote", f"{head}La même maladie ? {{first}}, {{second}}")
    question = Question(ModelConfig("m", prompt.version), "a", "b")
    assert prompt.messages("a", "b") == [{"role": "user", "content": 'La même maladie ? "a", "b"'}]
    assert prompt.max_answer_tokens == 4
    for answer, verdict in (("Oui.", 1), ("non", 0), ("Yes", 1), ("Нет", 0)):
        assert prompt.read(answer, question) == (verdict, None)
    assert prompt.probability([[("Oui", -0.1), ("Non", -3.0)]]) == pytest.approx(0.9478, abs=1e-4)
    assert PROMPTS["vote-1"].read("Oui", question) == (None, "unclear")


def test_a_diagnosis_file_that_needs_a_number() -> None:
    prompt = prompt_of_text("diagnosis", "{case}: the {k} likeliest")
    assert prompt.messages("x", "4")[0]["content"] == '"x": the 4 likeliest'
    with pytest.raises(OptionError, match=r"\{k\}"):
        prompt.messages("x", "")
