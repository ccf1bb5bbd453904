"""Trains the static encoder: names of one disease are drawn together, all others of the batch pushed apart.

The loss is the in-batch softmax of cosines over a temperature, in both directions (van den Oord et al. 2018, eq. 4;
Henderson et al. 2017, §4). Each batch holds pairs of names, pairs of a name and itself, and pairs of a name and the same in
other words. In every name some buckets are left out at random, so that a name is known by any part of it. Names that are
close to each other share a batch, and contrasts ("type 2 diabetes" for "type 1 diabetes") are more wrong answers, so that
a batch asks for what tells diseases apart.

    python -m dxmatch.recipe.encoder --synonyms FILE --synonyms FILE -o FOLDER
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, MissingExtra
from ...options import Between, Options
from ...terms.encoders.static import Shape, StaticEncoder
from .data import Names
from .examples import BucketLists, Examples
from .quantize import quantized
from .variants import Variants, word_table

if TYPE_CHECKING:
    import torch


TEMPERATURE = 0.1
"""Of the softmax; lower looks at the nearest wrong names only."""
DROPPED = 0.2
"""The share of a name's buckets that is left out at random."""


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """How to train.

    Attributes
    ----------
    epochs : passes over all pairs.
    batch : pairs that are told apart at once.
    learning_rate : of Adam, falling to zero in a straight line.
    seed : of everything random.

    Errors: `OptionError` for a number out of range.
    """

    epochs: Annotated[int, Between(1)] = 6
    batch: Annotated[int, Between(2)] = 1024
    learning_rate: Annotated[float, Between(0, apart=True)] = 0.01
    seed: Annotated[int, Between(0)] = 0


def train_encoder(
    names: Names,
    shape: Shape | None = None,
    settings: Settings | None = None,
    *,
    threads: int = 1,
    about: dict[str, Any] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> StaticEncoder:
    """Fits a vector per bucket to `names`, then quantises them.

    The same names, settings and threads give the same bytes again on one machine.

    Parameters
    ----------
    threads : int
        Of PyTorch.
    about : dict, optional
        Goes into the encoder's `training` beside the settings and the mean loss of each epoch.
    progress : callable, optional
        Called as (step, steps).

    Raises
    ------
    MissingExtra
        Without PyTorch.
    InputError
        Where there are fewer than two pairs.
    """
    shape, settings = shape or Shape(), settings or Settings()
    if len(names.pairs) < 2:
        raise InputError("too few pairs of names to train on", allowed="at least two", got=len(names.pairs))
    try:
        import torch
    except ImportError:
        raise MissingExtra("Training an encoder", "encoders") from None
    from .table import BucketTable, in_batch_loss, reproducible

    random = np.random.default_rng(settings.seed)
    examples = Examples(names, Variants.of(names, word_table(), random))
    lists = BucketLists.of(examples.texts, shape)
    size = min(settings.batch, examples.per_epoch)
    steps, losses = settings.epochs * (examples.per_epoch // size), []
    with reproducible(settings.seed, threads):
        table = BucketTable(shape, lists.frequencies(examples.drawn, shape.buckets), examples.drawn, random)
        optimizer = torch.optim.SparseAdam(table.parameters(), settings.learning_rate)
        falling = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 - step / steps)

        def vectors(texts: NDArray[np.int64]) -> torch.Tensor:
            with torch.no_grad():
                return torch.nn.functional.normalize(table(*lists.take(texts, 0, random)))

        for _ in range(settings.epochs):
            for batch in examples.batches(size, vectors, random):
                sums = table(*lists.take(batch.texts, DROPPED, random))
                loss = in_batch_loss(sums, torch.from_numpy(batch.alike), TEMPERATURE)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                falling.step()
                losses.append(loss.item())
                if progress:
                    progress(len(losses), steps)
    of_epochs = np.reshape(losses, (settings.epochs, -1)).mean(axis=1).tolist()
    training = {
        **(about or {}),
        "names": len(names.texts),
        "pairs": len(names.pairs),
        "diseases": len(np.unique(names.disease)),
        "settings": asdict(settings),
        "losses": [round(loss, 4) for loss in of_epochs],
        "torch": torch.__version__,
    }
    return quantized(shape, table.weighted(), training=training)
