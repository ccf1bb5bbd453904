"""From diagnoses to answers of ICD-10: the index of a preset, its nearest names, a language model's pick, and what is said of a disease."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import compress
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..errors import InputError, ModelError, OptionError, quoted, warn
from ..features.contrast import contrasts
from ..features.feature_set import FeatureSet
from ..features.providers import SHIPPED, undeclared
from ..files.wording import hint
from ..options import File, Options
from ..progress import Progress
from ..terms.icd.index import CODE, DIRECT, NEAREST, UNMAPPED, IcdAnswer, IcdIndex
from ..terms.icd.search import CANDIDATES
from ..terms.text.assertion import Status
from ..terms.text.modifiers import Rest, rests_of
from ..terms.text.normalizer import normalize_checked
from ..votes.asking import Job, ask, plan
from ..votes.asking_options import Asking
from ..votes.picks import Choices
from ..votes.prompts.files import prompt_of
from ..votes.store.store import VoteStore
from ..votes.voters import PICK_OPTIONS, Picker
from .match_function import MatchFunction, load

_OF_OTHER_TIMES_AND_PEOPLE = (Status.PAST, Status.FAMILY)
_WITH_MODIFIERS, _WITH_CAUSE = 0.75, 0.65
"""The least score of a name that is taken for a diagnosis with modifiers, or a cause, before the name of the diagnosis without them."""
_TOLD = (Status.POSSIBLE, *_OF_OTHER_TIMES_AND_PEOPLE, Status.NO_DISEASE)


@dataclass(frozen=True, kw_only=True)
class IcdPreset(Options):
    """How diagnoses are mapped to ICD-10. What is not given is as the pick says, where there is one.

    Parameters
    ----------
    encoder : str, optional
        What finds the nearest names: "shipped", the model's own static one (if not given), one that `features` declares (also one that an
        endpoint serves), "sentence-transformers:" and the name or folder of such a model, or "endpoint:NAME:MODEL", an embedding model of
        an endpoint.
    distance : str, optional
        "cosine" (if not given), or "euclidean", as in "How to Evaluate Medical AI": of vectors that keep their length.
    entries : str, optional
        "codes" (if not given): the candidates are k different codes, and what a name says beyond the diagnosis counts against it.
        "names": they are the k nearest names among ICD-10's titles and inclusion terms, of which several may belong to one code, by the
        distance alone: H-DDx (A.1).
    sections : bool
        Whether chapters and sections are among the entries, as in H-DDx (A.1): "Tuberculosis" is A15-A19.
    prompt : str or path, optional
        What a language model is asked with, in place of what the pick says: "icd-pick-2" (a number, with the rules of "How to Evaluate
        Medical AI"), "pick-name-1" (a name in JSON, with those of H-DDx), another built-in one, or a text file with {diagnosis} and
        {candidates}.
    direct : bool
        Whether a diagnosis that equals a name of ICD-10 has its code at once, as in "How to Evaluate Medical AI"; False asks the language
        model about every diagnosis but a bare code, as H-DDx does.
    features : str or path
        The feature set that declares picks and encoders; paper17 if not given.
    allow_download : bool
        The hub may be asked for an encoder by its name; without it what the hub's cache holds is taken, offline.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    encoder: str | None = None
    distance: Literal["cosine", "euclidean"] | None = None
    entries: Literal["codes", "names"] | None = None
    sections: bool = True
    prompt: File | None = None
    direct: bool = True
    features: File = "paper17"
    allow_download: bool = False


Preset = Literal["default", "h-ddx", "how-to-evaluate-medical-ai"] | IcdPreset
"""A preset by its name, or one of the user's own."""

PRESETS: Mapping[str, IcdPreset] = {
    "default": IcdPreset(),
    "h-ddx": IcdPreset(
        encoder="endpoint:openai:text-embedding-3-large",
        distance="cosine",
        entries="names",
        prompt="pick-name-1",
        direct=False,
    ),
    "how-to-evaluate-medical-ai": IcdPreset(
        encoder="bergamot", distance="euclidean", entries="names", prompt="icd-pick-2"
    ),
}


@dataclass(frozen=True, kw_only=True)
class IcdMapper:
    """How diagnoses are mapped, as `icd`, its accuracy and an evaluation say it; the fields are as of `icd`, but for the tree.

    tree : the name or the path of one.

    Raises
    ------
    OptionError
        For a preset that says what a language model is asked, or that it is asked about every diagnosis, without one.
    """

    k: int | None = None
    tree: str | os.PathLike[str] | None = None
    preset: Preset = "default"
    pick: str | None = None
    matcher: MatchFunction | str | os.PathLike[str] | None = None
    asking: Asking = field(default_factory=Asking)

    def __post_init__(self) -> None:
        if self.pick is None and (said := sorted(self.how.given & {"direct", "prompt"})):
            allowed = f"a language model, since the preset says how one is asked ({', '.join(said)})"
            raise OptionError("pick", allowed, None)

    @property
    def how(self) -> IcdPreset:
        """The preset itself."""
        return self.preset if isinstance(self.preset, IcdPreset) else PRESETS[self.preset]

    @cached_property
    def chosen(self) -> Mapping[str, Any]:
        """Each of source, encoder, k, distance and entries, and what else a pick says: as given, else as the pick has it, else as usual."""
        how, usual = self.how, PICK_OPTIONS if self.pick is None else self._of_pick(self.pick)
        given = {
            "source": self.tree and os.fspath(self.tree), "k": self.k, "encoder": how.encoder, "distance": how.distance, "entries": how.entries,
        }  # fmt: skip
        return {**usual, **{name: value for name, value in given.items() if value is not None}}

    def _of_pick(self, pick: str) -> Mapping[str, Any]:
        """What a pick says: a feature by its name, or any model as ENDPOINT:MODEL. Errors: `InputError` for neither."""
        known = {one.name: one.options for one in self.features.asked if one.kind == "icd_pick"}
        endpoint, _, model = pick.partition(":")
        served = model.strip() and endpoint in self.features.endpoints
        if pick not in known and not served:
            allowed = ", ".join([*known, "ENDPOINT:MODEL with an endpoint of the option 'endpoints'"])
            what = f"no such ICD pick{hint(pick, known)}"
            raise InputError(what, source=self.features.name, allowed=allowed, got=pick)
        said = known.get(pick, {**PICK_OPTIONS, "model": model, "endpoint": endpoint})
        if self.how.prompt is None:
            return said
        prompt = prompt_of("pick", self.how.prompt)
        return {**said, "prompt": prompt.version, "prompt_text": prompt.file_text}

    @cached_property
    def features(self) -> FeatureSet:
        """The feature set that declares picks and encoders, with the user's endpoints."""
        return FeatureSet.read(self.how.features, self.asking.endpoints)

    @cached_property
    def m(self) -> MatchFunction:
        """The match function. Raises `ModelError` for one without an encoder of its own."""
        given = self.matcher
        m = given if isinstance(given, MatchFunction) else _shipped() if given is None else load(given)
        if SHIPPED not in m.providers.encoders:
            raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
        return m

    @cached_property
    def index(self) -> IcdIndex:
        """ICD-10's names under the encoder."""
        providers, encoder = self.m.providers, self.chosen["encoder"]
        if self.pick is not None or encoder != SHIPPED:
            folder = None if (spec := undeclared(encoder)) is None else spec.folder_beside(Path())
            providers = self.features.open(
                providers.normalizer, providers.encoders[SHIPPED], endpoints=self.features.endpoints,
                folders={} if folder is None else {encoder: folder}, allow_download=self.how.allow_download,
                # a pick is among ICD-10's own names, as those of the features are
                graph=providers.graph if self.pick is None else None,
            )  # fmt: skip
        distance, entries = self.chosen["distance"], self.chosen["entries"]
        return providers.icd_index(self.chosen["source"], encoder, distance, entries, self.how.sections)

    @property
    def settings(self) -> dict[str, Any]:
        """How the mapping is made: edition, encoder (its identity), k, pick, distance, entries, sections, with a pick also direct."""
        chosen, index = self.chosen, self.index
        made = {"edition": index.tree.source, "encoder": index.encoder.identity, "k": chosen["k"], "pick": self.pick}
        made |= {"distance": chosen["distance"], "entries": chosen["entries"], "sections": self.how.sections}
        return made if self.pick is None else {**made, "direct": self.how.direct}

    def answers(self, texts: Iterable[str], progress: Progress | None = None) -> dict[str, IcdAnswer]:
        """The answer for each different text. Warns of what is said beside a diagnosis.

        Raises
        ------
        InputError
            For a text without a letter or digit, or that is too long.
        """
        texts, normalizer, naming = list(dict.fromkeys(texts)), self.m.providers.normalizer, self.m.providers.naming
        if self.pick is not None:
            # a language model is asked about what was written
            written = normalize_checked(normalizer, texts)
            picked = self._picked(list(dict.fromkeys(written)), progress)
            return {text: picked[name] for text, name in zip(texts, written, strict=True)}
        read = {text: naming.to_code(text) for text in texts}
        of_name = self._of_names(list(dict.fromkeys(one.name for one in read.values())))
        answers = {text: of_name[one.name] for text, one in read.items()}
        for text, one in read.items():
            if one.not_understood is not None and answers[text].how not in (DIRECT, CODE) and not self.m.judge_all:
                answers[text] = IcdAnswer(None, None, UNMAPPED, None, answers[text].candidates)
        said = {text: normalizer.assertion(one.name) for text, one in read.items()}
        if told := [text for text, one in said.items() if one.status in _TOLD]:
            first = f"{quoted(told[0])}, {said[told[0]].status}"
            warn(
                f"{len(told):,} of {len(said):,} diagnoses are said to be possible, past, or not the patient's own ({first}): the code is "
                "of the disease that is named, or of the nearest title, and may not hold what is said."
            )
        nearest = [text for text, one in answers.items() if one.how == NEAREST]
        other = {text: read[text].name for text in nearest if said[text].status in _OF_OTHER_TIMES_AND_PEOPLE}
        return answers | self._as_said(other) if other and not self.m.rests_on_votes else answers

    def _of_names(self, names: Sequence[str]) -> dict[str, IcdAnswer]:
        """The answers for different names, which modifiers neither change nor lose: "bilateral pneumonia" has the code of pneumonia.

        What is left of a name without them is looked up, too, where it is a name itself, or they are surely no part of one. Its answer is
        taken, unless that for the whole name is near and lies in the same category (H66.93, otitis media of both ears) or has a name with
        those very modifiers, other than a side (F33, recurrent depression). No candidate is what contrasts with the name (nonalcoholic, of alcoholic steatohepatitis).
        """
        index, k = self.index, self.chosen["k"]
        if not index.counts_wording:
            return dict(zip(names, index.answers(names, k), strict=True))
        wide = max(k, CANDIDATES)
        out = dict(zip(names, self._fitting(names, names, wide), strict=True))
        near = [name for name, one in out.items() if one.how in (NEAREST, UNMAPPED)]
        rests = {name: rest for name in near if (rest := self._rest_of(name)) is not None}
        of_rests = self._fitting([rest.name for rest in rests.values()], [*rests], wide)
        for (name, rest), other in zip(rests.items(), of_rests, strict=True):
            if other.icd10 is not None and not self._goes_before(out[name], other, rest):
                out[name] = other._replace(how=NEAREST)
        return {name: one._replace(candidates=one.candidates[:k]) for name, one in out.items()}

    def _fitting(self, looked_up: Sequence[str], names: Sequence[str], k: int) -> list[IcdAnswer]:
        """The answers for what is looked up, without candidates that contrast with the name that it is of.

        Numbers may differ: types that ICD-10 does not tell apart share a category.
        """
        language = self.m.providers.normalizer.language
        return self.index.answers(looked_up, k, lambda at, name: not contrasts(names[at], name, language, of="words"))

    def _rest_of(self, name: str) -> Rest | None:
        """What is looked up for a name without modifiers, or a cause that ICD-10 names (others, as organisms and drugs, often have the code); None where nothing is."""
        direct, language = (lambda some: self.index.direct(some).nodes >= 0), self.m.providers.normalizer.language
        rests = [rest for rest in rests_of(name, language) if direct(rest.causes).all()]
        known = direct([rest.name for rest in rests])
        return next(compress(rests, known), None) or max(
            (rest for rest in rests if rest.sure), key=lambda rest: len(rest.modifiers), default=None
        )

    def _goes_before(self, whole: IcdAnswer, other: IcdAnswer, rest: Rest) -> bool:
        """Whether the answer for a name with its modifiers goes before that for the rest of it."""
        if whole.how == UNMAPPED:
            return False
        (near, *_), (least, *_) = whole.candidates, other.candidates
        nodes = np.array([self.index.tree.find(one.code) for one in (near, least)], np.int32)
        if len({*self.index.category_of(nodes).tolist()}) == 1:
            return near.score >= min(_WITH_MODIFIERS, least.score)
        enough = near.score >= (_WITH_CAUSE if rest.causes else _WITH_MODIFIERS) and not rest.only_sides
        return enough and rest.needed.issubset(self.m.providers.normalizer(near.found).split())

    def _as_said(self, names: Mapping[str, str]) -> dict[str, IcdAnswer]:
        """Another code than that of the nearest name where M does not match it, for texts that say a disease is past or of the family.

        "History of stroke" is near "family history of stroke". The first of these is taken: the best candidate whose title says the same of
        a disease that M matches ("old myocardial infarction"); the best whose title is the disease itself; the code of the disease alone; none.

        names : the name that each text was looked up by.
        """
        normalizer, index, k = self.m.providers.normalizer, self.index, self.chosen["k"]
        said = {text: normalizer.assertion(name) for text, name in names.items()}
        found = self._fitting([*names.values()], [*names.values()], max(k, CANDIDATES))
        candidates = {text: one.candidates for text, one in zip(names, found, strict=True)}
        titles = {one.name: normalizer.assertion(normalizer(one.name)) for some in candidates.values() for one in some}
        pairs = [*{(said[text].core, titles[one.name].core): 0 for text, some in candidates.items() for one in some}]
        with warnings.catch_warnings(action="ignore"):  # a disease that is not understood matches no title
            probability = self.m.probabilities([a for a, _ in pairs], [b for _, b in pairs])
        matching = {pair for pair, p in zip(pairs, probability.tolist(), strict=True) if p >= self.m.threshold}
        out: dict[str, IcdAnswer] = {}
        for text, one in said.items():
            fits = [
                each for status in (one.status, Status.PRESENT) for each in candidates[text]
                if titles[each.name].status == status and (one.core, titles[each.name].core) in matching
            ]  # fmt: skip
            if fits:
                others = (each for each in candidates[text] if each is not fits[0])
                out[text] = IcdAnswer(*fits[0][:2], NEAREST, fits[0].score, [fits[0], *others][:k])
            elif (alone := index.answers([one.core], k)[0]).icd10 is not None:
                out[text] = alone._replace(how=NEAREST)
            else:
                best = next((each.score for each in candidates[text]), None)
                out[text] = IcdAnswer(how=UNMAPPED, score=best, candidates=candidates[text][:k])
        return out

    def _picked(self, names: Sequence[str], progress: Progress | None) -> dict[str, IcdAnswer]:
        """A language model's picks for different names: those in the store, and those asked now."""
        picker = Picker.of(self.chosen)
        choices = Choices.of(names, self.index, self.chosen["k"], self.how.direct)
        job = Job(self.features.language_model(picker), picker.prompt, partial(choices.questions, picker))
        with VoteStore(self.asking.filled) as votes:
            ask(plan([job], votes), votes, self.asking.budget, progress)
            return dict(zip(names, choices.answers(picker, votes, names, self.index, self.chosen["k"]), strict=True))


_shipped = cache(load)
"""The match function that ships, opened once however many diagnoses are mapped one by one."""
