"""Trains the static encoder: names of one disease are drawn together, all others of the batch pushed apart.

The loss is the in-batch softmax of cosines over a temperature, in both directions (van den Oord et al. 2018, eq. 4;
Henderson et al. 2017, §4). Names of one disease, and equal names, never count as wrong answers. Each batch holds
pairs of names and, beside them, single names with themselves; in every name some buckets are left out at random,
so that a name is known by any part of it.

    python -m dxmatch.training.encoder --synonyms FILE --synonyms FILE -o FOLDER
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..features.encoders.hashing import code_points, most_buckets
from ..features.encoders.kernels import all_buckets
from ..features.encoders.static import Shape, StaticEncoder
from ..features.errors import InputError, MissingExtra, OptionError
from .encoder_data import Names

if TYPE_CHECKING:
    import torch

_BETA_1, _BETA_2, _EPSILON = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Settings:
    """How to train.

    Attributes
    ----------
    epochs : passes over all pairs.
    batch : pairs that are told apart at once.
    temperature : of the softmax; lower looks at the nearest wrong names only.
    learning_rate : of Adam, falling to zero in a straight line.
    dropped : share of a name's buckets left out at random.
    alone : names that are drawn to themselves, per epoch, as a share of all names.
    seed : of everything random.

    Errors: `OptionError` for a number out of range.
    """

    epochs: int = 8
    batch: int = 1024
    temperature: float = 0.1
    learning_rate: float = 0.01
    dropped: float = 0.2
    alone: float = 0.3
    seed: int = 0

    def __post_init__(self) -> None:
        for name, low in (("epochs", 1), ("batch", 2), ("seed", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise OptionError(name, f"a whole number from {low}", value)
        for name, allowed, right in (
            ("temperature", "a number above 0", self.temperature > 0),
            ("learning_rate", "a number above 0", self.learning_rate > 0),
            ("dropped", "a number from 0 to below 1", 0 <= self.dropped < 1),
            ("alone", "a number from 0 to 1", 0 <= self.alone <= 1),
        ):
            if not right:
                raise OptionError(name, allowed, getattr(self, name))


@dataclass(frozen=True)
class Trained:
    """The encoder, and the mean loss of each epoch."""

    encoder: StaticEncoder
    losses: list[float]


def train_encoder(
    names: Names,
    shape: Shape | None = None,
    settings: Settings | None = None,
    *,
    about: dict[str, Any] | None = None,
    progress: Callable[[int, int, float], None] | None = None,
) -> Trained:
    """Fits a vector per bucket to `names`, then quantises them.

    Parameters
    ----------
    about : goes into the encoder's `training` beside the settings.
    progress : called as (step, steps, loss).

    Errors: `MissingExtra` without torch; `InputError` where there are fewer than two pairs.
    """
    shape, settings = shape or Shape(), settings or Settings()
    try:
        import torch
    except ImportError:
        raise MissingExtra("Training an encoder", "encoders") from None
    if len(names.pairs) < 2:
        raise InputError("too few pairs of names to train on", allowed="at least two", got=len(names.pairs))
    lists = _BucketLists.of(names.texts, shape)
    table = _Table(shape, lists.frequencies, len(names.texts), settings)
    random = np.random.default_rng(settings.seed)
    per_epoch = _pairs_per_epoch(names, settings)
    batch = min(settings.batch, per_epoch)
    steps, step, losses = settings.epochs * (per_epoch // batch), 0, []
    for _ in range(settings.epochs):
        of_epoch = []
        for pairs in _batches(names, settings, batch, random):
            loss = _loss(table, lists, names, pairs, settings, random)
            step += 1
            table.step(loss, step, 1 - (step - 1) / steps)
            of_epoch.append(loss.item())
            if progress:
                progress(step, steps, of_epoch[-1])
        losses.append(float(np.mean(of_epoch)))
    training = {
        **(about or {}),
        "names": len(names.texts),
        "pairs": len(names.pairs),
        "diseases": len(np.unique(names.disease)),
        "settings": asdict(settings),
        "losses": [round(loss, 4) for loss in losses],
        "torch": torch.__version__,
    }
    return Trained(StaticEncoder.quantized(shape, table.weighted(), training=training), losses)


@dataclass(frozen=True)
class _BucketLists:
    """The buckets of each text, end to end: those of text i are `buckets[starts[i]:starts[i + 1]]`."""

    buckets: NDArray[np.int64]
    starts: NDArray[np.int64]
    frequencies: NDArray[np.int64]

    @classmethod
    def of(cls, texts: list[str], shape: Shape) -> _BucketLists:
        points, offsets = code_points(texts)
        out = np.empty(sum(most_buckets(len(text), shape.shortest, shape.longest) for text in texts), np.int64)
        starts = np.zeros(len(texts) + 1, np.int64)
        grams = shape.buckets - shape.word_buckets
        count = all_buckets(
            points, offsets, shape.word_buckets, grams, shape.shortest, shape.longest, shape.pairs, out, starts[1:]
        )
        buckets = out[:count].copy()
        return cls(buckets, starts, np.bincount(buckets, minlength=shape.buckets))

    def take(
        self, texts: NDArray[np.int64], dropped: float, random: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The buckets of `texts` without a random share, and the position (in `texts`) that each belongs to."""
        first = self.starts[texts]
        lengths = self.starts[texts + 1] - first
        ends = np.cumsum(lengths)
        owner = np.repeat(np.arange(len(texts)), lengths)
        kept = random.random(len(owner)) >= dropped
        kept[ends - lengths] = True  # the first word stays, so that no name is empty
        at = np.arange(len(owner)) + np.repeat(first - (ends - lengths), lengths)
        return self.buckets[at[kept]], owner[kept]


class _Table:
    """A vector and the logarithm of a weight per bucket, with Adam's moments; a step touches a batch's buckets only."""

    def __init__(self, shape: Shape, frequencies: NDArray[np.int64], texts: int, settings: Settings) -> None:
        import torch

        generator = torch.Generator().manual_seed(settings.seed)
        vectors = torch.randn(shape.buckets, shape.dimensions, generator=generator) / shape.dimensions**0.5
        rarity = np.log((texts + 1) / (frequencies + 1)) / np.log(texts + 1)
        weights = torch.from_numpy(np.log(np.maximum(rarity, 0.05)).astype(np.float32))[:, None]
        self._values = [vectors, weights]
        self._moments = [(torch.zeros_like(value), torch.zeros_like(value)) for value in self._values]
        self._rate = settings.learning_rate
        self._leaves: list[torch.Tensor] = []
        self._at: torch.Tensor | None = None

    def sums(self, buckets: NDArray[np.int64], owner: NDArray[np.int64], texts: int) -> torch.Tensor:
        """[texts, dimensions]: the unit vectors of texts given by their buckets."""
        import torch

        used, place = np.unique(buckets, return_inverse=True)
        self._at = torch.from_numpy(used)
        self._leaves = [value[self._at].requires_grad_() for value in self._values]
        vectors, weights = self._leaves
        starts = torch.from_numpy(np.searchsorted(owner, np.arange(texts)))
        bags = torch.nn.functional.embedding_bag(torch.from_numpy(place), vectors * weights.exp(), starts, mode="sum")
        return torch.nn.functional.normalize(bags)

    def step(self, loss: torch.Tensor, step: int, slope: float) -> None:
        """Adam (Kingma & Ba 2015, algorithm 1) on the buckets of the last `sums`."""
        import torch

        gradients = torch.autograd.grad(loss, self._leaves)
        rate = self._rate * slope
        for value, gradient, (first, second) in zip(self._values, gradients, self._moments, strict=True):
            m = first[self._at] * _BETA_1 + gradient * (1 - _BETA_1)
            v = second[self._at] * _BETA_2 + gradient.square() * (1 - _BETA_2)
            first[self._at], second[self._at] = m, v
            value[self._at] -= rate * (m / (1 - _BETA_1**step)) / ((v / (1 - _BETA_2**step)).sqrt() + _EPSILON)

    def weighted(self) -> NDArray[np.float32]:
        vectors, weights = self._values
        return (vectors * weights.exp()).numpy()


def _pairs_per_epoch(names: Names, settings: Settings) -> int:
    return len(names.pairs) + round(settings.alone * len(names.texts))


def _batches(names: Names, settings: Settings, batch: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Whole batches of [batch, 2] names in random order and direction; what is left over waits for the next epoch."""
    single = random.choice(len(names.texts), round(settings.alone * len(names.texts)), replace=False)
    pairs = np.concatenate([names.pairs, np.stack([single, single], axis=1)])
    pairs = random.permuted(pairs[random.permutation(len(pairs))], axis=1)
    for start in range(0, len(pairs) - batch + 1, batch):
        yield pairs[start : start + batch]


def _loss(
    table: _Table,
    lists: _BucketLists,
    names: Names,
    pairs: NDArray[np.int64],
    settings: Settings,
    random: np.random.Generator,
) -> torch.Tensor:
    import torch

    buckets, owner = lists.take(pairs.T.ravel(), settings.dropped, random)
    vectors = table.sums(buckets, owner, 2 * len(pairs))
    scores = vectors[: len(pairs)] @ vectors[len(pairs) :].T / settings.temperature
    disease = names.disease[pairs[:, 0]]
    same = torch.from_numpy(disease[:, None] == disease[None, :]).fill_diagonal_(False)
    scores = scores.masked_fill(same, float("-inf"))
    right = torch.arange(len(pairs))
    cross_entropy = torch.nn.functional.cross_entropy
    return (cross_entropy(scores, right) + cross_entropy(scores.T, right)) / 2


if __name__ == "__main__":
    from .encoder_command import main

    main()
