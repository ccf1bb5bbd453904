"""Fine-tunes a sentence-transformers model on names of diseases: `python -m dxmatch.recipe.encoder.sentence --help`.

By the recipe of the static encoder, as SapBERT (Liu et al. 2021) does for synonyms. Names of one disease, and names of which
one specifies the other, never count as wrong answers. Names that share a word do, and contrasts ("type 2 diabetes" for
"type 1 diabetes").
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, InputError, OptionError
from ...files.atomic import whole_file, whole_folder
from ...options import Between, Options
from ...progress import shown
from ...terms.encoders.sentence import SentenceEncoder
from ...terms.text.normalizer import Normalizer
from .data import FOLDS, Names, Synonyms, folds_of, join
from .measure import icd_category_right, judged_pairs, read_queries, shares
from .options import add_options, read_sources, run, say, settings_of
from .variants import Variants, word_table

if TYPE_CHECKING:
    import torch

_ROWS = 32
_WARM_UP = 0.05
_ROWS_MEASURED = 64


@dataclass(frozen=True, kw_only=True)
class Settings(Options):
    """How to fine-tune.

    Parameters
    ----------
    minutes : float
        At most so long; the learning rate falls to zero by then, or by the last epoch if that comes first.
    epochs : int
        At most so many passes over all pairs.
    batch : int
        Pairs that are told apart at once.
    neighbours : int
        How many of them in a row share a word.
    temperature : float
        Of the softmax; lower looks at the nearest wrong names only.
    learning_rate : float
        Of AdamW (Loshchilov & Hutter 2019) at its highest.
    longest : int
        Tokens of a name that are read in training; the model reads as many as before.
    seed : int
        Of everything random.

    Raises
    ------
    OptionError
        For a number out of range.
    """

    minutes: Annotated[float, Between(0, apart=True)] = 20.0
    epochs: Annotated[int, Between(1)] = 1
    batch: Annotated[int, Between(2)] = 64
    neighbours: Annotated[int, Between(1)] = 16
    temperature: Annotated[float, Between(0, apart=True)] = 0.05
    learning_rate: Annotated[float, Between(0, apart=True)] = 1e-4
    longest: Annotated[int, Between(3)] = 32
    seed: Annotated[int, Between(0)] = 0


@dataclass(frozen=True)
class FineTuned:
    """What came of it. losses : one a step. ended : "all epochs", "out of time" or "interrupted"."""

    losses: list[float]
    ended: str


def fine_tune(
    model: Any,
    names: Names,
    settings: Settings,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> FineTuned:
    """Changes the weights of `model` (a `SentenceTransformer`) in place; its word vectors stay as they are.

    So a word that no name holds keeps its place among the others. An interruption by the keyboard ends the training
    early, and what has been learnt until then stands. With the same seed the weights are the same again wherever the
    epochs end before the minutes do.

    Parameters
    ----------
    threads : int
        Of PyTorch.
    progress : callable, optional
        Called as (done, total) steps.

    Raises
    ------
    InputError
        Where there are fewer than two pairs.
    """
    if len(names.pairs) < 2:
        raise InputError("too few pairs of names to train on", allowed="at least two", got=len(names.pairs))
    import torch

    from .table import in_batch_loss, reproducible

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
        with reproducible(settings.seed, threads):
            for pairs in (pairs for _ in range(settings.epochs) for pairs in batches(names, settings, random)):
                done = max(len(losses) / steps, (time.monotonic() - start) / (60 * settings.minutes))
                if done >= 1 and losses:
                    ended = "out of time"
                    break
                warm = (len(losses) + 1) / (_WARM_UP * steps + 1)
                optimizer.param_groups[0]["lr"] = settings.learning_rate * min(warm, max(1 - done, 0))
                texts, spared = examples(names, variants, pairs, random)
                vectors = _vectors(model, texts)
                loss = in_batch_loss(vectors, torch.from_numpy(spared).to(vectors.device), settings.temperature)
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


def batches(names: Names, settings: Settings, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All pairs once, as [batch, 2] names in random direction; what does not fill a batch is left out.

    A batch is made of runs of neighbours that stand beside each other when every pair is sorted by a word drawn from one of
    its names: most of a run share a site, a mechanism or a qualifier.
    """
    pairs = random.permuted(names.pairs[random.permutation(len(names.pairs))], axis=1)
    words = [names.texts[name].split() for name in pairs[:, 0].tolist()]
    drawn = [one[int(at * len(one))] for one, at in zip(words, random.random(len(words)).tolist(), strict=True)]
    pairs = pairs[np.argsort(np.array(drawn), kind="stable")]
    batch = min(settings.batch, len(pairs))
    run = min(settings.neighbours, batch)
    runs = [pairs[start : start + run] for start in range(0, len(pairs), run)]
    pairs = np.concatenate([runs[number] for number in random.permutation(len(runs))])
    for start in range(0, len(pairs) - batch + 1, batch):
        yield pairs[start : start + batch]


def examples(
    names: Names, variants: Variants, pairs: NDArray[np.int64], random: np.random.Generator
) -> tuple[list[str], NDArray[np.bool_]]:
    """The texts of a batch of n pairs, and where a wrong answer is none, as `in_batch_loss` takes them.

    Returns
    -------
    texts : [2 n + c]
        First names, second names, and for each pair that has any one contrast of its names.
    spared : bool[n, n + c]
        Where two pairs share a disease, or one's name specifies the other's; where a contrast specifies a name of another
        pair, or the reverse.
    """
    first, second = ([names.texts[name] for name in side] for side in pairs.T.tolist())
    contrasts, owner = [], []
    for i, pair in enumerate(pairs):
        if found := [at for name in pair for at in range(variants.starts[name], variants.starts[name + 1])]:
            contrasts.append(variants.contrasts[found[int(random.integers(len(found)))]])
            owner.append(i)
    disease = names.disease[pairs[:, 0]]
    crossed = one_specifies_the_other(first, second)
    spared = (disease[:, None] == disease[None, :]) | crossed | crossed.T
    np.fill_diagonal(spared, False)
    of_contrasts = one_specifies_the_other(first, contrasts) | one_specifies_the_other(second, contrasts)
    of_contrasts[owner, np.arange(len(contrasts))] = False
    return [*first, *second, *contrasts], np.concatenate([spared, of_contrasts], axis=1)


def one_specifies_the_other(first: Sequence[str], second: Sequence[str]) -> NDArray[np.bool_]:
    """bool[len(first), len(second)]: whether all words of one name are among the other's."""
    sides = [[frozenset(text.split()) for text in side] for side in (first, second)]
    found = [[a <= b or b <= a for b in sides[1]] for a in sides[0]]
    return np.array(found, np.bool_).reshape(len(first), len(second))


def _vectors(model: Any, texts: list[str]) -> torch.Tensor:
    """float32[len(texts), dimensions], in the order of `texts`; names of like length go through the model together."""
    import torch

    order = np.argsort([len(text) for text in texts], kind="stable")
    parts = []
    for start in range(0, len(order), _ROWS):
        inputs = model.preprocess([texts[i] for i in order[start : start + _ROWS]])
        inputs = {key: value.to(model.device) if hasattr(value, "to") else value for key, value in inputs.items()}
        parts.append(model(inputs)["sentence_embedding"])
    return torch.cat(parts)[torch.from_numpy(np.argsort(order)).to(model.device)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit code 0 done, 1 the data failed or interrupted, 2 wrong usage."""
    run(_run, _parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dxmatch.recipe.encoder.sentence",
        description="Fine-tunes a sentence-transformers model on names of diseases. The result is a folder that a feature "
        'set names: [encoder.mine] with model = "FOLDER".',
        epilog="Example: python -m dxmatch.recipe.encoder.sentence --base sentence-transformers/all-MiniLM-L6-v2 "
        "--synonyms orphadata_synonyms.csv --minutes 20 -o minilm-diseases. Control-C ends the training early and keeps "
        "what has been learnt; --base FOLDER goes on from an earlier result.",
    )
    parser.add_argument("--base", required=True, metavar="MODEL", help="a folder, or a hub name")
    parser.add_argument("--allow-download", action="store_true", help="the hub may be asked for the base")
    add_options(parser, Settings)
    measuring = parser.add_argument_group("measuring", "of the result beside its base, by the cosine alone")
    measuring.add_argument("--pairs", type=Path, metavar="FILE", help="judged pairs: expert, algorithm, label")
    measuring.add_argument(
        "--without-fold", type=int, choices=range(FOLDS), metavar=f"0-{FOLDS - 1}",
        help="a fold of the diseases that is not trained on, but asked for with --icd-names",
    )  # fmt: skip
    measuring.add_argument("--icd-names", type=Path, metavar="FILE", help="Orphadata's names with ICD-10 codes")
    return parser


def _run(options: argparse.Namespace) -> None:
    settings = settings_of(options, Settings)
    if options.icd_names and options.without_fold is None:
        raise OptionError(
            "icd_names", "given with --without-fold, since names that were trained on measure nothing", None
        )
    if options.output.exists() and not (options.output.is_dir() and not any(options.output.iterdir())):
        raise InputError(f"{options.output} is there already", allowed="a new path, or an empty folder")
    sources = read_sources(options)
    normalizer = Normalizer()
    every = join(sources, normalizer)
    names = every if options.without_fold is None else every.take(folds_of(every) != options.without_fold)
    base = SentenceEncoder(options.base, rows=_ROWS_MEASURED, allow_download=options.allow_download)
    training: dict[str, Any] = {
        "base": base.identity,
        "normalizer": normalizer.identity,
        "sources": {Path(source.source).name: len(source.first) for source in sources},
        "without_fold": options.without_fold,
        "names": len(names.texts),
        "pairs": len(names.pairs),
        "settings": asdict(settings),
    }
    measured = {"base": _measured(base, options, every, sources, normalizer)}
    with shown("fine-tuning") as progress:
        done = fine_tune(base.model, names, settings, threads=options.threads, progress=progress)
    if not done.losses:
        raise DxmatchError("interrupted before the first step; nothing was written")
    training |= {"steps": len(done.losses), "ended": done.ended}
    with whole_folder(options.output) as part:
        base.model.save(str(part), create_model_card=False)
        (part / "README.md").write_text(_card(options.output.name, training, measured), "utf-8")
    say(f"{options.output}: {_ended(done)}")
    if done.ended == "interrupted":
        raise SystemExit(1)
    if options.pairs or options.icd_names:
        tuned = SentenceEncoder(options.output, rows=_ROWS_MEASURED)
        measured["fine_tuned"] = _measured(tuned, options, every, sources, normalizer)
        with whole_file(options.output / "README.md") as card:
            card.write_text(_card(options.output.name, training, measured), "utf-8")
        for name, figures in measured.items():
            say(f"{name}: {figures}")


def _ended(done: FineTuned) -> str:
    return f"{done.ended} after {len(done.losses):,} steps, loss {np.mean(done.losses[-20:]):.3f}"


def _measured(
    encoder: SentenceEncoder,
    options: argparse.Namespace,
    every: Names,
    sources: Sequence[Synonyms],
    normalizer: Normalizer,
) -> dict[str, Any]:
    found = judged_pairs(encoder, options.pairs, normalizer)
    if options.icd_names:
        held_out = dict(zip(every.texts, (folds_of(every) == options.without_fold).tolist(), strict=True))
        queries = read_queries(options.icd_names, sources, normalizer)
        queries = queries.take(np.array([held_out.get(text, True) for text in queries.texts], np.bool_))
        right = icd_category_right(encoder, queries, normalizer)
        found["icd_category"] = {"n": len(queries.texts), **shares(right)}
    return found


def _card(name: str, training: Mapping[str, Any], measured: Mapping[str, Any]) -> str:
    """The folder's README.md, which does not shape the encoder's identity."""
    what = (
        "pairs_average_precision: of the cosine alone, on judged pairs. icd_category: the share of names of diseases "
        "held out from the training whose nearest code of ICD-10-CM, or one of the 15 nearest, lies in the right "
        "three-character category. The base is the model before the training."
    )
    return (
        f"# {name}\n\nA sentence encoder for names of diseases, fine-tuned by `dxmatch.recipe.encoder.sentence`. The "
        "licences of its base and of the names that it was trained on hold for it.\n\n"
        f"## Training\n\n```json\n{json.dumps(training, indent=1)}\n```\n\n"
        f"## Measured\n\n{what}\n\n```json\n{json.dumps(measured, indent=1)}\n```\n"
    )


if __name__ == "__main__":
    main()
