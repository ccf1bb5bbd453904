"""From diagnoses to answers of ICD-10: the index of a preset, its nearest names, a language model's pick, and what is said of a disease."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, ModelError, OptionError, quoted, warn
from ..features.feature_set import FeatureSet
from ..features.providers import SENTENCE_TRANSFORMERS, SHIPPED
from ..files.wording import hint
from ..progress import Progress
from ..terms.encoders.declared import EncoderSpec
from ..terms.icd.index import NEAREST, UNMAPPED, IcdAnswer, IcdIndex
from ..terms.icd.naming import Codable
from ..terms.icd.search import CANDIDATES
from ..terms.text.assertion import Status
from ..terms.text.normalizer import normalize_checked
from ..votes.asking import Job, ask, plan
from ..votes.asking_options import Asking
from ..votes.prompts.files import prompt_of
from ..votes.voters import PICK_OPTIONS, Picker
from .icd_presets import IcdPreset, Preset, preset_of
from .match_function import MatchFunction, load

if TYPE_CHECKING:
    from ..votes.picks import Choices

ENDPOINT = "endpoint:"
"""What precedes NAME:MODEL to ask for an embedding model of an endpoint."""
_OF_OTHER_TIMES_AND_PEOPLE = (Status.PAST, Status.FAMILY)
_TOLD = (Status.POSSIBLE, *_OF_OTHER_TIMES_AND_PEOPLE, Status.NO_DISEASE)


@dataclass(frozen=True, kw_only=True)
class IcdMapper:
    """How diagnoses are mapped, as `icd`, its accuracy and an evaluation say it; the fields are as of `icd`, but for the tree.

    tree : the name or the path of one.

    Raises
    ------
    OptionError
        For a preset that puts every diagnosis to a language model, without one.
    """

    k: int | None = None
    tree: str | os.PathLike[str] | None = None
    preset: Preset = "default"
    pick: str | None = None
    matcher: MatchFunction | str | os.PathLike[str] | None = None
    asking: Asking = field(default_factory=Asking)

    def __post_init__(self) -> None:
        if self.pick is None and not self.how.direct:
            allowed = "a language model, since the preset asks about every diagnosis (direct=False)"
            raise OptionError("pick", allowed, None)

    @property
    def how(self) -> IcdPreset:
        """The preset itself."""
        return preset_of(self.preset)

    @cached_property
    def chosen(self) -> Mapping[str, Any]:
        """Each of source, encoder, k, distance and entries, and what else a pick says: as given, else as the pick has it, else as usual."""
        how, usual = self.how, PICK_OPTIONS if self.pick is None else self._of_pick(self.pick)
        given = {
            "source": self.tree, "k": self.k, "encoder": how.encoder, "distance": how.distance, "entries": how.entries,
        }  # fmt: skip
        return {**usual, **{name: value for name, value in given.items() if value is not None}}

    def _of_pick(self, pick: str) -> Mapping[str, Any]:
        """What a pick says: a feature by its name or its model, or any model as ENDPOINT:MODEL. Errors: `InputError` for neither."""
        pickers = [feature for feature in self.features.asked if feature.kind == "icd_pick"]
        said = [feature.options for feature in pickers if pick in (feature.name, feature.options["model"])]
        endpoint, _, model = pick.partition(":")
        if model.strip() and endpoint in self.features.endpoints:
            said.append({**PICK_OPTIONS, "model": model, "endpoint": endpoint})
        if not said:
            known = [word for feature in pickers for word in (feature.name, feature.options["model"])]
            forms = [*known, "ENDPOINT:MODEL with an endpoint of the option 'endpoints'"]
            problem = f"no such ICD pick{hint(pick, known)}"
            raise InputError(problem, source=self.features.name, allowed=", ".join(forms), got=pick)
        if self.how.prompt is None:
            return said[0]
        prompt = prompt_of("pick", self.how.prompt)
        return {**said[0], "prompt": prompt.version, "prompt_text": prompt.file_text}

    @cached_property
    def features(self) -> FeatureSet:
        """The feature set that declares picks and encoders, with the user's endpoints."""
        return FeatureSet.read(self.how.features, self.asking.endpoints)

    @property
    def source(self) -> str:
        """The tree of ICD-10."""
        return os.fspath(self.chosen["source"])

    @cached_property
    def m(self) -> MatchFunction:
        """The match function. Raises `ModelError` for one without an encoder of its own."""
        m = self.matcher if isinstance(self.matcher, MatchFunction) else load(self.matcher)
        if SHIPPED not in m.providers.encoders:
            raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot map to ICD-10.")
        return m

    @cached_property
    def index(self) -> IcdIndex:
        """ICD-10's names under the encoder."""
        providers, encoder = self.m.providers, self.chosen["encoder"]
        if self.pick is not None or encoder != SHIPPED:
            set_ = _declaring(self.features, encoder)
            providers = set_.open(
                providers.normalizer, providers.encoders[SHIPPED], endpoints=set_.endpoints,
                allow_download=self.how.allow_download,
                # a pick is among ICD-10's own names, as those of the features are
                graph=providers.graph if self.pick is None else None,
            )  # fmt: skip
        distance, entries = self.chosen["distance"], self.chosen["entries"]
        return providers.icd_index(self.source, encoder, distance, entries, self.how.sections)

    @property
    def settings(self) -> dict[str, Any]:
        """How the mapping is made: edition, encoder (its identity), k, pick, distance, entries, sections, with a pick also direct."""
        chosen, index = self.chosen, self.index
        made = {"edition": index.tree.source, "encoder": index.encoder.identity, "k": chosen["k"], "pick": self.pick}
        made |= {"distance": chosen["distance"], "entries": chosen["entries"], "sections": self.how.sections}
        return made if self.pick is None else {**made, "direct": self.how.direct}

    def answers(
        self,
        texts: Iterable[str],
        place: Callable[[str], Mapping[str, Any]] = lambda text: {},
        progress: Progress | None = None,
    ) -> dict[str, IcdAnswer]:
        """The answer for each different text. Warns of what is said beside a diagnosis.

        place : where a text stands, for errors.

        Raises
        ------
        InputError
            For a text without a letter or digit, or that is too long.
        """
        normalizer, k, read = self.m.providers.normalizer, self.chosen["k"], dict[str, Codable]()
        for text in dict.fromkeys(texts):
            try:
                # a language model is asked about what was written
                written = None if self.pick is None else Codable(normalize_checked(normalizer, [text])[0], None)
                read[text] = written or self.m.providers.naming.to_code(text)
            except InputError as error:
                raise InputError(error.problem, allowed=error.allowed, got=text, **place(text)) from error
        names = list(dict.fromkeys(one.name for one in read.values()))
        found = self.index.answers(names, k) if self.pick is None else self._picked(names, progress)
        of_name = dict(zip(names, found, strict=True))
        answers = {text: of_name[one.name] for text, one in read.items()}
        if self.pick is not None:
            return answers
        for text, one in read.items():
            if one.no_code is not None and not self.m.judge_all:
                answers[text] = IcdAnswer(None, None, UNMAPPED, None, answers[text].candidates)
        said = {text: normalizer.assertion(one.name) for text, one in read.items()}
        if told := [text for text, one in said.items() if one.status in _TOLD]:
            are, first = "is" if len(told) == 1 else "are", f"{quoted(told[0])}, {said[told[0]].status}"
            warn(
                f"{len(told):,} of {len(said):,} diagnoses {are} said to be possible, past, or not the patient's own ({first}): the code is "
                "of the disease that is named, or of the nearest title, and may not hold what is said."
            )
        nearest = {text: read[text].name for text, one in answers.items() if one.how == NEAREST}
        other = {text: name for text, name in nearest.items() if said[text].status in _OF_OTHER_TIMES_AND_PEOPLE}
        return answers | self._as_said(other) if other and not self.m.rests_on_votes else answers

    def _as_said(self, names: Mapping[str, str]) -> dict[str, IcdAnswer]:
        """Another code than that of the nearest name where M does not match it, for texts that say a disease is past or of the family.

        "History of stroke" is near "family history of stroke". The first of these is taken: the best candidate whose title says the same of
        a disease that M matches ("old myocardial infarction"); the best whose title is the disease itself; the code of the disease alone; none.

        names : the name that each text was looked up by.
        """
        normalizer, index, k = self.m.providers.normalizer, self.index, self.chosen["k"]
        said = {text: normalizer.assertion(name) for text, name in names.items()}
        cores = list(dict.fromkeys(one.core for one in said.values()))
        of_core = dict(zip(cores, index.answers(cores, k), strict=True))
        found = index.answers(list(names.values()), max(k, CANDIDATES))
        candidates = {text: one.candidates for text, one in zip(names, found, strict=True)}
        titles = {one.name: normalizer.assertion(normalizer(one.name)) for some in candidates.values() for one in some}
        cores_of = {text: {titles[one.name].core: None for one in candidates[text]} for text in said}
        pairs = list(dict.fromkeys((said[text].core, core) for text, found in cores_of.items() for core in found))
        with warnings.catch_warnings(action="ignore"):  # a disease that is not understood matches no title
            probability = self.m.probabilities([a for a, _ in pairs], [b for _, b in pairs])
        matching = {pair for pair, p in zip(pairs, probability.tolist(), strict=True) if p >= self.m.threshold}
        out: dict[str, IcdAnswer] = {}
        for text, one in said.items():
            of_disease = [each for each in candidates[text] if (one.core, titles[each.name].core) in matching]
            alike, present = (
                [each for each in of_disease if titles[each.name].status == status]
                for status in (one.status, Status.PRESENT)
            )
            if fits := [*alike, *present]:
                others = [each for each in candidates[text] if each is not fits[0]]
                out[text] = IcdAnswer(*fits[0][:2], NEAREST, fits[0].score, [fits[0], *others][:k])
            elif of_core[one.core].icd10 is not None:
                out[text] = of_core[one.core]._replace(how=NEAREST)
            else:
                out[text] = IcdAnswer(None, None, UNMAPPED, candidates[text][0].score, candidates[text][:k])
        return out

    def _picked(self, names: Sequence[str], progress: Progress | None) -> list[IcdAnswer]:
        """A language model's picks: those in the store, and those asked now."""
        from ..votes.picks import picked_answers
        from ..votes.store.store import VoteStore

        picker = Picker.of(self.chosen)
        with VoteStore(self.asking.filled) as votes:

            def asked(choices: Choices) -> None:
                job = Job(self.features.language_model(picker), picker.prompt, partial(choices.questions, picker))
                ask(plan([job], votes), votes, self.asking.budget, progress)

            return picked_answers(names, self.index, self.chosen["k"], picker, votes, asked, self.how.direct)


def _declaring(features: FeatureSet, encoder: str) -> FeatureSet:
    """The same set, which knows an encoder of the form "endpoint:NAME:MODEL", too, or "sentence-transformers:FOLDER".

    Errors: `OptionError` for a word that is none of the forms, and for an endpoint that the set lacks.
    """
    known = (SHIPPED, *features.declared_encoders)
    if encoder in known:
        return features
    if encoder.startswith(SENTENCE_TRANSFORMERS):
        spec = EncoderSpec(encoder, encoder.removeprefix(SENTENCE_TRANSFORMERS))
        beside = {} if (folder := spec.folder_beside(Path())) is None else {encoder: folder}
        declared = {**features.declared_encoders, encoder: spec}
        return replace(features, declared_encoders=declared, folders={**features.folders, **beside})
    endpoint, _, model = encoder.removeprefix(ENDPOINT).partition(":")
    if not encoder.startswith(ENDPOINT) or not model.strip() or endpoint not in features.endpoints:
        served = f"an endpoint of the option 'endpoints' ({', '.join(features.endpoints) or 'none'})"
        others = f"one of {', '.join(known)}{hint(encoder, known)}"
        allowed = f"{SENTENCE_TRANSFORMERS}NAME, {ENDPOINT}NAME:MODEL with {served}, or {others}"
        raise OptionError("encoder", allowed, encoder)
    spec = EncoderSpec(encoder, model, endpoint)
    return replace(features, declared_encoders={**features.declared_encoders, encoder: spec})
