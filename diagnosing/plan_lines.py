"""What is to be asked, in lines for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..files.counted import counted
from .case_questions import PlannedRater


def plan_lines(plan: Sequence[PlannedRater]) -> Iterator[str]:
    """Each model under each prompt with what is to be asked, and the sum."""
    for one in plan:
        at = one.rater.endpoint
        known = one.wanted - one.unknown
        yield (
            f"{one.rater.model} [{one.rater.label}] at {at.name} ({at.url}): {counted(one.wanted, 'question')}, {known:,} known, "
            f"{one.unknown:,} to ask{_expected(one)}"
        )
    unknown = sum(one.unknown for one in plan)
    if not unknown:
        yield "Nothing to ask."
        return
    tokens = f"{sum(one.prompt_tokens for one in plan):,} + {sum(one.completion_tokens for one in plan):,} tokens"
    yield f"To ask: {counted(unknown, 'question')}, about {tokens} of prompts and answers{_cost(plan)}."
    if any(one.guessed for one in plan):
        yield "The tokens of answers are a guess until the first ones have come; a model that reasons writes many times more."


def _expected(one: PlannedRater) -> str:
    if not one.unknown:
        return ""
    cost = "no price given" if one.cost is None else f"cost about {one.cost:,.3g}"
    most = "" if one.most is None else f", at most about {one.most:,.3g}"
    return f": about {one.prompt_tokens:,} + {one.completion_tokens:,} tokens, {cost}{most}"


def _cost(plan: Sequence[PlannedRater]) -> str:
    asked = [one for one in plan if one.unknown]
    costs = [one.cost for one in asked if one.cost is not None]
    if not costs:
        return ""
    most = [one.most for one in asked if one.most is not None]
    highest = f", at most about {sum(most):,.3g}" if len(most) == len(asked) else ""
    lacking = "" if len(costs) == len(asked) else ", some without a price"
    return f", cost about {sum(costs):,.3g}{highest}{lacking}"
