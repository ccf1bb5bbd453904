"""Models under several prompts, each asked once or repeatedly: "gpt4 [free]", "gpt4 [free #2]"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ...pages.rows import Row, known
from ..metrics.recall import prompt_spread
from .section import Section

_VARIANT = re.compile(r"(?P<model>.*\S)\s*\[(?P<prompt>[^\[\]#]*[^\[\]#\s])\s*(?:#(?P<repeat>\d+))?\]")


class Variant(NamedTuple):
    """A rater as a model under a prompt; of a rater whose name tells none, prompt is ""."""

    model: str
    prompt: str


def variant_of(rater: str) -> Variant:
    """Of "gpt4 [free #2]", gpt4 and free."""
    found = _VARIANT.fullmatch(rater)
    return Variant(found["model"], found["prompt"]) if found else Variant(rater, "")


def prompt_tables(section: Section) -> dict[str, list[Row]]:
    """Of models that came under several prompts, or repeatedly; {} without such.

    prompts : algorithm (the model), metric, of, k, name, prompts, n_prompts, n_repeats, mean and sd_prompts (the population standard
        deviation) over the prompts, and sd_repeats.
    prompt_values : algorithm, prompt, metric, of, k, name, value, n_repeats, sd_repeats.

    A prompt's value is the mean over its repeats, and each prompt counts once, however many repeats it has. sd_repeats is the
    population standard deviation over the repeats of a prompt; of several prompts, the root of its mean square. None where a
    value is undefined, and of one repeat; sd_prompts is None of one prompt.
    """
    found: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in section.rows:
        if (variant := variant_of(row["algorithm"])).prompt:
            found.setdefault((variant.model, row["name"]), {}).setdefault(variant.prompt, []).append(row)
    models: list[Row] = []
    prompts: list[Row] = []
    for (model, _), of_prompt in found.items():
        if len(of_prompt) < 2 and all(len(repeats) < 2 for repeats in of_prompt.values()):
            continue
        first = next(iter(of_prompt.values()))[0]
        shared = {part: first[part] for part in ("metric", "of", "k", "name")}
        means, spreads = [], []
        for prompt, repeats in of_prompt.items():
            values = np.array([np.nan if row["value"] is None else row["value"] for row in repeats])
            means.append(float(values.mean()))
            spreads.append(float(values.std()) if len(values) > 1 else None)
            prompts.append(
                {"algorithm": model, "prompt": prompt, **shared, "value": known(means[-1]), "n_repeats": len(values)}
                | {"sd_repeats": None if spreads[-1] is None else known(spreads[-1])}
            )
        within = [spread**2 for spread in spreads if spread is not None]
        counts = list(dict.fromkeys(map(len, of_prompt.values())))
        models.append(
            {
                "algorithm": model,
                **shared,
                "prompts": ", ".join(of_prompt),
                "n_prompts": len(of_prompt),
                "n_repeats": ", ".join(map(str, counts)),
                "mean": known(float(np.mean(means))),
                "sd_prompts": known(float(prompt_spread(means))),
                "sd_repeats": known(float(np.sqrt(np.mean(within)))) if within else None,
            }
        )
    return {"prompts": models, "prompt_values": prompts} if models else {}


def pairs_of_models(raters: Sequence[str]) -> list[tuple[str, str]] | None:
    """Each two raters of different models; None where no model came under several prompts, or repeatedly."""
    models = [variant_of(rater).model for rater in raters]
    if len(set(models)) == len(models):
        return None
    return [
        pair
        for pair, (one, other) in zip(combinations(raters, 2), combinations(models, 2), strict=True)
        if one != other
    ]


def warnings_of_variants(raters: Iterable[str], compared: bool) -> list[str]:
    """What must be known before the figures of such models. compared : whether the pairs to test were named by the user."""
    of: dict[str, dict[str, int]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {}).setdefault(prompt, 0)
            of[model][prompt] += 1
    several = {model: prompts for model, prompts in of.items() if sum(prompts.values()) > 1}
    if not several:
        return []
    count = sum(sum(prompts.values()) for prompts in several.values())
    are = "is one model" if len(several) == 1 else f"are {len(several):,} models"
    words = (
        f"{count:,} of the raters {are} under several prompts or in repeats: the leaderboard shows each on its own, the table of "
        "prompts the models' means over prompts, each prompt's value being the mean over its repeats."
    )
    if not compared:
        words += (
            " Tested are single raters of different models, corrected for all these pairs, and not the variants of one model; "
            "the option 'compare' names fewer."
        )
    said = [words]
    for model, prompts in several.items():
        if len(set(prompts.values())) > 1:
            told = ", ".join(f"{prompt} {n:,}" for prompt, n in prompts.items())
            said.append(f"Repeats of unequal number, {model}: {told}. Each prompt counts once, whatever its repeats.")
    sets = {model: frozenset(prompts) for model, prompts in of.items()}
    if len(set(sets.values())) > 1:
        told = "; ".join(f"{model}: {', '.join(of[model])}" for model in sets)
        said.append(f"Not every model came under the same prompts ({told}): their means are over different prompts.")
    return said
