"""The prompts by version, and how a reply becomes an answer. A prompt never changes; a better one gets a new version."""

from __future__ import annotations

from ...endpoints.replies import ChatReply
from .class_prompts import RelationPrompt, SeverityPrompt
from .diagnosis_prompts import DIAGNOSIS_PROMPTS
from .judge_prompts import CheckPrompt, JudgePrompt, SecondJudgePrompt, StrictJudgePrompt
from .pick_prompt import PickPrompt
from .prompt import Prompt
from .questions import MAX_RAW, Answer, Question
from .reasoning_prompts import ObservationPrompt, RationalePrompt
from .vote_prompt import VotePrompt

PROMPTS: dict[str, Prompt] = {
    prompt.version: prompt
    for prompt in (
        VotePrompt(), PickPrompt(), StrictJudgePrompt(), SecondJudgePrompt(), JudgePrompt(), CheckPrompt(),
        RelationPrompt(), SeverityPrompt(), *DIAGNOSIS_PROMPTS.values(), ObservationPrompt(), RationalePrompt(),
    )
}  # fmt: skip
VOTE_PROMPT = VotePrompt.version
PICK_PROMPT = PickPrompt.version
JUDGE_PROMPT = JudgePrompt.version
CHECK_PROMPT = CheckPrompt.version
RELATION_PROMPT = RelationPrompt.version
SEVERITY_PROMPT = SeverityPrompt.version
OBSERVATION_PROMPT = ObservationPrompt.version
RATIONALE_PROMPT = RationalePrompt.version
LATEST = {
    "vote": VOTE_PROMPT, "pick": PICK_PROMPT, "judge": JUDGE_PROMPT, "check": CHECK_PROMPT,
    "relation": RELATION_PROMPT, "severity": SEVERITY_PROMPT, "diagnosis": DIAGNOSIS_PROMPTS["free"].version,
    "observation": OBSERVATION_PROMPT, "rationale": RATIONALE_PROMPT,
}  # fmt: skip
"""The default of each kind."""

_DECLINED = ("content_filter", "blacklist")
"""Why a server ends an answer that it does not let through; the second is GigaChat's word."""


def answer_of(question: Question, reply: ChatReply, prompt: Prompt | None = None) -> Answer:
    """A reply to `question` as it is stored. Only an answer with a verdict has a probability; one that was cut off at the
    limit on tokens has none where the prompt needs the whole of it.

    prompt : what the question was put with; by default the built-in one of its version.
    """
    prompt = prompt or PROMPTS[question.config.prompt]
    declined = reply.refusal or reply.finish in _DECLINED
    verdict, reason = (None, "refusal") if declined else prompt.read(reply.text, question)
    if reply.finish == "length" and not declined and (verdict is None or prompt.needs_whole_answer):
        verdict, reason = None, "truncated"
    return Answer(
        verdict,
        reason,
        raw=(reply.text or reply.refusal or "")[:MAX_RAW],
        probability=None if verdict is None else prompt.probability(reply.logprobs),
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        seconds=reply.seconds,
    )
