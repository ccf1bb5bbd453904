"""A language model that picks among the ICD-10 candidates of diagnoses: which, and asking it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ..errors import InputError
from ..features.feature_set import FeatureSet
from ..files.wording import hint
from ..progress import Progress
from ..votes import asking
from ..votes.asking import Job
from ..votes.asking_options import Asking
from ..votes.prompts.files import prompt_of
from ..votes.voters import PICK_OPTIONS, Picker

if TYPE_CHECKING:
    from ..votes.picks import Choices


def pick_options(pick: str, features: FeatureSet, prompt: str | os.PathLike[str] | None = None) -> Mapping[str, Any]:
    """What a pick says: a feature by its name or its model, or any model as ENDPOINT:MODEL.

    prompt : what is asked in place of its own.

    Raises
    ------
    InputError
        For a pick that is neither; else as `prompt_of`.
    """
    pickers = [feature for feature in features.asked if feature.kind == "icd_pick"]
    said = [feature.options for feature in pickers if pick in (feature.name, feature.options["model"])]
    endpoint, _, model = pick.partition(":")
    if model.strip() and endpoint in features.endpoints:
        said.append({**PICK_OPTIONS, "model": model, "endpoint": endpoint})
    if not said:
        known = [word for feature in pickers for word in (feature.name, feature.options["model"])]
        raise InputError(
            f"no such ICD pick{hint(pick, known)}",
            source=features.name,
            allowed=", ".join([*known, "ENDPOINT:MODEL with an endpoint of the option 'endpoints'"]),
            got=pick,
        )
    if prompt is None:
        return said[0]
    given = prompt_of("pick", prompt)
    return {**said[0], "prompt": given.version, "prompt_text": given.file_text}


def with_picks(
    map_: Callable[..., dict[str, list[Any]]],
    picker: Picker,
    features: FeatureSet,
    direct: bool,
    how: Asking,
    progress: Progress | None,
) -> dict[str, list[Any]]:
    """What `map_(answers=...)` makes of the picks in the store and of those asked now; `features` says where and at what price."""
    from ..votes.picks import picked_answers
    from ..votes.store.store import VoteStore

    with VoteStore(how.filled) as votes:

        def ask(choices: Choices) -> None:
            job = Job(features.language_model(picker), picker.prompt, partial(choices.questions, picker))
            asking.ask(asking.plan([job], votes), votes, how.budget, progress)

        return map_(answers=picked_answers(picker, votes, ask, direct))
