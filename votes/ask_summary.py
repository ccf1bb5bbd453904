"""What came of asking."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ..files.wording import counted
from .prompts.questions import Answer


@dataclass
class AskSummary:
    """Counts of one run of `ask`.

    verdicts : answers kept, by verdict. unscored : answers kept, by the reason for no verdict.
    failed : questions without an answer, by the kind of the last error; the next run asks them again. known : questions
        that were answered meanwhile, by another process or under another name.
    calls : with retries. prompt_tokens, completion_tokens : as the endpoints counted them. cost : None without a price.
    unreached : what is wrong with each endpoint that no connection could be made to, by "NAME (URL)".
    first_failure : the first of the errors that left a question without an answer, with the endpoint and its URL; "" for none.
    stopped_because : why questions were left unasked; empty where all were asked.
    """

    verdicts: Counter[int] = field(default_factory=Counter)
    unscored: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    known: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None
    unreached: dict[str, str] = field(default_factory=dict)
    first_failure: str = ""
    stopped_because: list[str] = field(default_factory=list)

    @property
    def answered(self) -> int:
        """Answers kept, with a verdict or without."""
        return self.verdicts.total() + self.unscored.total()

    def count(self, answer: Answer) -> None:
        if answer.verdict is None:
            self.unscored[answer.reason or ""] += 1
        else:
            self.verdicts[answer.verdict] += 1
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0

    def lines(self, lacking: str = "a verdict") -> list[str]:
        """For the user to read. lacking : what unscored answers are without."""
        lines = [f"{counted(self.answered, 'answer')} kept, {self.unscored.total():,} of them without {lacking}{_parts(self.unscored)}."]  # fmt: skip
        if self.known:
            lines.append(f"{counted(self.known, 'question')} had been answered meanwhile.")
        if self.failed:
            lines.append(
                f"{counted(self.failed.total(), 'question')} failed{_parts(self.failed)}; run this again to ask them again."
            )
            if self.first_failure and not any(self.first_failure in reason for reason in self.stopped_because):
                lines.append(f"The first failure: {self.first_failure}")
        cost = "" if self.cost is None else f", cost {self.cost:,.4g}"
        lines.append(
            f"{counted(self.calls, 'call')}, {self.prompt_tokens:,} + {self.completion_tokens:,} tokens of prompts and answers{cost}."
        )
        told = [*self.stopped_because, *lines]
        lines += [why for address, why in self.unreached.items() if not any(address in line for line in told)]
        lines += [f"Stopped: {reason.rstrip('.')}." for reason in self.stopped_because]
        return lines


def _parts(counts: Counter[str]) -> str:
    return f" ({', '.join(f'{count:,} {name}' for name, count in counts.most_common())})" if counts else ""
