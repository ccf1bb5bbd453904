"""Models under several prompts, each asked once or repeatedly: "gpt4 [free]", "gpt4 [free #2]"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

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


class OverPrompts(NamedTuple):
    """What a model reaches over its prompts; the standard deviations are those of the population, None where there is nothing to deviate.

    of_prompt : prompt -> (the mean over its repeats, their deviation, how many they are). mean, sd_prompts : over the prompts.
    sd_repeats : the root of the mean square of the prompts' deviations.
    """

    of_prompt: dict[str, tuple[float, float | None, int]]
    mean: float
    sd_prompts: float | None
    sd_repeats: float | None


def over_prompts(values: Mapping[str, Sequence[float | None]]) -> OverPrompts:
    """values : prompt -> the values of its repeats. A prompt's value is their mean, and each prompt counts once."""
    of_prompt: dict[str, tuple[float, float | None, int]] = {}
    for prompt, repeats in values.items():
        said = np.array([np.nan if value is None else value for value in repeats])
        of_prompt[prompt] = float(said.mean()), known(float(said.std())) if len(said) > 1 else None, len(said)
    means = [mean for mean, _, _ in of_prompt.values()]
    within = [spread**2 for _, spread, _ in of_prompt.values() if spread is not None]
    return OverPrompts(
        of_prompt,
        float(np.mean(means)),
        known(float(prompt_spread(means))),
        float(np.sqrt(np.mean(within))) if within else None,
    )


def several(raters: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Model -> prompt -> its raters, of the models that came under several prompts, or repeatedly."""
    of: dict[str, dict[str, list[str]]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {}).setdefault(prompt, []).append(rater)
    return {model: prompts for model, prompts in of.items() if sum(map(len, prompts.values())) > 1}


def prompt_tables(section: Section, of_groups: Sequence[Row] = ()) -> dict[str, list[Row]]:
    """Of models that came under several prompts, or repeatedly; {} without such.

    prompts : algorithm (the model), by, group, metric, of, k, name, prompts, n_prompts, n_repeats, mean and sd_prompts (the population
        standard deviation) over the prompts, and sd_repeats.
    prompt_values : algorithm, by, group, prompt, metric, of, k, name, value, n_repeats, sd_repeats.

    of_groups : the rows of `Report.subgroups` in the section's metrics. by and group name the subset of the cases, or the average over subsets,
    as in Tables 5 to 7 of ClinBench-HPB; both are None of all cases.

    A prompt's value is the mean over its repeats, and each prompt counts once, however many repeats it has. sd_repeats is the
    population standard deviation over the repeats of a prompt; of several prompts, the root of its mean square. None where a
    value is undefined, and of one repeat; sd_prompts is None of one prompt.
    """
    there = several(dict.fromkeys(row["algorithm"] for row in section.rows))
    found: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for row in (*section.rows, *of_groups):
        model, prompt = variant_of(row["algorithm"])
        if model in there and prompt:
            key = (row.get("by"), row.get("group"), model, row["name"])
            found.setdefault(key, {}).setdefault(prompt, []).append(row)
    models: list[Row] = []
    prompts: list[Row] = []
    for (by, group, model, _), of_prompt in found.items():
        first = next(iter(of_prompt.values()))[0]
        who = {"algorithm": model, "by": by, "group": group}
        shared = {part: first[part] for part in ("metric", "of", "k", "name")}
        said = over_prompts({prompt: [row["value"] for row in rows] for prompt, rows in of_prompt.items()})
        prompts += [
            {**who, "prompt": prompt, **shared, "value": known(value), "n_repeats": n, "sd_repeats": spread}
            for prompt, (value, spread, n) in said.of_prompt.items()
        ]
        counts = list(dict.fromkeys(n for _, _, n in said.of_prompt.values()))
        models.append(
            {
                **who,
                **shared,
                "prompts": ", ".join(of_prompt),
                "n_prompts": len(of_prompt),
                "n_repeats": ", ".join(map(str, counts)),
                "mean": known(said.mean),
                "sd_prompts": said.sd_prompts,
                "sd_repeats": said.sd_repeats,
            }
        )
    return {"prompts": models, "prompt_values": prompts} if models else {}


def pairs_of_models(raters: Sequence[str]) -> list[tuple[str, str]] | None:
    """Each two models of one rater each; None where no model came under several prompts, or repeatedly.

    Differences between single variants answer no question that was asked, and the correction for so many leaves nothing.
    """
    variants = {rater for prompts in several(raters).values() for those in prompts.values() for rater in those}
    return list(combinations([rater for rater in raters if rater not in variants], 2)) if variants else None


def warnings_of_variants(raters: Iterable[str], compared: bool) -> list[str]:
    """What must be known before the figures of such models. compared : whether the pairs to test were named by the user."""
    of: dict[str, dict[str, int]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {}).setdefault(prompt, 0)
            of[model][prompt] += 1
    repeated = {model: prompts for model, prompts in of.items() if sum(prompts.values()) > 1}
    if not repeated:
        return []
    count = sum(sum(prompts.values()) for prompts in repeated.values())
    are = "is one model" if len(repeated) == 1 else f"are {len(repeated):,} models"
    words = (
        f"{count:,} of the raters {are} under several prompts or in repeats: the leaderboard has a line for each model, its mean over prompts, "
        "each prompt's value being the mean over its repeats."
    )
    if not compared:
        words += " No differences between them are tested: the option 'compare' names two raters to compare."
    said = [words]
    for model, prompts in repeated.items():
        if len(set(prompts.values())) > 1:
            told = ", ".join(f"{prompt} {n:,}" for prompt, n in prompts.items())
            said.append(f"Repeats of unequal number, {model}: {told}. Each prompt counts once, whatever its repeats.")
    sets = {model: frozenset(prompts) for model, prompts in of.items()}
    if len(set(sets.values())) > 1:
        told = "; ".join(f"{model}: {', '.join(of[model])}" for model in sets)
        said.append(f"Not every model came under the same prompts ({told}): their means are over different prompts.")
    return said
