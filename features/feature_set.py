"""A feature set: the TOML file that names the columns of the feature table, in order."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from .errors import InputError
from .registry import KINDS, REQUIRED
from .text import LANGUAGES


@dataclass(frozen=True)
class FeatureSpec:
    """One column: its name, its kind, and the options of the kind with defaults filled in."""

    name: str
    kind: str
    options: Mapping[str, Any]


@dataclass(frozen=True)
class FeatureSet:
    name: str
    language: str
    features: tuple[FeatureSpec, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(feature.name for feature in self.features)

    @property
    def encoders(self) -> tuple[str, ...]:
        """The encoders that the features name, each once."""
        return tuple(dict.fromkeys(f.options["encoder"] for f in self.features if "encoder" in f.options))

    @property
    def icd_source(self) -> str | None:
        """The ICD-10 of the first feature that has one; its codes, written as a diagnosis, stand for their titles."""
        return next((f.options["source"] for f in self.features if "source" in f.options), None)

    @classmethod
    def read(cls, which: str | os.PathLike[str]) -> FeatureSet:
        """A built-in set by name ("offline") or a TOML file by path.

        Errors: `InputError` for a file that is absent or not TOML, an unknown key, kind or option (with the nearest
        right word), two features of one name.
        """
        sets = resources.files(str(__package__)) / "sets"
        builtin = sets / f"{os.fspath(which)}.toml"
        known = sorted(p.name[:-5] for p in sets.iterdir() if p.name.endswith(".toml"))
        if os.fspath(which) in known:
            source, text = f"{os.fspath(which)}.toml", builtin.read_text("utf-8")
        elif Path(which).suffix == ".toml" and Path(which).is_file():
            source = os.fspath(which)
            try:
                text = Path(which).read_text("utf-8")
            except UnicodeDecodeError:
                raise InputError("text that is not UTF-8", source=source) from None
        else:
            raise InputError(
                "no such feature set",
                source=os.fspath(which),
                allowed=f"{', '.join(known)}, or the path of a .toml file",
            )
        try:
            parsed = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"not TOML ({error})", source=source) from None
        return cls.from_dict(parsed, source)

    @classmethod
    def from_dict(cls, parsed: Mapping[str, Any], source: str = "feature set") -> FeatureSet:
        _check_keys(parsed, ("name", "language", "feature"), source, "the set")
        language = parsed.get("language", "en")
        if language not in LANGUAGES:
            raise InputError("an unknown language", source=source, allowed=", ".join(LANGUAGES), got=language)
        entries = parsed.get("feature", [])
        if not isinstance(entries, list) or not entries or not all(isinstance(entry, Mapping) for entry in entries):
            raise InputError("no features", source=source, allowed="at least one [[feature]] with a name and a kind")
        features = tuple(_spec(entry, number, source) for number, entry in enumerate(entries, start=1))
        names = [feature.name for feature in features]
        for name in names:
            if names.count(name) > 1:
                raise InputError("two features of one name", source=source, allowed="each name once", got=name)
        return cls(str(parsed.get("name", Path(source).stem)), language, features)

    def to_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "language": self.language,
            "feature": [{"name": f.name, "kind": f.kind, **f.options} for f in self.features],
        }


def _spec(entry: Mapping[str, Any], number: int, source: str) -> FeatureSpec:
    place = f"feature {number} ({entry.get('name', 'unnamed')})"
    for key in ("name", "kind"):
        if not isinstance(entry.get(key), str) or not entry[key]:
            raise InputError(f"{place} has no {key}", source=source, allowed=f'{key} = "…"', got=entry.get(key))
    if not (entry["name"].isidentifier() and entry["name"].isascii()):
        raise InputError(
            f"{place}: a name that cannot be a column",
            source=source,
            allowed="letters, digits and _",
            got=entry["name"],
        )
    if entry["kind"] not in KINDS:
        raise InputError(
            f"{place}: an unknown kind{_hint(entry['kind'], KINDS)}",
            source=source,
            allowed=", ".join(KINDS),
            got=entry["kind"],
        )
    kind = KINDS[entry["kind"]]
    _check_keys(entry, ("name", "kind", *kind.options), source, place)
    options = {}
    for option, default in kind.options.items():
        value = entry.get(option, default)
        if value is REQUIRED:
            raise InputError(f"{place}: the option {option!r} is missing", source=source, allowed=f"{option} = …")
        if not isinstance(value, str):
            raise InputError(f"{place}: the option {option!r} is not text", source=source, allowed="text", got=value)
        allowed = kind.choices.get(option)
        if allowed and value not in allowed:
            raise InputError(
                f"{place}: an unknown {option}{_hint(value, allowed)}",
                source=source,
                allowed=", ".join(allowed),
                got=value,
            )
        options[option] = value
    return FeatureSpec(entry["name"], kind.name, options)


def _hint(word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f"; did you mean {near[0]!r}?" if near else ""


def _check_keys(given: Mapping[str, Any], allowed: tuple[str, ...], source: str, place: str) -> None:
    for key in given:
        if key not in allowed:
            raise InputError(
                f"{place}: an unknown key{_hint(key, allowed)}", source=source, allowed=", ".join(allowed), got=key
            )
