"""The compose file serves what paper17 asks, where it asks; the page's memory and times are the arithmetic that it states."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dxmatch.features.feature_set import FeatureSet

DOCS = Path(__file__).resolve().parents[1] / "docs"
MODELS = {  # billions of parameters, layers, KV heads, GPUs
    "llama": (70.55, 80, 8, 2), "qwen": (7.62, 28, 4, 1), "vikhr": (12.25, 40, 8, 1), "phi4": (14.66, 40, 10, 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="the compose file is YAML")
    return yaml.safe_load((DOCS / "recipes" / "compose.yaml").read_text("utf-8"))["services"]


@pytest.mark.parametrize("which", ["paper17", "paper17-ru"])
def test_each_endpoint_of_paper17_has_its_service(which: str, services: dict[str, Any]) -> None:
    features = FeatureSet.read(which)
    asked = {
        f.options["model"]: features.endpoint_of(f.options["model"], f.options["endpoint"]) for f in features.asked
    }
    asked |= {e.model: e.endpoint for e in features.declared_encoders.values() if e.endpoint is not None}
    del asked["GigaChat-Max"]
    served = {}
    for service in services.values():
        (model,) = (
            re.sub(r"^--model(-id)?=", "", each) for each in service["command"] if re.match(r"--model(-id)?=", each)
        )
        (port,) = service["ports"]
        address, outside, _ = port.split(":")
        assert address == "127.0.0.1"
        served[model] = int(outside)
    assert served == {model: urlsplit(features.endpoints[name].url).port for model, name in asked.items()}


def test_shares_of_a_gpu_add_up(services: dict[str, Any]) -> None:
    shares: dict[str, float] = {}
    for service in services.values():
        (device,) = service["deploy"]["resources"]["reservations"]["devices"]
        named = re.search(r"--gpu-memory-utilization=([0-9.]+)", " ".join(service["command"]))
        for gpu in device["device_ids"]:
            shares[gpu] = shares.get(gpu, 0.0) + float(named[1] if named else 0.2)
    assert len(shares) == 4 and max(shares.values()) <= 0.95


@pytest.mark.parametrize("name", MODELS)
def test_the_arithmetic_of_the_page(name: str, services: dict[str, Any]) -> None:
    billions, layers, heads, gpus = MODELS[name]
    page = (DOCS / "language-models.md").read_text("utf-8")
    (row,) = re.findall(
        rf"^\| {name}, \d+ \|[^|]+\| (\d+) GB \| ([\d.]+) GB \| ([\d.]+) GB \| ([\d.]+) min", page, re.MULTILINE
    )
    weights, quantised, cache, minutes = map(float, row)
    assert weights == pytest.approx(2 * billions, abs=0.6)
    assert quantised == pytest.approx(0.55 * billions, abs=0.4)
    assert cache == pytest.approx(2 * layers * heads * 128 * 2 * 64 * 512 / 1e9, abs=0.06)
    assert minutes == pytest.approx(10_000 * 2 * billions * 1e9 * 350 / (0.4 * 989e12 * gpus) / 60, rel=0.05)
    shares = re.search(r"--gpu-memory-utilization=([0-9.]+)", " ".join(services[name]["command"]))
    assert shares and float(shares[1]) * 80 * gpus > weights + cache
