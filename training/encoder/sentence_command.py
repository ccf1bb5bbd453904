"""The command that fine-tunes, measures and writes a sentence encoder: `python -m dxmatch.training.encoder.fit.sentence --help`."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DxmatchError, InputError, OptionError
from ...files.atomic import whole_file
from ...progress import shown
from ...terms.encoders.sentence import SentenceEncoder
from ...terms.text.normalizer import Normalizer
from .data import FIFTHS, Names, Synonyms, common_synonyms, fifths, icd_synonyms, join, read_synonyms
from .measure import icd_category_right, pairs_average_precision, read_queries, shares
from .sentence import FineTuned, Settings, fine_tune

_NUMBERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}
_ROWS_MEASURED = 64


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit code 0 done, 1 the data failed or interrupted, 2 wrong usage."""
    try:
        _run(_parser().parse_args(arguments))
    except DxmatchError as error:
        print(f"dxmatch: {error}", file=sys.stderr)
        raise SystemExit(1) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dxmatch.training.encoder.fit.sentence",
        description="Fine-tunes a sentence-transformers model on names of diseases. The result is a folder that a feature "
        'set names: [encoder.mine] with model = "FOLDER".',
        epilog="Example: python -m dxmatch.training.encoder.fit.sentence --base sentence-transformers/all-MiniLM-L6-v2 "
        "--synonyms orphadata_synonyms.csv --minutes 20 -o minilm-diseases. Control-C ends the training early and keeps "
        "what has been learnt; --base FOLDER goes on from an earlier result.",
    )
    parser.add_argument("--base", required=True, metavar="MODEL", help="a folder, or a hub name")
    parser.add_argument(
        "--synonyms", type=Path, action="append", default=[], metavar="FILE",
        help="columns name and synonym; give it once per file",
    )  # fmt: skip
    parser.add_argument("--no-common", action="store_true", help="leave out the common synonyms that come with dxmatch")
    parser.add_argument("--no-icd", action="store_true", help="leave out ICD-10-CM's titles and inclusion terms")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--threads", type=int, default=1, help="of torch (default 1)")
    for field in fields(Settings):
        kind = _NUMBERS[str(field.type)]
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=kind, default=field.default, help=f"default {field.default}"
        )
    measuring = parser.add_argument_group("measuring", "of the result beside its base, by the cosine alone")
    measuring.add_argument("--pairs", type=Path, metavar="FILE", help="judged pairs: expert, algorithm, label")
    measuring.add_argument(
        "--without-fifth", type=int, choices=range(FIFTHS), metavar=f"0-{FIFTHS - 1}",
        help="a fifth of the diseases that is not trained on, but asked for with --icd-names",
    )  # fmt: skip
    measuring.add_argument("--icd-names", type=Path, metavar="FILE", help="Orphadata's names with ICD-10 codes")
    return parser


def _run(options: argparse.Namespace) -> None:
    settings = Settings(**{field.name: getattr(options, field.name) for field in fields(Settings)})
    if options.icd_names and options.without_fifth is None:
        raise OptionError(
            "icd_names", "given with --without-fifth, since names that were trained on measure nothing", None
        )
    if options.output.exists() and not (options.output.is_dir() and not any(options.output.iterdir())):
        raise InputError(f"{options.output} is there already", allowed="a new path, or an empty folder")
    sources = [read_synonyms(path) for path in options.synonyms]
    if not options.no_common:
        sources.append(common_synonyms())
    if not options.no_icd:
        sources.append(icd_synonyms())
    if not sources:
        raise InputError("nothing to train on", allowed="--synonyms FILE, or without --no-icd or --no-common")
    normalizer = Normalizer()
    every = join(sources, normalizer)
    names = every if options.without_fifth is None else every.take(fifths(every) != options.without_fifth)
    import torch

    torch.set_num_threads(options.threads)
    base = SentenceEncoder(options.base, rows=_ROWS_MEASURED)
    told = {
        "base": base.identity,
        "normalizer": normalizer.identity,
        "sources": {Path(source.source).name: len(source.first) for source in sources},
        "without_fifth": options.without_fifth,
        "names": len(names.texts),
        "pairs": len(names.pairs),
    }
    measured = {"base": _measured(base, options, every, sources, normalizer)}
    with shown("fine-tuning") as progress:
        done = fine_tune(base.model, names, settings, progress=progress)
    if not done.losses:
        raise DxmatchError("interrupted before the first step; nothing was written")
    with _whole_folder(options.output) as part:
        base.model.save(str(part), create_model_card=False)
        (part / "README.md").write_text(_card(options.output.name, told, settings, done, measured), "utf-8")
    _say(f"{options.output}: {done.ended} after {len(done.losses):,} steps, loss {np.mean(done.losses[-20:]):.3f}")
    if done.ended == "interrupted":
        raise SystemExit(1)
    if options.pairs or options.icd_names:
        tuned = SentenceEncoder(options.output, rows=_ROWS_MEASURED)
        measured["fine_tuned"] = _measured(tuned, options, every, sources, normalizer)
        with whole_file(options.output / "README.md") as card:
            card.write_text(_card(options.output.name, told, settings, done, measured), "utf-8")
        for name, figures in measured.items():
            _say(f"{name}: {figures}")


def _measured(
    encoder: SentenceEncoder,
    options: argparse.Namespace,
    every: Names,
    sources: Sequence[Synonyms],
    normalizer: Normalizer,
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if options.pairs:
        n, precision = pairs_average_precision(encoder, options.pairs, normalizer)
        found |= {"pairs": n, "pairs_average_precision": round(precision, 4)}
    if options.icd_names:
        kept_back = dict(zip(every.texts, (fifths(every) == options.without_fifth).tolist(), strict=True))
        queries = read_queries(options.icd_names, sources, normalizer)
        queries = queries.take(np.array([kept_back.get(text, True) for text in queries.texts], np.bool_))
        right = icd_category_right(encoder, queries, normalizer)
        found["icd_category"] = {"n": len(queries.texts), **shares(right)}
    return found


def _card(name: str, told: Mapping[str, Any], settings: Settings, done: FineTuned, measured: Mapping[str, Any]) -> str:
    """The folder's README.md, which does not shape the encoder's identity."""
    training = {**told, "settings": asdict(settings), "steps": len(done.losses), "ended": done.ended}
    what = (
        "pairs_average_precision: of the cosine alone, on judged pairs. icd_category: the share of names of diseases "
        "kept back from the training whose nearest code of ICD-10-CM, or one of the 15 nearest, lies in the right "
        "three-character category. The base is the model before the training."
    )
    return (
        f"# {name}\n\nA sentence encoder for names of diseases, fine-tuned by `dxmatch.training.encoder.fit.sentence`. The "
        "licences of its base and of the names that it was trained on hold for it.\n\n"
        f"## Training\n\n```json\n{json.dumps(training, indent=1)}\n```\n\n"
        f"## Measured\n\n{what}\n\n```json\n{json.dumps(measured, indent=1)}\n```\n"
    )


@contextlib.contextmanager
def _whole_folder(target: Path) -> Iterator[Path]:
    """An empty folder beside `target` that takes its name when it is complete."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        outer = Path(tempfile.mkdtemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent))
        try:
            (outer / "new").mkdir()  # unlike mkdtemp's, with the usual permissions
            yield outer / "new"
            (outer / "new").replace(target)
        finally:
            shutil.rmtree(outer, ignore_errors=True)
    except OSError as error:
        raise DxmatchError(f"{target} could not be written: {error.strerror or error}.") from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
