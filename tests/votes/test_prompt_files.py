"""Prompts from files: what they must hold, what they send, and under which version their answers are kept."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import InputError, OptionError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.vote_plan import prompts_of
from dxmatch.tests.command_line import invoke
from dxmatch.votes.asking import Job, LanguageModel, ask, plan
from dxmatch.votes.batch_files import export, import_batch
from dxmatch.votes.prompts.choice_prompts import options_text
from dxmatch.votes.prompts.files import KINDS, file_of, named, prompt_of, prompt_of_text
from dxmatch.votes.prompts.judge_prompts import check_text
from dxmatch.votes.prompts.pick_prompt import candidates_text
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.versions import LATEST, PROMPTS
from dxmatch.votes.store.store import VoteStore
from dxmatch.votes.voters import Voter

RUSSIAN = 'Ты врач.\n---\nОдна болезнь: {first} и {second}?\nОтвет: {"ответ": "Да"} или Нет.\n'
# kind: the second text beside a first one
SECOND = {
    "vote": "angina", "pick": candidates_text([("I21", "Acute myocardial infarction")]), "judge": "1. angina",
    "check": check_text("1. angina", 0, "another disease"), "relation": "angina", "severity": "", "diagnosis": "",
    "choice": '["yes","no"]', "choice-reading": '["yes","no"]',
    "observation": "ST elevation", "rationale": "typical of it",
}  # fmt: skip
OF_LISTS = ("judge-strict-1", "judge-second-1")


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
    assert prompt_of("vote") is prompt_of("vote", "vote") is PROMPTS["vote-2"]
    assert prompt_of("vote", "ru") is prompt_of("vote", "vote-ru") is PROMPTS["vote-ru-1"]
    assert prompt_of("diagnosis", "role") is prompt_of("diagnosis", "diagnosis-role") is PROMPTS["diagnosis-role-1"]


@pytest.mark.parametrize("version", [v for v in PROMPTS if PROMPTS[v].kind in SECOND and v not in OF_LISTS])
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
    made = {"choice": lambda text: options_text([text]), "choice-reading": lambda text: options_text([text]), "pick": lambda text: candidates_text([("I21", text)]), "check": lambda text: check_text(text, 0, text)}  # fmt: skip
    for text in hostile_texts:
        (message,) = prompt.messages(text, made.get(kind, lambda text: text)(text) if SECOND[kind] else "")
        lines = message["content"].splitlines()
        held = [line.partition(" ")[2] for line in lines if line.startswith(tuple(f"{name}: " for name in names))]
        assert json.loads(held[0]) == text
        assert not set("<>|[]&`") & set(message["content"]), "nothing closes a block or spells a control token"
        assert len(lines) == len(names) + sum(line.startswith(("1. ", "A. ")) for line in lines)


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


SET = """\
[endpoint.lab]
url = "http://localhost:9/v1"
[[feature]]
name = "v"
kind = "vote"
model = "m"
endpoint = "lab"
prompt = "prompts/vote-ru.txt"
[[feature]]
name = "p"
kind = "icd_pick"
model = "m"
endpoint = "lab"
prompt = "pick-ru"
"""


@pytest.fixture
def feature_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set in another folder than the one where the user stands."""
    (tmp_path / "sets" / "prompts").mkdir(parents=True)
    (tmp_path / "sets" / "prompts" / "vote-ru.txt").write_text(RUSSIAN, encoding="utf-8")
    (tmp_path / "sets" / "mine.toml").write_text(SET)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return tmp_path / "sets" / "mine.toml"


def test_a_feature_set_names_a_file_beside_itself_and_keeps_its_text(feature_set: Path) -> None:
    features = FeatureSet.read(feature_set)
    vote, pick = features.features
    version = prompt_of_text("vote", RUSSIAN).version
    assert (vote.options["prompt"], vote.options["prompt_text"]) == (version, RUSSIAN)
    assert (pick.options["prompt"], pick.options["prompt_text"]) == ("pick-ru-1", "")
    voter = Voter.of(vote.options)
    assert voter.config.prompt == version and voter.prompt is not None
    assert voter.prompt.messages("a", "b")[0] == {"role": "system", "content": "Ты врач."}
    saved = json.loads(json.dumps(features.to_dict()))
    (feature_set.parent / "prompts" / "vote-ru.txt").unlink()
    again = FeatureSet.from_dict(saved)
    assert again.features == features.features and set(prompts_of(again)) == {version, "pick-ru-1"}
    saved["feature"][0]["prompt_text"] += " "
    with pytest.raises(InputError, match="but that of 'prompt_text' is"):
        FeatureSet.from_dict(saved)


@pytest.mark.parametrize(("prompt", "problem"), [
    ("prompts/vote-ur.txt", "no such prompt for vote"),
    ("vote-3", "no such prompt for vote; did you mean 'vote-2'"),
    ("icd-pick-1", "no such prompt for vote"),
    ("prompts/latin.txt", "is missing"),
])  # fmt: skip
def test_a_feature_set_with_no_such_prompt(prompt: str, problem: str, feature_set: Path) -> None:
    (feature_set.parent / "prompts" / "latin.txt").write_text("Same?")
    feature_set.write_text(SET.replace("prompts/vote-ru.txt", prompt), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(problem)):
        FeatureSet.read(feature_set)


def test_a_saved_set_opens_no_file(feature_set: Path) -> None:
    entry = {"name": "v", "kind": "vote", "model": "m", "prompt": str(feature_set.parent / "prompts" / "vote-ru.txt")}
    with pytest.raises(InputError, match="an unknown prompt"):
        FeatureSet.from_dict({"feature": [entry]})


def test_batch_files_with_a_prompt_file_out_and_in(feature_set: Path) -> None:
    """The results are read with the set's file, and left out, told, without it or after it was changed."""
    features = FeatureSet.read(feature_set)
    voter = Voter.of(features.features[0].options)
    (question,) = voter.questions("a", "b")
    with VoteStore(feature_set.parent / "votes.sqlite") as store:
        (file,) = export([question], feature_set.parent / "batches", store, prompts=prompts_of(features))
        (request,) = [json.loads(line) for line in file.path.read_text().splitlines()]
        assert request["body"]["messages"][0]["content"] == "Ты врач."
        assert file.path.name == f"{voter.config.prompt}_m_001.jsonl"
        body = {"choices": [{"message": {"role": "assistant", "content": "Да"}, "finish_reason": "stop"}]}
        results = feature_set.parent / "results.jsonl"
        results.write_text(
            json.dumps({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}})
        )
        assert "of a file that was not given (or was changed since)" in "".join(import_batch([results], store).lines())
        assert import_batch([results], store, prompts_of(features)).stored == 1
        (answer,) = store.stored([question])
    assert answer is not None and (answer.verdict, answer.raw) == (1, "Да")


def test_the_command_line_exports_and_imports_with_a_prompt_file(feature_set: Path) -> None:
    Path("pairs.csv").write_text("a,b\nheart attack,fever\n")

    def run(*arguments: str) -> str:
        return invoke(["votes", *arguments]).output

    run("export", "pairs.csv", "--features", str(feature_set), "--only", "v", "-o", "batches")
    (file,) = Path("batches").iterdir()
    (request,) = [json.loads(line) for line in file.read_text().splitlines()]
    body = {"choices": [{"message": {"role": "assistant", "content": "Нет"}, "finish_reason": "stop"}]}
    Path("results.jsonl").write_text(
        json.dumps({"custom_id": request["custom_id"], "response": {"status_code": 200, "body": body}})
    )
    assert "was not given" in run("import", "results.jsonl")
    assert "1 line, 1 new answer." in run("import", "results.jsonl", "--features", str(feature_set))
    assert "0 match, 0 unscored" in run("status")


def test_a_prompt_file_is_sent_to_a_server(feature_set: Path, loopback: Any) -> None:
    loopback.rules({"text": "Да"})
    voter = Voter.of(FeatureSet.read(feature_set).features[0].options)
    (question,) = voter.questions("a", "b")
    with VoteStore(feature_set.parent / "votes.sqlite") as store:
        job = Job(LanguageModel(Endpoint("lab", loopback.url), "m"), voter.prompt, lambda: [question])
        assert ask(plan([job], store), store).verdicts == {1: 1}
    (request,) = loopback.log()["requests"]
    assert request["body"]["messages"] == voter.prompt.messages("a", "b")


@pytest.mark.parametrize("name", ["vote", "vote-1", "vote-ru", "pick", "severity", "role", "diagnosis-ddx", "check"])
def test_the_command_line_prints_a_prompt_as_a_file(name: str, tmp_path: Path) -> None:
    result = invoke(["votes", "prompt", name])
    (tmp_path / "mine.txt").write_text(result.output, encoding="utf-8")
    built_in = named(name)
    again = prompt_of(built_in.kind, tmp_path / "mine.txt")
    assert again.messages("a", SECOND[built_in.kind]) == built_in.messages("a", SECOND[built_in.kind])


def test_the_command_line_says_which_prompts_there_are() -> None:
    told = invoke(["votes", "prompt"]).output
    assert all(f"{kind}: " in told for kind in KINDS) and all(version in told for version in PROMPTS)
    assert "a file: a vote prompt with {first} and {second}, or {data} for all of it" in told
    for version in OF_LISTS:
        with pytest.raises(InputError, match="holds other things"):
            file_of(PROMPTS[version])
    with pytest.raises(InputError, match="no such prompt; did you mean 'vote-ru'"):
        named("vote-rus")
