"""Embeddings over HTTP: against a server on loopback that can be told to misbehave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dxmatch.endpoints.client import EndpointError
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import ModelError
from dxmatch.terms.encoders import Encoder
from dxmatch.terms.encoders.endpoint import ROWS, EndpointEncoder

pytest.importorskip("openai", reason="an endpoint is asked through openai (extra 'llm')")
pytest.importorskip("stamina", reason="an endpoint is asked again through stamina (extra 'llm')")

NAMES = [f"diagnosis {i}" for i in range(5 * ROWS + 3)]


@pytest.fixture
def endpoint(loopback: Any) -> Endpoint:
    return Endpoint("here", loopback.url, concurrency=3, timeout=10.0, tries=1)


def asked(loopback: Any) -> list[dict[str, Any]]:
    return [request["body"] for request in loopback.log()["requests"]]


def test_unit_rows_in_the_order_asked(endpoint: Endpoint, loopback: Any) -> None:
    encoder = EndpointEncoder(endpoint, "some/encoder")
    loopback.rules(delay=0.05)
    vectors = encoder.encode(NAMES)
    assert isinstance(encoder, Encoder)
    assert vectors.shape == (len(NAMES), 8) and vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors.astype(float), axis=1), 1, atol=1e-6)
    assert len({row.tobytes() for row in vectors}) == len(NAMES)
    assert loopback.log()["most_at_once"] == 3
    sent = asked(loopback)
    assert [len(body["input"]) for body in sent].count(ROWS) == 5 and len(sent) == 6
    assert {body["model"] for body in sent} == {"some/encoder"} and not any("dimensions" in body for body in sent)
    for i, name in enumerate(NAMES[:5]):
        assert encoder.encode([name]).tobytes() == vectors[i : i + 1].tobytes()


def test_a_width_and_a_prompt_that_are_chosen(endpoint: Endpoint, loopback: Any) -> None:
    encoder = EndpointEncoder(endpoint, "m", dimensions=5, prompt="query: ")
    prompted = encoder.encode(["gout"])
    assert asked(loopback)[0]["dimensions"] == 5 and asked(loopback)[0]["input"] == ["query: gout"]
    assert prompted.tobytes() == EndpointEncoder(endpoint, "m", dimensions=5).encode(["query: gout"]).tobytes()


def test_identity_follows_all_but_the_address() -> None:
    here, there = Endpoint("here", "http://127.0.0.1:1/v1"), Endpoint("there", "http://127.0.0.1:2/v1", key_env="KEY")
    plain = EndpointEncoder(here, "a/b")
    assert EndpointEncoder(there, "a/b").identity == plain.identity
    others = [
        EndpointEncoder(here, "a/c"), EndpointEncoder(here, "a/b", "v2"), EndpointEncoder(here, "a/b", dimensions=8),
        EndpointEncoder(here, "a/b", prompt="query: "), EndpointEncoder(here, "a/b", prompt="v2"),
    ]  # fmt: skip
    assert len({plain.identity, *(encoder.identity for encoder in others)}) == 6
    assert "a/b@unpinned" in plain.identity and "a/b@v2" in others[1].identity
    # What comes before the first "+" is compared when a model is loaded, and must tell all of these apart.
    assert len({encoder.identity.partition("+")[0] for encoder in (plain, *others)}) == 6


def test_vectors_of_zeros_or_of_another_width(endpoint: Endpoint, loopback: Any) -> None:
    encoder = EndpointEncoder(endpoint, "m")
    encoder.encode(["gout"])
    loopback.rules({"vectors": "zero", "contains": "diagnosis 64"})
    with pytest.raises(ModelError, match="'m' at the endpoint 'here' has no vector for 'diagnosis 64'"):
        encoder.encode(NAMES)
    loopback.rules(dimensions=16)
    with pytest.raises(ModelError, match="gives vectors of 16 numbers, not of 8"):
        encoder.encode(NAMES)
    loopback.rules({"json": {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}})
    with pytest.raises(ModelError, match="gives vectors of 2 numbers, not of 4"):
        EndpointEncoder(endpoint, "m", dimensions=4).encode(["gout"])


def test_an_error_ends_the_other_calls(endpoint: Endpoint, loopback: Any) -> None:
    loopback.rules({"contains": "diagnosis 0", "status": 401}, delay=0.05)
    with pytest.raises(EndpointError, match="refused key"):
        EndpointEncoder(endpoint, "m").encode([f"diagnosis {i}" for i in range(50 * ROWS)])
    assert len(asked(loopback)) < 20
