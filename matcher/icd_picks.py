"""A language model that picks among the ICD-10 candidates of diagnoses: which, and asking it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..files.did_you_mean import hint
from ..progress import Progress
from ..votes import asking
from ..votes.asking import Budget, Job
from ..votes.prompts.files import prompt_of
from ..votes.voters import Picker

if TYPE_CHECKING:
    from ..votes.picks import Choices


def picker_of(pick: str, features: FeatureSet, prompt: str | os.PathLike[str] | None = None) -> Picker:
    """A feature set's pick by its name or its model. prompt : what is asked in place of its own.

    Raises
    ------
    InputError
        For a pick that the set lacks; else as `prompt_of`.
    """
    pickers = [feature for feature in features.asked if feature.kind == "icd_pick"]
    for feature in pickers:
        if pick in (feature.name, feature.options["model"]):
            if prompt is None:
                return Picker.of(feature.options)
            given = prompt_of("pick", prompt)
            return Picker.of({**feature.options, "prompt": given.version, "prompt_text": given.file_text})
    known = [word for feature in pickers for word in (feature.name, feature.options["model"])]
    raise InputError(
        f"no such ICD pick{hint(pick, known)}",
        source=features.name,
        allowed=", ".join(known) or 'a [[feature]] with kind = "icd_pick"',
        got=pick,
    )


def with_picks(
    map_: Callable[..., dict[str, list[Any]]],
    picker: Picker,
    features: FeatureSet,
    *,
    direct: bool,
    store: str | os.PathLike[str],
    budget: Budget,
    progress: Progress,
) -> dict[str, list[Any]]:
    """What `map_(answers=...)` makes of the picks in the store and of those asked now.

    features : whose endpoints and prices serve. The others as in `dxmatch.icd`.
    """
    from ..votes.icd_answers import picked_answers
    from ..votes.store.store import VoteStore

    with VoteStore(Path(store)) as votes:

        def ask(choices: Choices) -> None:
            job = Job(features.language_model(picker), picker.prompt, partial(choices.questions, picker))
            asking.ask(asking.plan([job], votes), votes, budget, progress)

        return map_(answers=picked_answers(picker, votes, ask, direct))
