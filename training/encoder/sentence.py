"""Fine-tunes, measures and writes a sentence encoder: `python -m dxmatch.training.encoder.sentence --help`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DxmatchError, InputError, OptionError
from ...files.atomic import whole_file, whole_folder
from ...progress import shown
from ...terms.encoders.sentence import SentenceEncoder
from ...terms.text.normalizer import Normalizer
from .data import FOLDS, Names, Synonyms, folds_of, join
from .fine_tuning import FineTuned, Settings, fine_tune
from .measure import icd_category_right, judged_pairs, read_queries, shares
from .options import add_options, read_sources, run, say, settings_of

_ROWS_MEASURED = 64


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit code 0 done, 1 the data failed or interrupted, 2 wrong usage."""
    run(_run, _parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dxmatch.training.encoder.sentence",
        description="Fine-tunes a sentence-transformers model on names of diseases. The result is a folder that a feature "
        'set names: [encoder.mine] with model = "FOLDER".',
        epilog="Example: python -m dxmatch.training.encoder.sentence --base sentence-transformers/all-MiniLM-L6-v2 "
        "--synonyms orphadata_synonyms.csv --minutes 20 -o minilm-diseases. Control-C ends the training early and keeps "
        "what has been learnt; --base FOLDER goes on from an earlier result.",
    )
    parser.add_argument("--base", required=True, metavar="MODEL", help="a folder, or a hub name")
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
    base = SentenceEncoder(options.base, rows=_ROWS_MEASURED)
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
        f"# {name}\n\nA sentence encoder for names of diseases, fine-tuned by `dxmatch.training.encoder.sentence`. The "
        "licences of its base and of the names that it was trained on hold for it.\n\n"
        f"## Training\n\n```json\n{json.dumps(training, indent=1)}\n```\n\n"
        f"## Measured\n\n{what}\n\n```json\n{json.dumps(measured, indent=1)}\n```\n"
    )


if __name__ == "__main__":
    main()
