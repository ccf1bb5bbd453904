"""model.json: what a model folder says of itself, and the checks that nothing else gets through.

The last key, `sha256`, is the hash of the file's own bytes with these 64 digits set to zeros. So the file is as closed
to later changes as the files whose hashes it lists.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import Any

from .calibration import Sigmoid
from .ensemble import MEAN_RAW, Combination
from .trees.refusal import refusal
from .trees.text import FEATURE_NAME

FORMAT = 1
MAX_FEATURES = 1_000
MAX_MEMBERS = 100
KEPT_ENCODER = re.compile(r"encoders/([0-9]|[1-9][0-9])/(?:\w[\w.-]*/){0,4}\w[\w.-]*", re.ASCII)
"""No path that climbs, is hidden or absolute."""
ENCODER_FILES = ("encoder/encoder.json", "encoder/encoder.safetensors")
DISEASES = "diseases/diseases.safetensors"
CARD = "CARD.md"

_MAX_DEPTH = 32
_HASH = re.compile(r"[0-9a-f]{64}")
_ZEROS = b"0" * 64
RELATION_TREES = re.compile(r"relation/([a-z][a-z-]*)-(0|[1-9][0-9]*)\.txt")
"""Trees of a head of the relation model, by head and number."""
_TREES = re.compile(r"trees/(0|[1-9][0-9]*)\.txt")


@dataclass(frozen=True)
class Manifest:
    """The facts about a model. Checked when it is saved and when it is loaded, by the same rules.

    name : text. created : "2025-01-31". dxmatch : the release that wrote it.
    feature_names : the columns that the trees read, in order, all float32; NaN is a missing value.
    feature_set : the parsed TOML of the set. normalizer : {"version", "language", "abbreviations"}.
    calibration, threshold (in (0, 1)), threshold_rule (text): from raw log-odds to a decision.
    encoders : {name in the feature set: identity} of the encoders that the features were computed with.
    libraries : {name: version} at training. data : {"sha256", "rows", "groups", …} of the training pairs.
    metrics : free, plain JSON. ensemble : how the members' raw log-odds become one.
    relation : what `RelationModel.to_json` gives; None for a model without one, and then absent from the file.
    files : {path: SHA-256} of every other file of the folder; filled in by `folder.save`.
    """

    name: str
    created: str
    dxmatch: str
    feature_names: tuple[str, ...]
    feature_set: dict[str, Any]
    normalizer: dict[str, Any]
    calibration: Sigmoid
    threshold: float
    threshold_rule: str
    encoders: dict[str, str]
    libraries: dict[str, str]
    data: dict[str, Any]
    metrics: dict[str, Any]
    ensemble: Combination = MEAN_RAW
    relation: dict[str, Any] | None = None
    files: dict[str, str] = field(default_factory=dict)


_KEYS = ("format", *("features" if f.name == "feature_names" else f.name for f in fields(Manifest)), "sha256")


def write(manifest: Manifest, place: str) -> bytes:
    """The bytes of model.json. Errors: `ModelError` for a manifest that `read` would refuse."""
    value = {f.name: getattr(manifest, f.name) for f in fields(Manifest)}
    keys = [key for key in _KEYS if key != "relation" or manifest.relation is not None]
    value["features"] = [{"name": name, "type": "float32"} for name in value.pop("feature_names")]
    value["calibration"] = manifest.calibration.to_json()
    value["ensemble"] = manifest.ensemble.to_json()
    value = _plain({"format": FORMAT, **value, "sha256": _ZEROS.decode()}, place)
    content = (json.dumps({key: value[key] for key in keys}, indent=1, ensure_ascii=False) + "\n").encode()
    start, _, end = content.rpartition(_ZEROS)
    content = start + hashlib.sha256(content).hexdigest().encode() + end
    read(content, place)
    return content


def read(content: bytes, place: str) -> Manifest:
    """The manifest in the bytes of a model.json.

    Errors: `ModelError` for bytes that are no JSON object, another format, an own hash that differs, an unknown or a
    missing key, a value of another type or out of range.
    """
    value = parse_json(content, place)
    if type(value.get("format")) is not int or value["format"] != FORMAT:
        raise refusal(
            f"{place}, format", "a format that this release does not read", allowed=str(FORMAT), got=value.get("format")
        )
    _check_own_hash(content, value.get("sha256"), place)
    if unknown := sorted(value.keys() - set(_KEYS)):
        raise refusal(place, f"unknown keys {', '.join(map(repr, unknown))}", allowed=", ".join(_KEYS))
    value.setdefault("relation", None)
    if missing := [key for key in _KEYS if key not in value]:
        raise refusal(place, f"missing keys {', '.join(map(repr, missing))}", allowed=", ".join(_KEYS))
    for key, (allowed, right) in _RULES.items():
        if not right(value[key]):
            raise refusal(f"{place}, {key}", "not usable", allowed=allowed, got=value[key])
    members = _check_paths(set(value["files"]), f"{place}, files")
    ensemble = Combination.from_json(value["ensemble"], place)
    if ensemble.weights is not None and len(ensemble.weights) != members:
        raise refusal(
            f"{place}, ensemble, weights", "not one a member", allowed=f"{members} numbers", got=len(ensemble.weights)
        )
    facts = {key: value[key] for key in _KEYS if key not in ("format", "sha256", "features", "calibration", "ensemble")}
    return Manifest(
        **{**facts, "threshold": float(facts["threshold"])},
        feature_names=tuple(feature["name"] for feature in value["features"]),
        calibration=Sigmoid.from_json(value["calibration"], place),
        ensemble=ensemble,
    )


def parse_json(content: bytes, place: str) -> dict[str, Any]:
    """A JSON object, read strictly: UTF-8, each key once, no NaN or Infinity, at most 32 levels deep.

    Errors: `ModelError`.
    """
    if content[:1] == b"\x80":
        raise refusal(place, "this is a pickle; dxmatch never opens one", allowed="a JSON object")
    try:
        value = json.loads(content.decode("utf-8"), object_pairs_hook=_each_key_once, parse_constant=_no_constant)
    except RecursionError:
        raise refusal(place, "nested too deep", allowed=f"at most {_MAX_DEPTH} levels") from None
    except UnicodeDecodeError as error:
        raise refusal(place, f"not UTF-8 at byte {error.start}", allowed="a JSON object in UTF-8") from None
    except ValueError as error:
        raise refusal(place, f"not JSON ({error})", allowed="a JSON object") from None
    if not isinstance(value, dict):
        raise refusal(place, "not a JSON object", allowed="{…}", got=value)
    return _plain(value, place)


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"a key given twice: {sorted({key for key in keys if keys.count(key) > 1})[0]!r}")
    return found


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def _plain(value: Any, place: str, level: int = 0) -> Any:
    """`value` as JSON gives it back, or a refusal that names the spot."""
    if level > _MAX_DEPTH:
        raise refusal(place, "nested too deep", allowed=f"at most {_MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str) or not key.isprintable():
                raise refusal(place, "a key that is not text", allowed="text on one line", got=key)
        return {key: _plain(item, f"{place}, {key}", level + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}[{index}]", level + 1) for index, item in enumerate(value)]
    if isinstance(value, str):
        if any("\ud800" <= c <= "\udfff" for c in value):
            raise refusal(place, "half of a character", allowed="whole Unicode characters", got=value)
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise refusal(place, "a number that is not finite", allowed="a finite number, or null", got=value)
        return float(value)
    if value is None or isinstance(value, bool) or (isinstance(value, int) and abs(value) < 2**63):
        return value
    raise refusal(
        place, "not plain JSON", allowed="text, true, false, null, numbers below 2^63, lists, objects", got=value
    )


def _check_own_hash(content: bytes, stated: Any, place: str) -> None:
    if not isinstance(stated, str) or not _HASH.fullmatch(stated):
        raise refusal(f"{place}, sha256", "not a hash", allowed="64 hexadecimal digits", got=stated)
    start, _, end = content.rpartition(stated.encode())
    found = hashlib.sha256(start + _ZEROS + end).hexdigest()
    if found != stated:
        raise refusal(place, f"changed since it was written: SHA-256 {found[:12]}…, where it says {stated[:12]}…")


def _is_text(value: Any) -> bool:
    if not isinstance(value, str) or len(value) > 10_000:
        return False
    return value.strip() != "" and value.replace("\n", " ").isprintable()


def _is_name(value: Any) -> bool:
    return _is_text(value) and len(value) <= 200 and value.isprintable()


def _is_date(value: Any) -> bool:
    try:
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value) is not None and bool(date.fromisoformat(value))
    except (TypeError, ValueError):
        return False


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())


def _is_normalizer(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"version", "language", "abbreviations"}
        and _is_name(value["version"])
        and _is_name(value["language"])
        and _is_texts(value["abbreviations"])
    )


def _is_features(value: Any) -> bool:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_FEATURES:
        return False
    if not all(isinstance(f, dict) and f.keys() == {"name", "type"} and f["type"] == "float32" for f in value):
        return False
    names = [f["name"] for f in value]
    return all(isinstance(n, str) and FEATURE_NAME.fullmatch(n) for n in names) and len(set(names)) == len(names)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_data(value: Any) -> bool:
    if not isinstance(value, dict) or not {"sha256", "rows", "groups"} <= value.keys():
        return False
    is_hash = isinstance(value["sha256"], str) and _HASH.fullmatch(value["sha256"]) is not None
    return is_hash and _is_count(value["rows"]) and _is_count(value["groups"]) and value["groups"] <= value["rows"]


def _is_hashes(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(h, str) and _HASH.fullmatch(h) for h in value.values())


def _check_paths(paths: set[str], place: str) -> int:
    """The number of members. The layout is closed: no path can climb out of the folder, be absolute, or name a file of another kind."""
    layout = f"trees/0.txt, trees/1.txt, …; {' and '.join(ENCODER_FILES)}, both or none; {DISEASES}; relation/same-0.txt, …; encoders/0/…; {CARD}"
    members = {path for path in paths if _TREES.fullmatch(path)}
    heads = {path for path in paths if RELATION_TREES.fullmatch(path)}
    for path in sorted(paths - members - heads - {CARD, DISEASES, *ENCODER_FILES}):
        if KEPT_ENCODER.fullmatch(path):
            continue
        raise refusal(place, "a path that no model folder has", allowed=layout, got=path)
    if not 1 <= len(members) <= MAX_MEMBERS or members != {f"trees/{number}.txt" for number in range(len(members))}:
        allowed = f"1 to {MAX_MEMBERS} members, numbered from trees/0.txt without a gap"
        raise refusal(place, "the members' files are not complete", allowed=allowed, got=sorted(members))
    if len(paths & set(ENCODER_FILES)) == 1:
        raise refusal(place, "half of an encoder", allowed=layout, got=sorted(paths & set(ENCODER_FILES)))
    return len(members)


# What each key may hold: in words, and as a check.
_RULES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("text of at most 200 characters on one line", _is_name),
    "created": ('a date such as "2025-01-31"', _is_date),
    "dxmatch": ("the release of dxmatch", _is_name),
    "features": ('[{"name": …, "type": "float32"}, …], each name once, of letters, digits, _ . -', _is_features),
    "feature_set": ("an object", lambda value: isinstance(value, dict)),
    "normalizer": ('{"version": …, "language": …, "abbreviations": {…}}', _is_normalizer),
    "calibration": ("an object", lambda value: isinstance(value, dict)),
    "threshold": ("a number above 0 and below 1", lambda value: isinstance(value, float) and 0 < value < 1),
    "threshold_rule": ("text", _is_text),
    "encoders": ("{name: identity}", _is_texts),
    "libraries": ("{name: version}", _is_texts),
    "data": ('{"sha256": 64 hexadecimal digits, "rows": …, "groups": …, …}, 1 <= groups <= rows', _is_data),
    "metrics": ("an object", lambda value: isinstance(value, dict)),
    "relation": ("an object, or null", lambda value: value is None or isinstance(value, dict)),
    "files": ("{path: SHA-256, 64 hexadecimal digits}", _is_hashes),
}
