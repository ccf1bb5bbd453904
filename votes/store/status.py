"""What a vote store holds, model configuration by model configuration."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from sqlite3 import Connection

from ...files.wording import counted
from ..prompts.questions import IMPORTED, ModelConfig

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass
class ModelStatus:
    """What the store holds of one model configuration.

    answers : all of them, with a verdict or without.
    matches : verdicts that are 1 (of a pick: those that name the first candidate).
    unscored : answers without a verdict, by reason.
    prompt_tokens, completion_tokens : sums over the answers that tell them.
    first_at, last_at : when the first and the last answer came, UTC.
    repeated : questions with two verdicts or more; disagreeing : those of them whose verdicts are not all equal.
    """

    config: ModelConfig
    answers: int
    matches: int
    prompt_tokens: int
    completion_tokens: int
    first_at: datetime
    last_at: datetime
    unscored: dict[str, int] = field(default_factory=dict)
    repeated: int = 0
    disagreeing: int = 0

    def lines(self) -> list[str]:
        """Its answers, what is unscored and why, tokens, and when, for the user to read."""
        who, unscored = self.config, sum(self.unscored.values())
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(self.unscored.items()))
        said = f", {self.matches:,} match" if who.prompt.startswith(("vote-", IMPORTED)) else ""
        lines = [
            f"{who.model}, prompt {who.prompt}, parameters {who.parameters}",
            f"    {counted(self.answers, 'answer')}{said}, {unscored:,} unscored{f' ({reasons})' if reasons else ''}",
        ]
        if self.repeated and not who.prompt.startswith("diagnosis-"):  # its verdict is the length of a list
            lines.append(
                f"    {self.repeated:,} asked several times, {self.disagreeing:,} of them with different verdicts"
            )
        if self.prompt_tokens or self.completion_tokens:
            lines.append(f"    {self.prompt_tokens:,} + {self.completion_tokens:,} tokens of prompts and answers")
        return [*lines, f"    from {self.first_at:%Y-%m-%d %H:%M} to {self.last_at:%Y-%m-%d %H:%M} UTC"]


def status_of(db: Connection) -> list[ModelStatus]:
    """One per model configuration that answered, by model, prompt and parameters. Three passes over all answers, of one moment."""
    db.execute("BEGIN")
    totals = db.execute(
        """SELECT r.id, r.model, r.prompt, r.parameters, count(*), total(a.verdict = 1), total(a.prompt_tokens),
            total(a.completion_tokens), min(a.answered_at), max(a.answered_at)
        FROM respondent r JOIN answer a ON a.respondent = r.id
        GROUP BY r.id ORDER BY r.model, r.prompt, r.parameters"""
    )
    found = {
        id: ModelStatus(
            ModelConfig(model, prompt, parameters), answers, int(matches), int(asked), int(told),
            _EPOCH + timedelta(seconds=first), _EPOCH + timedelta(seconds=last),
        )
        for id, model, prompt, parameters, answers, matches, asked, told, first, last in totals
    }  # fmt: skip
    unscored = "SELECT respondent, reason, count(*) FROM answer WHERE verdict IS NULL GROUP BY respondent, reason"
    for id, reason, answers in db.execute(unscored):
        found[id].unscored[reason] = answers
    repeats = db.execute(
        """SELECT respondent, count(*), total(least < most)
        FROM (
            SELECT respondent, min(verdict) AS least, max(verdict) AS most
            FROM answer GROUP BY respondent, first, second HAVING count(verdict) > 1
        ) GROUP BY respondent"""
    )
    for id, repeated, disagreeing in repeats:
        found[id].repeated, found[id].disagreeing = repeated, int(disagreeing)
    return list(found.values())
