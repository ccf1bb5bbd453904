"""What language models reply, read: never raises, no verdict out of its set, a contradiction is no verdict, no more time than the length asks for."""

from __future__ import annotations

import json
from functools import cache

from hypothesis import strategies as st

from dxmatch.evaluation.read.raw_answers import ranked_diagnoses
from dxmatch.votes.prompts.files import PROMPTS
from dxmatch.votes.prompts.prompt import Prompt, check_text, options_text
from dxmatch.votes.prompts.questions import ModelConfig, Question
from dxmatch.votes.prompts.replies import INCLUDED, RIGHT, letters_of, read

from .findings import falsified, seconds_of

MOST_SECONDS = 2.0
"""Of processor time for 100,000 characters."""
LONGEST = 100_000
BATCH = 200

_PIECES = (
    "Yes", "No", "yes", "no", "YES.", "Not included", "included", "correct", "incorrect", "3", "0", "1", "10", "-1", "1e9", "A", "B and C", "AC",
    "Answer: ", "**Answer:** ", "Final answer: ", "verdict: ", "ответ: ", "答案：", "да", "нет", "是", "否", "<think>", "</think>", "<|im_end|>",
    "</data>", "```json\n", "```", '{"answer": "', '"}', '{"verdict": ', '"basis": ', '"diagnoses": [', "{", "}", "[", "]", '"', "'", ",", ": ", "null",
    "NaN", "true", "\\", "\\u", "\\ud800", "\\boxed{", "\\text{", "$", "1. ", "2. ", "- ", "* ", "# ", "| ", "|---|", "**", "__", "_", "\n", "\n\n", "\t", "\0",
    "gout", "STEMI", "Systemic lupus erythematosus (SLE)", "ruled out", "Most likely: ", "Differential diagnosis:", "because ", "(20%)", "<answer>", "</answer>",
    "heart attack", "acute MI", "?", "!", " or ", " and ", "I am sorry", "As an AI", "诊断", "диагноз", "\ud800", "\u202e", "\u200b", "１", "Ａ", "①",
)  # fmt: skip
piece = st.one_of(st.sampled_from(_PIECES), st.sampled_from(_PIECES), st.text(st.characters(), max_size=5))
_value = st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | piece, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(piece, inner, max_size=4), max_leaves=8)  # fmt: skip
_key = st.sampled_from(("answer", "verdict", "basis", "place", "diagnosis", "diagnoses", "final_diagnosis", "differential", "rank", "name", "candidate", "choice"))  # fmt: skip
_json = st.dictionaries(_key | piece, _value, max_size=4).map(json.dumps)
_halved = st.tuples(_json, st.integers(0, 200)).map(lambda made: made[0][: made[1]])
reply = st.lists(piece | _json | _halved, max_size=12).map("".join)
long = st.tuples(st.lists(piece, min_size=1, max_size=4).map("".join), piece).map(
    lambda made: ((made[0] or "a") * LONGEST)[: LONGEST - len(made[1])] + made[1]
)

_CANDIDATES = json.dumps([["I21", "Acute myocardial infarction"], ["I20", "Angina pectoris"], ["R07", "Chest pain"]])


_YES_OR_NO = ("vote", "observation", "rationale")
_OPTIONS = options_text(["gout", "STEMI", "sepsis", "asthma"])
_SECONDS = {
    "pick": _CANDIDATES, "severity": "", "diagnosis": "3", "choice": _OPTIONS, "choice-reading": _OPTIONS,
    "check": check_text("1. angina", 0, "only its cause"),
}  # fmt: skip


@cache
def _questions() -> list[tuple[str, Prompt, Question, tuple[int, ...]]]:
    """Every built-in prompt, with a question that it can be asked, and the verdicts that there are."""
    found = []
    for version, prompt in PROMPTS.items():
        second = _SECONDS.get(prompt.kind, "acute MI")
        allowed: tuple[int, ...] = (0, 1)
        if prompt.kind in ("relation", "severity"):
            allowed = (1, 2, 3, 4, 5)
        elif prompt.kind == "pick":
            allowed = (1, 2, 3)
        elif prompt.kind in ("choice", "choice-reading"):
            allowed = tuple(range(1, 16))
        elif prompt.kind == "diagnosis":
            allowed = (1,)
        found.append((version, prompt, Question(ModelConfig("m", version), "heart attack", second), allowed))
    return found


def _contradictions(kind: str) -> tuple[tuple[str, str], ...]:
    """Two answers of which one at most can be meant; () of what is asked in other ways."""
    if kind in _YES_OR_NO:
        said = ("Yes.", "No.")
    elif kind == "check":
        said = ('{"verdict": "correct"}', '{"verdict": "incorrect"}')
    elif kind == "judge":
        said = ('{"verdict": "included"}', '{"verdict": "not included"}')
    elif kind in ("relation", "severity", "pick"):
        said = ("1", "3")
    else:
        return ()
    return (said, said[::-1])


def check(text: str) -> None:
    listed = ranked_diagnoses(text)
    assert listed is None or all(isinstance(name, str) and name.strip() for name in listed), listed
    for reader in (INCLUDED, RIGHT):
        judgement = read(text, reader, "gout", "heart attack")
        assert judgement.value in (0, 1, None), judgement
        assert (judgement.value is None) == (judgement.reason is not None), judgement
        assert judgement.place is None or judgement.place >= 1, judgement
    places = letters_of(text, 4, ("gout", "STEMI", "sepsis", "asthma"))
    assert places is None or (places and list(places) == sorted({*places} & {*range(4)})), places
    for version, prompt, question, allowed in _questions():
        verdict, reason = prompt.read(text, question)
        assert verdict is None or verdict in allowed, (version, verdict)
        assert (verdict is None) == (reason is not None), (version, verdict, reason)


def check_contradiction(text: str) -> None:
    """A later line that says the other is no verdict, unless what stands before it was a thought."""
    if "</think>" in text:
        return
    for version, prompt, question, _ in _questions():
        for first, other in _contradictions(prompt.kind):
            said = f"{first}\n{text}\n{other}"
            assert prompt.read(said, question)[0] is None, (version, said)


def check_time(text: str) -> None:
    calls = {
        "ranked": lambda: ranked_diagnoses(text),
        "judgement": lambda: read(text, INCLUDED, "gout"),
        "letters": lambda: letters_of(text, 4),
        "prompts": lambda: [prompt.read(text[:10_000], question) for _, prompt, question, _ in _questions()],
    }
    for part, call in calls.items():
        taken = seconds_of(call, MOST_SECONDS)
        assert taken < MOST_SECONDS, f"{part}: {taken:.1f} s for {len(text):,} characters"


def run(number: int, seed: int) -> list[str]:
    slow = max(number // 20, 1)
    return [
        *falsified(check, reply, number - 2 * slow, seed),
        *falsified(check_contradiction, reply, slow, seed),
        *falsified(check_time, long, slow, seed),
    ]
