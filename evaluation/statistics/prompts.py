"""Models under several prompts, each asked once or repeatedly: "gpt4 [free]", "gpt4 [free #2]"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ...pages.rows import Row, known
from ..read.findings import Finding
from ..score.recall import prompt_spread
from ..score.scores import Score, Values
from .differences import Pair

_VARIANT = re.compile(r"(?P<model>.*\S)\s*\[(?P<prompt>[^\[\]#]*[^\[\]#\s])\s*(?:#(?P<repeat>\d+))?\]")


class Variant(NamedTuple):
    """A rater as a model under a prompt; of a rater whose name tells none, prompt is ""."""

    model: str
    prompt: str


def variant_of(rater: str) -> Variant:
    """Parts a name: of "gpt4 [free #2]", gpt4 and free."""
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
    """Averages first over the repeats of a prompt, then over prompts. values : prompt -> the values of its repeats."""
    of_prompt: dict[str, tuple[float, float | None, int]] = {}
    for prompt, repeats in values.items():
        several = np.array([np.nan if value is None else value for value in repeats])
        spread = known(float(several.std())) if len(several) > 1 else None
        of_prompt[prompt] = float(several.mean()), spread, len(several)
    means = [mean for mean, _, _ in of_prompt.values()]
    within = [spread**2 for _, spread, _ in of_prompt.values() if spread is not None]
    root = float(np.sqrt(np.mean(within))) if within else None
    return OverPrompts(of_prompt, float(np.mean(means)), known(float(prompt_spread(means))), root)


def several(raters: Iterable[str]) -> dict[str, dict[str, list[str]]]:
    """Finds the models that came under several prompts, or repeatedly: model -> prompt -> its raters."""
    of: dict[str, dict[str, list[str]]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {}).setdefault(prompt, []).append(rater)
    return {model: prompts for model, prompts in of.items() if sum(map(len, prompts.values())) > 1}


def model_names(raters: Iterable[str]) -> dict[str, str]:
    """Names each rater as in tables of models: rater -> its model where that came under several prompts, else itself."""
    raters = list(raters)
    models = several(raters)
    return {rater: model if (model := variant_of(rater).model) in models else rater for rater in raters}


def rows_of_models(rows: Sequence[Row], names: Mapping[str, str]) -> list[Row]:
    """Averages rows over prompts: the rows of a model's variants become one, with n_prompts, sd_prompts, sd_repeats, and no interval."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = (row.get("by"), row.get("group"), names.get(row["algorithm"], row["algorithm"]), row["name"])
        found.setdefault(key, []).append(row)
    return [of[0] if of[0]["algorithm"] == who else _mean_row(who, of) for (_, _, who, _), of in found.items()]


def _mean_row(model: str, rows: Sequence[Row]) -> Row:
    found = over_prompts(_by_prompt(rows))
    reasons = dict.fromkeys(row["reason"] for row in rows if row["value"] is None and row["reason"])
    return rows[0] | {
        "algorithm": model, "value": known(found.mean), "low": None, "high": None, "undefined_repeats": 0, "reason": "; ".join(reasons),
        "n_cases": max(row["n_cases"] for row in rows), "n_prompts": len(found.of_prompt), "sd_prompts": found.sd_prompts,
        "sd_repeats": found.sd_repeats,
    }  # fmt: skip


def _by_prompt(rows: Iterable[Row]) -> dict[str, list[float | None]]:
    of: dict[str, list[float | None]] = {}
    for row in rows:
        of.setdefault(variant_of(row["algorithm"]).prompt, []).append(row["value"])
    return of


def prompt_tables(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Makes the tables of models that came under several prompts, or repeatedly; {} without such.

    prompts : algorithm (the model), by, group, metric, of, k, name, prompts, n_prompts, n_repeats, mean and sd_prompts (the population
        standard deviation) over the prompts, and sd_repeats.
    prompt_values : algorithm, by, group, prompt, metric, of, k, name, value, n_repeats, sd_repeats.

    rows : of a family, of all cases and of subgroups; by and group are None of all cases. As in Tables 5 to 7 of ClinBench-HPB.
    """
    there = several(dict.fromkeys(row["algorithm"] for row in rows))
    of_models: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        model, prompt = variant_of(row["algorithm"])
        if model in there and prompt:
            of_models.setdefault((row.get("by"), row.get("group"), model, row["name"]), []).append(row)
    models: list[Row] = []
    prompts: list[Row] = []
    for (by, group, model, _), of in of_models.items():
        who = {"algorithm": model, "by": by, "group": group}
        metric = {part: of[0][part] for part in ("metric", "of", "k", "name")}
        found = over_prompts(_by_prompt(of))
        prompts += [
            {**who, "prompt": prompt, **metric, "value": known(value), "n_repeats": n, "sd_repeats": spread}
            for prompt, (value, spread, n) in found.of_prompt.items()
        ]
        counts = dict.fromkeys(n for _, _, n in found.of_prompt.values())
        models.append({
            **who, **metric, "prompts": ", ".join(found.of_prompt), "n_prompts": len(found.of_prompt),
            "n_repeats": ", ".join(map(str, counts)), "mean": known(found.mean), "sd_prompts": found.sd_prompts,
            "sd_repeats": found.sd_repeats,
        })  # fmt: skip
    return {"prompts": models, "prompt_values": prompts} if models else {}


def pairs_of_models(raters: Sequence[str]) -> list[Pair] | None:
    """Pairs the models of one rater each; None where no model came under several prompts, or repeatedly.

    Differences between single variants answer no question that was asked, and the correction for so many leaves nothing.
    """
    variants = {rater for prompts in several(raters).values() for own in prompts.values() for rater in own}
    return list(combinations([rater for rater in raters if rater not in variants], 2)) if variants else None


def findings_of_prompts(raters: Iterable[str], pairs_named: bool) -> list[Finding]:
    """Tells that models are averaged over prompts, and where these, or their repeats, are not the same for all."""
    raters = list(raters)
    repeated = several(raters)
    if not repeated:
        return []
    count = sum(len(own) for prompts in repeated.values() for own in prompts.values())
    untested = "" if pairs_named else " No differences between them are tested: 'compare' names two raters to compare."
    found = [
        f"{count:,} raters are {len(repeated):,} model{'' if len(repeated) == 1 else 's'} under several prompts or in repeats; a model's "
        f"figure is its mean over prompts, each the mean over its repeats.{untested}"
    ]
    for model, prompts in repeated.items():
        if len({len(own) for own in prompts.values()}) > 1:
            numbers = ", ".join(f"{prompt} {len(own):,}" for prompt, own in prompts.items())
            found.append(f"{model} has repeats of unequal number ({numbers}); each prompt counts once.")
    of: dict[str, dict[str, None]] = {}
    for rater in raters:
        model, prompt = variant_of(rater)
        if prompt:
            of.setdefault(model, {})[prompt] = None
    if len({frozenset(prompts) for prompts in of.values()}) > 1:
        each = "; ".join(f"{model}: {', '.join(prompts)}" for model, prompts in of.items())
        found.append(f"Not every model came under the same prompts ({each}): their means are over different prompts.")
    return [Finding("prompts", example=one) for one in found]


@dataclass(frozen=True)
class ModelMeans:
    """Models that are compared by their means over the prompts that all of them came under.

    raters : of the answers. of : model -> prompt -> its raters, one for each repeat. left_out : prompts that not all models came under.
    """

    raters: Sequence[str]
    of: Mapping[str, Mapping[str, Sequence[str]]]
    left_out: Mapping[str, Sequence[str]]

    @classmethod
    def named(cls, pairs: Iterable[Pair], raters: Sequence[str]) -> ModelMeans:
        """Takes those names of the pairs that are models, not raters.

        Raises
        ------
        OptionError
            For models without a prompt in common.
        """
        of: dict[str, dict[str, list[str]]] = {name: {} for pair in pairs for name in pair if name not in raters}
        for rater in raters:
            variant = variant_of(rater)
            if variant.model in of:
                of[variant.model].setdefault(variant.prompt, []).append(rater)
        common = set.intersection(*(set(prompts) for prompts in of.values())) if of else set[str]()
        if of and not common:
            got = "; ".join(f"{name}: {', '.join(prompts)}" for name, prompts in of.items())
            raise OptionError("compare", "models that came under a prompt in common, or raters by their whole names", got)
        kept = {name: {prompt: own for prompt, own in of[name].items() if prompt in common} for name in of}
        return cls(raters, kept, {name: [prompt for prompt in of[name] if prompt not in common] for name in of})

    def findings(self) -> list[Finding]:
        """Tells over which prompts models are compared."""
        if not self.of:
            return []
        prompts = ", ".join(next(iter(self.of.values())))
        words = (
            f"{' and '.join(self.of)} are compared by the mean over prompts ({prompts}), in each case first over the repeats of each; a case "
            "counts where each of the prompts has an answer."
        )
        if out := [f"{name} [{prompt}]" for name, left in self.left_out.items() for prompt in left]:
            words += f" Without {', '.join(out)}: not all of these models came under it."
        return [Finding("prompts", example=words)]

    def absent(self, absent: NDArray[np.bool_], compared: Sequence[str]) -> NDArray[np.bool_]:
        """Tells which lists were not given: bool [n, compared]; of a model, where a prompt has none at all. absent : bool [n, raters]."""
        columns = [np.any([absent[:, own].all(1) for own in self._places(name, self.raters)], axis=0) for name in compared]
        return np.stack(columns, 1) if columns else np.zeros((len(absent), 0), bool)

    def scores(self, scores: Sequence[Score], compared: Sequence[str]) -> list[Score]:
        """Makes the scores of those in `compared`, models by their means; without those that not all of them have."""
        if not self.of:
            return list(scores)
        made: dict[tuple[Any, ...], Values] = {}
        out: list[Score] = []
        for score in scores:
            raters = list(score.raters)
            wanted = set(chain.from_iterable(chain.from_iterable(self._raters(name) for name in compared)))
            if score.statistic is not None or not wanted <= set(raters):
                continue
            groups = [self._places(name, raters) for name in compared]
            columns = score.at.shape[1]
            key = (id(score.values), score.at.tobytes())
            if key not in made:
                of_raters = score.values[:, score.at].astype(float)
                made[key] = np.concatenate([_mean(of_raters, own) for own in groups], 1)
            places = np.arange(len(groups) * columns).reshape(len(groups), columns)
            why = [score.why(own[0][0]) for own in groups]
            out.append(replace(score, raters=tuple(compared), values=made[key], places=places, reason=why))
        return out

    def _raters(self, name: str) -> list[Sequence[str]]:
        """Prompt by prompt the raters of a model; of a rater itself."""
        return list(self.of[name].values()) if name in self.of else [[name]]

    def _places(self, name: str, raters: Sequence[str]) -> list[list[int]]:
        return [[list(raters).index(rater) for rater in own] for own in self._raters(name)]


def _mean(of_raters: Values, groups: Sequence[Sequence[int]]) -> Values:
    """[n, c]: the mean over the groups of the means within each over what is there; NaN where a group has nothing. of_raters : [n, r, c]."""
    within = []
    for own in groups:
        there = ~np.isnan(of_raters[:, list(own)])
        held = there.sum(1)
        sums = np.where(there, of_raters[:, list(own)], 0).sum(1)
        within.append(np.divide(sums, held, out=np.full(sums.shape, np.nan), where=held > 0))
    return np.mean(within, axis=0)
