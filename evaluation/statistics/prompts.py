"""Models under several prompts, each asked once or repeatedly: "gpt4 [free]", "gpt4 [free #2]"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import OptionError
from ...pages.rows import Row, known
from ..read.findings import Finding
from ..score.scores import Score, Values, mean_of_defined
from .estimates import Pair

_VARIANT = re.compile(r"(?P<model>.*\S)\s*\[(?P<prompt>[^\[\]#]*[^\[\]#\s])\s*(?:#(?P<repeat>\d+))?\]")
Models = Mapping[str, Mapping[str, Sequence[str]]]
"""Model -> prompt -> its raters, one for each repeat."""


def variant_of(rater: str) -> tuple[str, str]:
    """Parts a name into model and prompt: of "gpt4 [free #2]", gpt4 and free; prompt is "" where the name tells none."""
    found = _VARIANT.fullmatch(rater)
    return (found["model"], found["prompt"]) if found else (rater, "")


def models_of(raters: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Finds the models that came under prompts."""
    of: dict[str, dict[str, list[str]]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {}).setdefault(prompt, []).append(rater)
    return of


def several(raters: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Finds the models that came under several prompts, or repeatedly."""
    return {model: of for model, of in models_of(raters).items() if sum(map(len, of.values())) > 1}


def scores_of_models(scores: Sequence[Score], models: Models, raters: Sequence[str]) -> list[Score]:
    """Makes the same scores of `raters`, of which some are models: a model's value is its mean over prompts.

    In each case a prompt counts with the mean over its repeats. All models have as many prompts. Scores that not all of them
    have are left out, and those with a `statistic`.
    """
    prompts = [list(models[name].values()) if name in models else [[name]] for name in raters]
    needed = {rater for of in prompts for own in of for rater in own}
    width = max(map(len, prompts))
    made = []
    for score in scores:
        there = list(score.raters)
        if score.statistic is not None or not needed <= set(there):
            continue
        # a rater that is no model stands beside its like as often as these have prompts
        groups = [[[there.index(one) for one in own] for own in (of * width)[:width]] for of in prompts]
        made.append(_mean_over_prompts(score, list(raters), groups))
    return made


def _mean_over_prompts(score: Score, raters: list[str], groups: Sequence[Sequence[Sequence[int]]]) -> Score:
    """groups : of each rater, of each of its prompts, the raters of `score`."""
    of_raters = score.values[:, score.at].astype(float).swapaxes(0, 1)
    (_, n, columns), width = of_raters.shape, len(groups[0])
    values = np.stack([mean_of_defined(of_raters[own]) for of in groups for own in of], 1)

    def combine(means: Values) -> Values:
        return score.combine(means.reshape(*means.shape[:-1], width, columns)).mean(-1)

    return replace(
        score, raters=raters, values=values.reshape(n, -1), places=np.arange(len(raters) * width * columns).reshape(len(raters), -1),
        combine=combine, reason=[score.why(of[0][0]) for of in groups],
    )  # fmt: skip


def named_models(pairs: Iterable[Pair], raters: Sequence[str]) -> Models:
    """Takes those names of pairs to compare that are models.

    Raises
    ------
    OptionError
        For models that came under different prompts.
    """
    every = models_of(raters)
    of = {name: every.get(name, {}) for pair in pairs for name in pair if name not in raters}
    if len({frozenset(prompts) for prompts in of.values()}) > 1:
        got = "; ".join(f"{name}: {', '.join(prompts)}" for name, prompts in of.items())
        raise OptionError("compare", "models that came under the same prompts, or raters by their whole names", got)
    return of


def prompt_tables(rows: Sequence[Row], models: Models) -> dict[str, list[Row]]:
    """Makes the tables of models under several prompts, or repeated, as Tables 5 to 7 of ClinBench-HPB; {} without such.

    prompts : algorithm (the model), by, group, metric, of, k, name, prompts, n_prompts, n_repeats, mean and sd_prompts over the
        prompts, and sd_repeats.
    prompt_values : algorithm, by, group, metric, of, k, name, prompt, value, n_repeats, sd_repeats.

    A prompt's value is the mean over its repeats, and each prompt counts once. Deviations are the population's, None where there
    is nothing to deviate; sd_repeats of several prompts is the root of its mean square.

    rows : of a family, of all cases and of subgroups; by and group are None of all cases.
    """
    found: dict[tuple[Any, ...], dict[str, list[Row]]] = {}
    for row in rows:
        model, prompt = variant_of(row["algorithm"])
        if prompt and model in models:
            of_model = found.setdefault((model, row.get("by"), row.get("group"), row["name"]), {})
            of_model.setdefault(prompt, []).append(row)
    tables: dict[str, list[Row]] = {"prompts": [], "prompt_values": []}
    for (model, *_), of in found.items():
        first, own = next(iter(of.values()))[0], list[Row]()
        named = {"algorithm": model, **{part: first.get(part) for part in ("by", "group", "metric", "of", "k", "name")}}
        for prompt, repeats in of.items():
            value, spread = _mean_and_deviation([row["value"] for row in repeats])
            own.append({**named, "prompt": prompt, "value": value, "n_repeats": len(repeats), "sd_repeats": spread})
        mean, spread = _mean_and_deviation([row["value"] for row in own])
        squares = [row["sd_repeats"] ** 2 for row in own if row["sd_repeats"] is not None]
        tables["prompt_values"] += own
        tables["prompts"].append({
            **named, "prompts": ", ".join(of), "n_prompts": len(of),
            "n_repeats": ", ".join(dict.fromkeys(str(row["n_repeats"]) for row in own)), "mean": mean, "sd_prompts": spread,
            "sd_repeats": float(np.sqrt(np.mean(squares))) if squares else None,
        })  # fmt: skip
    return tables if found else {}


def _mean_and_deviation(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    several = np.array([np.nan if value is None else value for value in values])
    return known(float(several.mean())), known(float(several.std())) if len(several) > 1 else None


def findings_of_prompts(raters: Sequence[str], pairs_named: bool) -> list[Finding]:
    """Tells that models are averaged over prompts, and where these are not the same for all."""
    repeated, every = several(raters), models_of(raters)
    words = [] if pairs_named else ["No differences between them are tested: 'compare' names two raters to compare."]
    if len({frozenset(prompts) for prompts in every.values()}) > 1:
        each = "; ".join(f"{model}: {', '.join(prompts)}" for model, prompts in every.items())
        words.append(f"Not every model came under the same prompts ({each}): their means are over different prompts.")
    count = sum(len(own) for prompts in repeated.values() for own in prompts.values())
    return [Finding("prompts", count, len(repeated), example=" ".join(words))] if repeated else []
