"""Embeddings over HTTP: against a server on loopback that can be told to misbehave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dxmatch.endpoints.client import EndpointError
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import ModelError
from dxmatch.terms.encoders.endpoint import ROWS, EndpointEncoder

pytest.importorskip("openai", reason="an endpoint is asked through openai (extra 'llm')")
pytest.importorskip("stamina", reason="an endpoint is asked again through stamina (extra 'llm')")

NAMES = [f"diagnosis {i}" for i in range(5 * ROWS + 3)]


@pytest.fixture
def here(loopback: Any) -> Endpoint:
    return Endpoint("here", loopback.url, concurrency=3, timeout=10.0, tries=1)


def asked(loopback: Any) -> list[dict[str, Any]]:
    return [request["body"] for request in loopback.log()["requests"]]


def test_unit_rows_in_the_order_asked_alone_as_in_a_batch(here: Endpoint, loopback: Any) -> None:
    encoder = EndpointEncoder(here, "some/encoder")
    loopback.rules({"vectors": "shuffled"}, delay=0.05)
    vectors = encoder.encode(NAMES)
    assert vectors.shape == (len(NAMES), 8) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(float), axis=1), 1, atol=1e-6)
    assert loopback.log()["most_at_once"] == 3
    assert {body["model"] for body in asked(loopback)} == {"some/encoder"}
    for i, name in enumerate(NAMES[:5]):
        assert encoder.encode([name]).tobytes() == vectors[i : i + 1].tobytes()


def test_a_width_and_a_prompt_that_are_chosen(here: Endpoint, loopback: Any) -> None:
    prompted = EndpointEncoder(here, "m", dimensions=5, prompt="query: ").encode(["gout"])
    assert asked(loopback)[0]["dimensions"] == 5 and asked(loopback)[0]["input"] == ["query: gout"]
    assert prompted.tobytes() == EndpointEncoder(here, "m", dimensions=5).encode(["query: gout"]).tobytes()


def test_identity_follows_all_but_the_address() -> None:
    """What comes before the first "+" is compared when a trained model is loaded."""
    here, there = Endpoint("here", "http://127.0.0.1:1/v1"), Endpoint("there", "http://127.0.0.1:2/v1", key_env="KEY")
    made = [{}, {"revision": "v2"}, {"dimensions": 8}, {"prompt": "query: "}, {"prompt": "v2"}]
    encoders = [EndpointEncoder(here, "a/c"), *(EndpointEncoder(here, "a/b", **one) for one in made)]
    assert len({encoder.identity.partition("+")[0] for encoder in encoders}) == 6
    assert EndpointEncoder(there, "a/b").identity == encoders[1].identity


def test_what_is_no_vector_and_a_call_that_fails(here: Endpoint, loopback: Any) -> None:
    encoder = EndpointEncoder(here, "m")
    encoder.encode(["gout"])
    loopback.rules({"vectors": "zero", "contains": "diagnosis 64"})
    with pytest.raises(ModelError, match="'m' at the endpoint 'here' has no vector for 'diagnosis 64'"):
        encoder.encode(NAMES)
    loopback.rules(dimensions=16)
    with pytest.raises(ModelError, match="gives vectors of 16 numbers, not of 8"):
        encoder.encode(NAMES)
    loopback.rules({"contains": "diagnosis 0", "status": 401}, delay=0.05)
    with pytest.raises(EndpointError, match="refused key"):
        encoder.encode([f"diagnosis {i}" for i in range(50 * ROWS)])
    assert len(asked(loopback)) < 20, "an error ends the other calls"
