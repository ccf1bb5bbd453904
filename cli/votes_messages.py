"""Plans, and what a store holds, in lines for a terminal or a log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..endpoints.endpoint import Endpoint
from ..features.vote_plan import Planned
from ..files.counted import counted
from ..votes.store.status import ModelStatus
from ..votes.voters import IMPORTED


def plan_lines(planned: Sequence[Planned], endpoints: Mapping[str, Endpoint]) -> Iterator[str]:
    """Each model configuration with what is to be asked of it, and the sum."""
    for one in planned:
        url = f" ({endpoints[one.endpoint].url})" if one.endpoint in endpoints else ""
        yield f"{', '.join(one.features)}: {one.config.model} at {one.endpoint}{url}"
        yield f"    {counted(one.wanted, 'question')}, {one.wanted - one.unknown:,} known, {one.unknown:,} to ask{_expected(one)}"
    unknown = sum(one.unknown for one in planned)
    if not unknown:
        yield "Nothing to ask."
        return
    asked = [one for one in planned if one.unknown]
    costs = [one.cost for one in asked if one.cost is not None]
    cost = f", cost about {amount(sum(costs))}" if costs else ""
    if costs and len(costs) < len(asked):
        cost += ", some without a price"
    yield (
        f"To ask: {counted(unknown, 'question')}, about {sum(one.prompt_tokens for one in planned):,} tokens of prompts and "
        f"{sum(one.completion_tokens for one in planned):,} of answers{cost}."
    )


def _expected(one: Planned) -> str:
    if not one.unknown:
        return ""
    cost = "no price given" if one.cost is None else f"cost about {amount(one.cost)}"
    return f": about {one.prompt_tokens:,} + {one.completion_tokens:,} tokens, {cost}"


def status_lines(rows: Sequence[ModelStatus]) -> Iterator[str]:
    """Each model configuration with its answers, what is unscored and why, tokens, and when."""
    for row in rows:
        who = row.config
        yield f"{who.model}, prompt {who.prompt}, parameters {who.parameters}"
        unscored = sum(row.unscored.values())
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(row.unscored.items()))
        said = f", {row.matches:,} match" if who.prompt.startswith(("vote-", IMPORTED)) else ""
        yield f"    {counted(row.answers, 'answer')}{said}, {unscored:,} unscored" + (
            f" ({reasons})" if reasons else ""
        )
        if row.repeated and not who.prompt.startswith("diagnosis-"):  # its verdict is the length of a list
            yield f"    {row.repeated:,} asked several times, {row.disagreeing:,} of them with different verdicts"
        if row.prompt_tokens or row.completion_tokens:
            yield f"    {row.prompt_tokens:,} + {row.completion_tokens:,} tokens of prompts and answers"
        yield f"    from {row.first_at:%Y-%m-%d %H:%M} to {row.last_at:%Y-%m-%d %H:%M} UTC"


def amount(money: float) -> str:
    """Two digits behind the point, or two that say something: 12.30, 0.0042."""
    if money == 0 or money >= 0.1:
        return f"{money:,.2f}"
    return f"{money:.2g}" if money >= 1e-4 else f"{money:.6f}"
