from __future__ import annotations

import hashlib
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from dxmatch.errors import ModelError
from dxmatch.models import manifest as manifest_file
from dxmatch.models.ensemble import Combination

from ..small_model import signed

HASH = "a" * 64
FILES = {"trees/0.txt": HASH, "trees/1.txt": HASH, "CARD.md": HASH}


@pytest.fixture
def content(manifest):
    return manifest_file.write(replace(manifest, files=FILES), "m")


def read(value: dict):
    """The manifest of a model.json whose own hash fits, whatever else it holds."""
    return manifest_file.read(signed(json.dumps({**value, "sha256": "0" * 64}).encode()), "m")


def test_round_trip(manifest, content):
    again = manifest_file.read(content, "m")
    assert again == replace(manifest, files=FILES)
    assert manifest_file.write(again, "m") == content
    assert json.loads(content)["features"][0] == {"name": "icd_nearest", "type": "float32"}
    assert "café" in content.decode("utf-8")


def test_its_own_hash_is_of_its_bytes_with_zeros(content):
    stated = json.loads(content)["sha256"]
    assert hashlib.sha256(content.replace(stated.encode(), b"0" * 64)).hexdigest() == stated


@pytest.mark.parametrize(
    ("ensemble", "written"),
    [
        (Combination("mean_raw"), "mean_raw"),
        (Combination("mean_probability"), "mean_probability"),
        (Combination("mean_probability", (1, 0.5)), {"kind": "mean_probability", "weights": [1.0, 0.5]}),
    ],
)
def test_how_the_members_are_combined(manifest, ensemble, written):
    content = manifest_file.write(replace(manifest, files=FILES, ensemble=ensemble), "m")
    assert json.loads(content)["ensemble"] == written
    assert manifest_file.read(content, "m").ensemble == ensemble


def test_every_changed_byte_is_found(content):
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        with pytest.raises(ModelError):
            manifest_file.read(bytes(changed), "m")
    for blank in (content + b" ", content.replace(b'"small"', b' "small"'), content[:-1]):
        with pytest.raises(ModelError, match=r"m: changed since it was written: SHA-256 [0-9a-f]{12}…, where it says "):
            manifest_file.read(blank, "m")


def nested(levels: int) -> dict:
    value: dict = {}
    for _ in range(levels):
        value = {"a": value}
    return value


CASES = [
    ({"format": 2}, "m, format: a format that this release does not read. Allowed: 1. Got: 2."),
    ({"format": "1"}, "m, format: a format"),
    ({"format": True}, "m, format: a format"),
    ({"treshold": 0.5}, "m: unknown keys 'treshold'. Allowed: format, name, "),
    ({"name": ""}, "m, name: not usable"),
    ({"name": "a\x1b[31m"}, "m, name: not usable"),
    ({"name": "\ud800"}, "m, name: half of a character"),
    ({"created": "31.01.2025"}, "m, created: not usable. Allowed: a date such as \"2025-01-31\". Got: '31.01.2025'."),
    ({"created": "2025-02-30"}, "m, created: not usable"),
    ({"dxmatch": None}, "m, dxmatch: not usable"),
    ({"features": []}, "m, features: not usable"),
    ({"features": [{"name": "a", "type": "int8"}]}, "m, features: not usable"),
    ({"features": [{"name": "a", "type": "float32"}] * 2}, "m, features: not usable"),
    ({"features": [{"name": "a b", "type": "float32"}]}, "m, features: not usable"),
    ({"features": [{"name": "a", "type": "float32", "x": 1}]}, "m, features: not usable"),
    ({"feature_set": "offline"}, "m, feature_set: not usable"),
    ({"normalizer": {"version": "1", "language": "en"}}, "m, normalizer: not usable"),
    ({"normalizer": {"version": "1", "language": "en", "abbreviations": {"a": 1}}}, "m, normalizer: not usable"),
    ({"calibration": {"kind": "isotonic"}}, "m, calibration: no known calibration"),
    ({"calibration": {"kind": "sigmoid", "slope": 0, "intercept": 0}}, "m, calibration, slope: not usable"),
    ({"threshold": 0.0}, "m, threshold: not usable. Allowed: a number above 0 and below 1. Got: 0.0."),
    ({"threshold": 1.0}, "m, threshold: not usable"),
    ({"threshold": True}, "m, threshold: not usable"),
    ({"threshold_rule": " "}, "m, threshold_rule: not usable"),
    ({"encoders": ["shipped"]}, "m, encoders: not usable"),
    ({"libraries": {"numpy": 2}}, "m, libraries: not usable"),
    ({"data": {"sha256": HASH, "rows": 5}}, "m, data: not usable"),
    ({"data": {"sha256": HASH, "rows": 5, "groups": 6}}, "m, data: not usable"),
    ({"data": {"sha256": HASH, "rows": 5.0, "groups": 1}}, "m, data: not usable"),
    ({"data": {"sha256": "A" * 64, "rows": 5, "groups": 1}}, "m, data: not usable"),
    ({"metrics": [1]}, "m, metrics: not usable"),
    ({"metrics": {"ap": 10**19}}, "m, metrics, ap: not plain JSON"),
    ({"metrics": {"a\nb": 1}}, "m, metrics: a key that is not text"),
    ({"metrics": nested(40)}, "nested too deep. Allowed: at most 32 levels"),
    ({"ensemble": "median"}, 'm, ensemble: unknown. Allowed: one of "mean_raw", "mean_probability", or {'),
    ({"ensemble": {"kind": "mean_raw"}}, "m, ensemble: unknown"),
    ({"ensemble": {"kind": "mean_raw", "weights": [1, 1], "x": 0}}, "m, ensemble: unknown"),
    ({"ensemble": {"kind": "mean_raw", "weights": []}}, "m, ensemble, weights: not usable"),
    (
        {"ensemble": {"kind": "mean_raw", "weights": [1, 0]}},
        "m, ensemble, weights: not usable. Allowed: numbers in (0, ",
    ),
    ({"ensemble": {"kind": "mean_raw", "weights": [1, True]}}, "m, ensemble, weights: not usable"),
    ({"ensemble": {"kind": "mean_raw", "weights": [1, 1e7]}}, "m, ensemble, weights: not usable"),
    (
        {"ensemble": {"kind": "mean_raw", "weights": [1]}},
        "m, ensemble, weights: not one a member. Allowed: 2 numbers. Got: 1.",
    ),
    ({"files": {"trees/0.txt": "abc"}}, "m, files: not usable"),
    ({"files": {"CARD.md": HASH}}, "m, files: the members' files are not complete"),
    ({"files": {"trees/1.txt": HASH}}, "m, files: the members' files are not complete"),
    ({"files": {"trees/00.txt": HASH}}, "m, files: a path that no model folder has"),
    ({"files": {"trees/0.txt": HASH, "encoder/encoder.json": HASH}}, "m, files: half of an encoder"),
]


@pytest.mark.parametrize(("change", "message"), CASES, ids=[c[1][:50] for c in CASES])
def test_what_is_refused(content, change, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        read({**json.loads(content), **change})


@pytest.mark.parametrize("key", ["name", "features", "threshold", "files", "ensemble"])
def test_a_missing_key(content, key):
    value = json.loads(content)
    del value[key]
    with pytest.raises(ModelError, match=f"m: missing keys '{key}'"):
        read(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "m: not JSON"),
        (b"[1]", "m: not a JSON object"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "m: not JSON (a key given twice: 'c')"),
        (b'{"a": NaN}', "m: not JSON (NaN is no JSON number)"),
        (b'{"a": -Infinity}', "m: not JSON (-Infinity is no JSON number)"),
        (b'{"a": 1e999}', "m, a: a number that is not finite"),
        (b'{"a": ' + b"9" * 5000 + b"}", "m: not JSON"),
        (b'{"a": "\xff"}', "m: not UTF-8 at byte 7"),
        (b'\xef\xbb\xbf{"a": 1}', "m: not JSON"),
        (b'{"a": "\\ud800"}', "m, a: half of a character"),
        (b'{"a":' * 100_000, "m: nested too deep"),
        (b"[" * 2_000_000, "m: nested too deep"),
        (b'{"a":' * 40 + b"1" + b"}" * 40, "nested too deep"),
        (b"\x80\x04\x95", "m: this is a pickle; dxmatch never opens one"),
    ],
    ids=range(14),
)
def test_strict_json(text, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        manifest_file.parse_json(text, "m")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metrics": {"ap": float("nan")}}, "m, metrics, ap: a number that is not finite"),
        ({"metrics": {"n": np.int64(3)}}, "m, metrics, n: not plain JSON"),
        ({"metrics": {1: 2}}, "m, metrics: a key that is not text"),
        ({"threshold": 2.0}, "m, threshold: not usable"),
        ({"feature_names": ("a", "a")}, "m, features: not usable"),
        ({"name": "\udc80"}, "m, name: half of a character"),
        ({"files": {"../x": HASH, "trees/0.txt": HASH}}, "m, files: a path that no model folder has"),
    ],
)
def test_nothing_is_written_that_would_not_be_read(manifest, change, message):
    with pytest.raises(ModelError, match=re.escape(message)):
        manifest_file.write(replace(manifest, **{"files": FILES, **change}), "m")


def test_numpy_floats_and_tuples_are_written_as_numbers_and_lists(manifest):
    content = manifest_file.write(replace(manifest, files=FILES, metrics={"ci": (np.float64(0.25), 0.5)}), "m")
    assert manifest_file.read(content, "m").metrics == {"ci": [0.25, 0.5]}
