"""The compose file serves what paper17 asks, where it asks; the page's memory and times are the arithmetic that it states."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from dxmatch.features.feature_set import FeatureSet

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    import yaml

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
