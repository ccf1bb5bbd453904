"""Two models that were each asked with several prompts, compared as the means over the prompts that both came under."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...errors import OptionError
from ..metrics.hierarchical import mean_of_defined
from .estimates import estimates
from .measure import Estimate, Measure, Values
from .section import Context
from .variants import variant_of


@dataclass(frozen=True)
class ModelMeans:
    """Of each model that a pair names: prompt -> its raters, one for each repeat; the prompts are common to all these models.

    raters : of the lists. left_out : the prompts of these models that not all of them came under.
    """

    raters: Sequence[str]
    of: Mapping[str, Mapping[str, Sequence[str]]]
    left_out: Mapping[str, Sequence[str]]

    @classmethod
    def named(cls, pairs: Iterable[tuple[str, str]], raters: Sequence[str]) -> ModelMeans:
        """Those names of the pairs that are models, not raters.

        Raises
        ------
        OptionError
            For models without a prompt in common.
        """
        names = dict.fromkeys(name for pair in pairs for name in pair if name not in raters)
        of: dict[str, dict[str, list[str]]] = {name: {} for name in names}
        for rater in raters:
            variant = variant_of(rater)
            if variant.model in of:
                of[variant.model].setdefault(variant.prompt, []).append(rater)
        common = set.intersection(*(set(prompts) for prompts in of.values())) if of else set[str]()
        if of and not common:
            told = "; ".join(f"{name}: {', '.join(prompts)}" for name, prompts in of.items())
            raise OptionError(
                "compare", "models that came under a prompt in common, or raters by their whole names", told
            )
        return cls(
            raters,
            {
                name: {prompt: own for prompt, own in prompts.items() if prompt in common}
                for name, prompts in of.items()
            },
            {name: [prompt for prompt in prompts if prompt not in common] for name, prompts in of.items()},
        )

    def warnings(self) -> list[str]:
        """What must be known before the differences."""
        if not self.of:
            return []
        prompts = next(iter(self.of.values()))
        many = [len(own) for of in self.of.values() for own in of.values()]
        over = f"prompt {next(iter(prompts))}" if len(prompts) == 1 else f"prompts {', '.join(prompts)}"
        repeats = ", each first over its repeats" if max(many) > 1 else ""
        words = (
            f"{' and '.join(self.of)} are compared as models: in each case the mean over the {over}{repeats}; differences, intervals "
            "and p are of these means. A case counts where each of the prompts has an answer."
        )
        out = [f"{name} [{prompt}]" for name, left in self.left_out.items() for prompt in left]
        if out:
            words += (
                f" Without {', '.join(out)}: not all of these models came under {'it' if len(out) == 1 else 'them'}."
            )
        return [words]

    def absent(self, absent: NDArray[np.bool_], compared: Sequence[str]) -> NDArray[np.bool_]:
        """bool [n, compared]: lists that were not given; of a model, where a prompt has none at all. absent : bool [n, raters]."""
        columns = []
        for name in compared:
            groups = self._places(name, self.raters)
            columns.append(np.any([absent[:, own].all(1) for own in groups], axis=0))
        return np.stack(columns, 1) if columns else np.zeros((len(absent), 0), bool)

    def estimates(
        self, found: Sequence[Estimate], compared: Sequence[str], cases: Sequence[str], context: Context
    ) -> list[Estimate]:
        """The same measures of those in `compared`, models by their means; without those that not all of them have.

        Where no model is compared by its means, all as they came.
        """
        if not self.of:
            return list(found)
        made: dict[tuple[int, tuple[str, ...]], Values] = {}
        measures: list[Measure] = []
        for measure in (one.measure for one in found):
            raters = tuple(measure.raters)
            if not all(set(chain.from_iterable(self._raters(name))) <= set(raters) for name in compared):
                continue
            groups = [self._places(name, raters) for name in compared]
            for column in measure.columns:
                if (id(column), raters) not in made:
                    made[id(column), raters] = np.stack([_mean(column, own) for own in groups], 1)
            columns = tuple(made[id(column), raters] for column in measure.columns)
            why = [measure.why(own[0][0]) for own in groups]
            measures.append(replace(measure, raters=tuple(compared), columns=columns, reason=why))
        return estimates(measures, cases, context)

    def _raters(self, name: str) -> list[Sequence[str]]:
        """Prompt by prompt the raters of a model; of a rater itself."""
        return list(self.of[name].values()) if name in self.of else [[name]]

    def _places(self, name: str, raters: Sequence[str]) -> list[list[int]]:
        return [[list(raters).index(rater) for rater in own] for own in self._raters(name)]


def _mean(column: Values, groups: Sequence[Sequence[int]]) -> Values:
    """[n]: the mean over the groups of the means within each over what is there; NaN where a group has nothing."""
    return np.mean([mean_of_defined(column[:, list(own)].T) for own in groups], axis=0)
