"""Fine-tunes a sentence-transformers model on names of diseases, by the recipe of the static encoder.

The loss is the in-batch softmax of cosines over a temperature, in both directions (van den Oord et al. 2018, eq. 4), as
SapBERT (Liu et al. 2021) does for synonyms. Names of one disease, and names of which one specifies the other, never
count as wrong answers. Neighbours do, and contrasts ("type 2 diabetes" for "type 1 diabetes").

    python -m dxmatch.training.encoder.fit.sentence --base MODEL --synonyms FILE --synonyms FILE -o FOLDER
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError
from .data import Names
from .sentence_batches import batches, one_specifies_the_other
from .variants import Variants, word_table

if TYPE_CHECKING:
    import torch

_ROWS = 32
_WARM_UP = 0.05


@dataclass(frozen=True)
class Settings:
    """How to fine-tune.

    Attributes
    ----------
    minutes : at most so long; the learning rate falls to zero by then, or by the last epoch if that comes first.
    epochs : at most so many passes over all pairs.
    batch : pairs that are told apart at once.
    neighbours : how many of them in a row share a word.
    temperature : of the softmax; lower looks at the nearest wrong names only.
    learning_rate : of AdamW (Loshchilov & Hutter 2019) at its highest.
    longest : tokens of a name that are read in training; the model reads as many as before.
    seed : of everything random.

    Errors: `OptionError` for a number out of range.
    """

    minutes: float = 20.0
    epochs: int = 1
    batch: int = 64
    neighbours: int = 16
    temperature: float = 0.05
    learning_rate: float = 1e-4
    longest: int = 32
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low in (("epochs", 1), ("batch", 2), ("neighbours", 1), ("longest", 3), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise OptionError(name, f"a whole number from {low}", value)
        for name in ("minutes", "temperature", "learning_rate"):
            if not getattr(self, name) > 0:
                raise OptionError(name, "a number above 0", getattr(self, name))


@dataclass(frozen=True)
class FineTuned:
    """What came of it. losses : one a step. ended : "all epochs", "out of time" or "interrupted"."""

    losses: list[float]
    ended: str


def fine_tune(
    model: Any, names: Names, settings: Settings, *, progress: Callable[[int, int], None] | None = None
) -> FineTuned:
    """Changes the weights of `model` (a `SentenceTransformer`) in place; its word vectors stay as they are.

    So a word that no name holds keeps its place among the others. An interruption by the keyboard ends the training
    early, and what has been learnt until then stands. With the same seed the weights are the same again wherever the
    epochs end before the minutes do.

    progress : called as (done, total) steps.
    Errors: `InputError` where there are fewer than two pairs.
    """
    import torch

    if len(names.pairs) < 2:
        raise InputError("too few pairs of names to train on", allowed="at least two", got=len(names.pairs))
    torch.manual_seed(settings.seed)
    random = np.random.default_rng(settings.seed)
    variants = Variants.of(names, word_table(), random)
    for module in model.modules():
        if isinstance(module, torch.nn.Embedding):
            module.requires_grad_(False)
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=settings.learning_rate, weight_decay=0.01)
    steps = settings.epochs * (len(names.pairs) // min(settings.batch, len(names.pairs)))
    losses: list[float] = []
    ended = "all epochs"
    longest = model.max_seq_length
    model.max_seq_length = min(settings.longest, longest or settings.longest)
    model.train()
    start = time.monotonic()
    try:
        for pairs in _all_batches(names, settings, random):
            done = max(len(losses) / steps, (time.monotonic() - start) / (60 * settings.minutes))
            if done >= 1 and losses:
                ended = "out of time"
                break
            for group in optimizer.param_groups:
                group["lr"] = settings.learning_rate * min((len(losses) + 1) / (_WARM_UP * steps + 1), max(1 - done, 0))
            loss = _loss(model, names, variants, pairs, settings.temperature, random)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learnt, 1.0)
            optimizer.step()
            losses.append(loss.item())
            if progress:
                progress(len(losses), steps)
    except KeyboardInterrupt:
        ended = "interrupted"
    model.eval()
    model.max_seq_length = longest
    return FineTuned(losses, ended)


def _all_batches(names: Names, settings: Settings, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    for _ in range(settings.epochs):
        yield from batches(names, settings.batch, settings.neighbours, random)


def _loss(
    model: Any,
    names: Names,
    variants: Variants,
    pairs: NDArray[np.int64],
    temperature: float,
    random: np.random.Generator,
) -> torch.Tensor:
    import torch

    first, second = ([names.texts[name] for name in side] for side in pairs.T.tolist())
    others, owner = _contrasts(variants, pairs, random)
    vectors = _unit_vectors(model, [*first, *second, *others])
    a, b, wrong = torch.split(vectors, [len(pairs), len(pairs), len(others)])
    disease = names.disease[pairs[:, 0]]
    same = disease[:, None] == disease[None, :]
    right = torch.arange(len(pairs), device=vectors.device)
    total = torch.zeros((), device=vectors.device)
    for asked, answers, asked_texts, texts in ((a, b, first, second), (b, a, second, first)):
        spared = same | one_specifies_the_other(asked_texts, texts)
        np.fill_diagonal(spared, False)
        of_others = one_specifies_the_other(asked_texts, others)
        of_others[owner, np.arange(len(others))] = False
        mask = torch.from_numpy(np.concatenate([spared, of_others], axis=1)).to(vectors.device)
        scores = asked @ torch.cat([answers, wrong]).T / temperature
        total = total + torch.nn.functional.cross_entropy(scores.masked_fill(mask, float("-inf")), right)
    return total / 2


def _contrasts(
    variants: Variants, pairs: NDArray[np.int64], random: np.random.Generator
) -> tuple[list[str], NDArray[np.int64]]:
    """For each pair that has any, one contrast of its names, and the pair's position."""
    contrasts, owner = [], []
    for i, pair in enumerate(pairs):
        if found := [at for name in pair for at in range(variants.starts[name], variants.starts[name + 1])]:
            contrasts.append(variants.contrasts[found[int(random.integers(len(found)))]])
            owner.append(i)
    return contrasts, np.array(owner, np.int64)


def _unit_vectors(model: Any, texts: list[str]) -> torch.Tensor:
    """[len(texts), dimensions], in the order of `texts`; names of like length go through the model together."""
    import torch

    order = np.argsort([len(text) for text in texts], kind="stable")
    parts = []
    for start in range(0, len(order), _ROWS):
        inputs = model.preprocess([texts[i] for i in order[start : start + _ROWS]])
        inputs = {key: value.to(model.device) if hasattr(value, "to") else value for key, value in inputs.items()}
        parts.append(model(inputs)["sentence_embedding"])
    vectors = torch.nn.functional.normalize(torch.cat(parts))
    return vectors[torch.from_numpy(np.argsort(order)).to(vectors.device)]


if __name__ == "__main__":
    from .sentence_command import main

    main()
