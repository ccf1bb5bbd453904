"""A feature set: the TOML file that names the columns of the feature table, in order."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..endpoints.endpoint import Endpoint, Price, endpoints_of, prices_of, read_services
from ..errors import InputError, quoted
from ..files.toml import read_toml, table_as, tables_of
from ..files.wording import hint
from ..terms.encoders import Encoder
from ..terms.encoders.declared import EncoderSpec
from ..terms.encoders.folders import is_hub_name
from ..terms.icd.naming import Naming
from ..terms.text.normalizer import LANGUAGES, Normalizer
from ..terms.text.vocabulary import Vocabulary
from ..votes.asking import LanguageModel
from ..votes.voters import IMPORTED, Picker, Voter, problem_of, with_prompt
from .providers import SENTENCE_TRANSFORMERS, SHIPPED, Providers, undeclared
from .registry import EXCLUDING, KINDS, REQUIRED

_TYPES = {str: "text", bool: "true or false", int: "a whole number", float: "a number", dict: "a table"}
_Column = Annotated[str, Meta(pattern=r"\A[A-Za-z_][A-Za-z0-9_]*\Z", description="letters, digits and _")]
_Tables = dict[str, Any]


class _SetFile(Struct):
    """The top of the file; its tables are checked one by one, so that errors name them."""

    feature: Annotated[
        list[dict[str, Any]], Meta(min_length=1, description="at least one [[feature]] with a name and a kind")
    ]
    name: str | None = None
    language: Literal[LANGUAGES] = "en"  # type: ignore[valid-type]
    encoder: Annotated[_Tables, Meta(description="tables [encoder.NAME]")] = {}
    endpoint: Annotated[_Tables, Meta(description="tables [endpoint.NAME]")] = {}
    price: Annotated[_Tables, Meta(description="tables [price.MODEL]")] = {}


@dataclass(frozen=True)
class FeatureSpec:
    """One column: its name, its kind, and the options of the kind with defaults filled in."""

    name: str
    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class FeatureSet:
    """Which columns, in what order, and the encoders that they name.

    endpoints, prices : where the set's models are served, and what they cost, by name of endpoint and of model.
    folders : where the models of declared encoders lie on this machine, by the encoder's name. One at /home/me/minilm is declared as
        "./minilm", which is no hub's name and opens nothing by itself.

    These three stay with the file: a trained model keeps none, so it can never say where a request goes or what is read.
    """

    name: str
    language: str
    features: tuple[FeatureSpec, ...]
    declared_encoders: Mapping[str, EncoderSpec] = field(default_factory=dict)
    endpoints: Mapping[str, Endpoint] = field(default_factory=dict, compare=False)
    prices: Mapping[str, Price] = field(default_factory=dict, compare=False)
    folders: Mapping[str, Path] = field(default_factory=dict, compare=False)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def encoders(self) -> tuple[str, ...]:
        """The encoders that the features name, each once."""
        return tuple(dict.fromkeys(f.options["encoder"] for f in self.features if "encoder" in f.options))

    def excludes(self, table: NDArray[np.float32], *kinds: str) -> NDArray[np.bool_]:
        """bool[m]: the rows of float32[m, f] that are no match, whatever else M finds, by one of these kinds of `EXCLUDING`, or by any."""
        decisive = [feature.kind in (kinds or EXCLUDING) for feature in self.features]
        return np.asarray((table[:, decisive] > 0).any(axis=1))

    @property
    def needs_graph(self) -> bool:
        """Whether a feature rests on the graph of diseases."""
        return any(feature.kind == "disease" for feature in self.features)

    @property
    def icd_source(self) -> str | None:
        """The ICD-10 of the first feature that has one; its codes, written as a diagnosis, stand for their titles."""
        return next((f.options["source"] for f in self.features if "source" in f.options), None)

    @property
    def asked(self) -> tuple[FeatureSpec, ...]:
        """The features whose values a language model was asked for: votes and picks."""
        return tuple(feature for feature in self.features if KINDS[feature.kind].asked)

    @property
    def to_ask(self) -> list[tuple[FeatureSpec, Voter | Picker]]:
        """Those of them that dxmatch asks for, which imported votes are not, and who is asked."""
        wanted = [feature for feature in self.asked if feature.options["prompt"] != IMPORTED]
        return [(one, (Picker if one.kind == "icd_pick" else Voter).of(one.options)) for one in wanted]

    @classmethod
    def read(cls, which: str | os.PathLike[str], endpoints: str | os.PathLike[str] | None = None) -> FeatureSet:
        """A built-in set by name ("offline", "paper17") or a TOML file by path.

        endpoints : as in `served_by`.

        Raises
        ------
        InputError
            A file that is absent or not TOML, an unknown key, kind, option, encoder or endpoint (with the nearest right
            word), two features of one name, a voter without an endpoint.
        """
        sets, source, place = resources.files(str(__package__)) / "sets", os.fspath(which), Path(which)
        known = sorted(p.name[:-5] for p in sets.iterdir() if p.name.endswith(".toml"))
        own = place.suffix == ".toml" and place.is_file()
        if source not in known and not own:
            allowed = f"{', '.join(known)}, or the path of a .toml file"
            raise InputError(f"no such feature set{hint(source, known)}", source=source, allowed=allowed)
        file, source = (place, source) if own else (sets / f"{source}.toml", f"{source}.toml")
        features = cls.from_dict(read_toml(file, source), source, folder=place.parent)
        if own:
            specs = dict(features.declared_encoders)
            folders = {name: folder for name, spec in specs.items() if (folder := spec.folder_beside(place.parent))}
            for name, folder in folders.items():
                specs[name] = msgspec.structs.replace(specs[name], model=f"./{folder.resolve().name}")
            features = replace(features, declared_encoders=specs, folders=folders)
        if endpoints is not None:
            features = features.served_by(endpoints)
        features.check_providers(source)
        return features

    def endpoint_of(self, model: str, endpoint: str) -> str:
        """The name of the endpoint that serves a voter's or picker's model: `[endpoint."MODEL"]` goes before what its entry names."""
        return model if model in self.endpoints else endpoint

    def language_model(self, who: Voter | Picker) -> LanguageModel:
        """The model of a vote or pick at the endpoint that serves it, with its parameters and price."""
        config = who.config
        endpoint = self.endpoints[self.endpoint_of(config.model, who.endpoint)]
        return LanguageModel(endpoint, config.model, json.loads(config.parameters), self.prices.get(config.model))

    def opens(self) -> list[str]:
        """A line for each encoder but the shipped one, with what the user must say for it to be opened."""
        specs = ((name, self.declared_encoders.get(name) or undeclared(name)) for name in self.encoders)
        return [f"Encoder {quoted(name)}: {spec.where()}." for name, spec in specs if spec]

    def served_by(self, path: str | os.PathLike[str]) -> FeatureSet:
        """The same columns; the tables of a TOML file go before the set's own. Raises `InputError` of `read_services`.

        An endpoint of the file that a vote or pick names goes before the set's table by the model's own name, too.
        """
        endpoints, prices = read_services(path)
        served = {feature.options["model"] for feature in self.asked if feature.options["endpoint"] in endpoints}
        own = {name: endpoint for name, endpoint in self.endpoints.items() if name not in served}
        return replace(self, endpoints={**own, **endpoints}, prices={**self.prices, **prices})

    def check_providers(self, source: str) -> None:
        """Raises `InputError` for a vote, pick or encoder whose endpoint is not given, a feature of an unknown encoder."""
        needed = {f"feature {one.name}": self.endpoint_of(who.config.model, who.endpoint) for one, who in self.to_ask}
        served = {f"encoder {e.name}": e.endpoint for e in self.declared_encoders.values() if e.endpoint is not None}
        for place, endpoint in {**needed, **served}.items():
            if endpoint not in self.endpoints:
                problem = f"{place} names no endpoint that is declared{hint(endpoint, self.endpoints)}"
                allowed = ", ".join(self.endpoints) or 'endpoint = "NAME", and a table [endpoint.NAME] with url = "…"'
                raise InputError(problem, source=source, allowed=allowed, got=endpoint)
        known = (SHIPPED, *self.declared_encoders)
        for feature in self.features:
            encoder = feature.options.get("encoder", SHIPPED)
            before, _, model = encoder.partition(SENTENCE_TRANSFORMERS)
            if encoder not in known and (before or not is_hub_name(model)):
                problem = f"feature {feature.name}: an unknown encoder{hint(encoder, known)}"
                allowed = f"{', '.join(known)}, {SENTENCE_TRANSFORMERS}NAME of the hub, or [encoder.NAME] for a folder"
                raise InputError(problem, source=source, allowed=allowed, got=encoder)

    @classmethod
    def from_dict(
        cls, parsed: Mapping[str, Any], source: str = "feature set", *, folder: Path | None = None
    ) -> FeatureSet:
        """From the parsed file, or from `to_dict`. Raises `InputError`; `source` names the file in it.

        folder : where prompts that it names as files are; without one it can name none.
        """
        file = table_as(_SetFile, parsed, source, "the set")
        features = tuple(_spec(entry, number, source, folder) for number, entry in enumerate(file.feature, start=1))
        names = [feature.name for feature in features]
        for name in names:
            if names.count(name) > 1:
                raise InputError("two features of one name", source=source, allowed="each name once", got=name)
        return cls(
            file.name or Path(source).stem,
            file.language,
            features,
            {n: EncoderSpec.from_table(n, t, source) for n, t in tables_of(parsed, "encoder", source).items()},
            endpoints_of(parsed, source),
            prices_of(parsed, source),
        )

    def without(self, names: Collection[str]) -> FeatureSet:
        """The set without some of its columns."""
        return replace(self, features=tuple(feature for feature in self.features if feature.name not in names))

    def open(
        self,
        normalizer: Normalizer,
        shipped: Encoder | None = None,
        *,
        vocabulary: Vocabulary | None = None,
        folders: Mapping[str, str | os.PathLike[str]] | None = None,
        **others: Any,
    ) -> Providers:
        """What stands behind the columns; `shipped` is the static encoder, where one of them names it.

        vocabulary : of the model's language; without one no slip is mended, and every text is understood.
        folders : go before the set's own. others : as in `Providers`.
        """
        at_hand = {} if shipped is None else {SHIPPED: shipped}
        naming, folders = Naming(normalizer, self.icd_source, vocabulary), {**self.folders, **(folders or {})}
        return Providers(naming, at_hand, declared=self.declared_encoders, folders=folders, **others)

    def to_dict(self) -> dict[str, Any]:
        """All that shapes a value, as `from_dict` reads it."""
        encoders = {name: spec.to_dict() for name, spec in self.declared_encoders.items() if name in self.encoders}
        return {
            "name": self.name,
            "language": self.language,
            "feature": [{"name": f.name, "kind": f.kind, **f.options} for f in self.features],
            **({"encoder": encoders} if encoders else {}),
        }


def _spec(entry: Mapping[str, Any], number: int, source: str, folder: Path | None) -> FeatureSpec:
    place, kind = f"feature {number} ({entry.get('name', 'unnamed')})", str(entry.get("kind", ""))
    if kind not in KINDS:
        problem = f"{place}: an unknown kind{hint(kind, KINDS)}"
        raise InputError(problem, source=source, allowed=", ".join(KINDS), got=entry.get("kind"))
    if KINDS[kind].asked and folder is not None:
        entry = with_prompt(entry, folder)
    options = msgspec.structs.asdict(table_as(_entry_of(kind), entry, source, place))
    name = options.pop("name")
    del options["kind"]
    if KINDS[kind].asked and (problem := problem_of(options)):
        raise InputError(f"{place}: {problem}", source=source)
    return FeatureSpec(name, kind, options)


@cache
def _entry_of(kind: str) -> type[Struct]:
    """A `[[feature]]` of the kind: each option has the type of its default, or is one of its choices."""
    fields: list[Any] = [("name", _Column), ("kind", str)]
    for option, default in KINDS[kind].options.items():
        plain = str if default is REQUIRED else type(default)
        choices = KINDS[kind].choices.get(option)
        wanted: Any = Literal[choices] if choices else Annotated[plain, Meta(description=_TYPES[plain])]
        fields.append((option, wanted) if default is REQUIRED else (option, wanted, default))
    return msgspec.defstruct(kind, fields, kw_only=True)
