"""The command that trains, measures and writes the static encoder: `python -m dxmatch.recipe.encoder --help`."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InputError
from ...progress import shown
from ...terms.encoders import Encoder
from ...terms.encoders.static import Shape, StaticEncoder
from ...terms.text.normalizer import Normalizer
from .data import COMMON, DISEASES, FOLDS, Names, Synonyms, folds_of, join
from .fit import Settings, train_encoder
from .measure import Queries, icd_category_right, judged_pairs, read_queries, shares
from .options import add_options, read_sources, run, say, settings_of


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit code 0 done, 1 the data failed, 2 wrong usage."""
    run(_run, _parser(), arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m dxmatch.recipe.encoder", description="Trains the static encoder on names of diseases."
    )
    add_options(parser, Settings)
    measuring = parser.add_argument_group(
        "measuring", "before the training on all, on diseases that a training has not seen"
    )
    measuring.add_argument("--icd-names", type=Path, metavar="FILE", help="Orphadata's names with ICD-10 codes")
    measuring.add_argument("--pairs", type=Path, metavar="FILE", help="judged pairs: expert, algorithm, label")
    measuring.add_argument(
        "--parts", type=int, default=1, help=f"how many of the {FOLDS} folds of the diseases are kept back in turn"
    )
    measuring.add_argument(
        "--kept-back", type=Path, metavar="FOLDER", help="also write the encoder that has not seen the first fold"
    )
    measuring.add_argument("--peer", metavar="MODEL", help="a sentence-transformers model to measure beside")
    measuring.add_argument("--peer-name", help="what to call it")
    measuring.add_argument("--allow-download", action="store_true", help="the hub may be asked for the peer")
    return parser


def _run(options: argparse.Namespace) -> None:
    settings = settings_of(options, Settings)
    normalizer = Normalizer()
    sources = read_sources(options)
    names = join(sources, normalizer)
    say(f"{len(names.texts):,} names, {len(names.pairs):,} pairs, {len(np.unique(names.disease)):,} diseases")

    def train(part: Names, what: str) -> StaticEncoder:
        about = {"normalizer": normalizer.identity, "sources": _sources(sources, options.synonyms, options.diseases)}
        with shown(what) as progress:
            return train_encoder(
                part, Shape(), settings, threads=options.threads, about=about, progress=progress
            ).encoder

    measured: dict[str, Any] = {}
    if options.icd_names or options.pairs or options.kept_back:
        measured = _measure(options, names, sources, normalizer, train)
    final = train(names, "all names")
    final.measured.update(measured)
    final.save(options.output)
    say(f"{final.identity} in {options.output}: {sum(map(len, final.files().values())) / 1e6:.1f} MB")


def _measure(
    options: argparse.Namespace,
    names: Names,
    sources: Sequence[Synonyms],
    normalizer: Normalizer,
    train: Callable[[Names, str], StaticEncoder],
) -> dict[str, Any]:
    """Keeps each fold of the diseases back in turn; its names are asked of the encoder that has not seen them."""
    if not 1 <= options.parts <= FOLDS:
        raise InputError("the number of parts", source="--parts", allowed=f"1 to {FOLDS}", got=options.parts)
    fold = folds_of(names)
    of_name = dict(zip(names.texts, fold.tolist(), strict=True))
    queries = Queries([], [], np.zeros(0, bool))
    if options.icd_names:
        queries = read_queries(options.icd_names, sources, normalizer)
    # A name that no training source holds is unseen by every training; it is asked with the first fold.
    part_of_query = np.array([of_name.get(text, 0) for text in queries.texts], np.int64)
    encoders: dict[str, list[Encoder]] = {"ours": []}
    for part in range(options.parts):
        encoders["ours"].append(train(names.take(fold != part), f"without fold {part + 1}"))
    if options.kept_back:
        encoders["ours"][0].save(options.kept_back)  # type: ignore[attr-defined]
    if not (options.icd_names or options.pairs):
        return {}
    if options.peer is not None:
        name, model = _peer(options)
        encoders[name] = [model] * options.parts
    found: dict[str, Any] = {}
    for name, of_part in encoders.items():
        right = np.zeros((len(queries.texts), 2), np.bool_)
        for part, encoder in enumerate(of_part):
            asked = part_of_query == part
            if asked.any():
                right[asked] = icd_category_right(encoder, queries.take(asked), normalizer)
        found[name] = judged_pairs(of_part[0], options.pairs, normalizer)
        found[name] |= _categories(queries, right, part_of_query, options.parts)
    what = (
        "Names whose disease the training has not seen: all names of a fold of the diseases, a fifth of them, are kept back. "
        "icd_category: the share of Orphadata's names (relation E) whose nearest code of ICD-10-CM, or one of the 15 "
        "nearest, lies in the right three-character category. pairs_average_precision: of the cosine alone, on judged "
        "pairs, with the first fold kept back."
    )
    for name, figures in found.items():
        say(f"{name}: {figures}")
    return {"what": what, **found}


def _categories(queries: Queries, right: np.ndarray, part: np.ndarray, parts: int) -> dict[str, Any]:
    """Shares right for the main names and for all names: of the first fold, and of all that were kept back in turn."""
    out: dict[str, Any] = {}
    for label, last in (("first_fifth", 1), *([(f"{parts}_fifths", parts)] if parts > 1 else [])):
        for kind, kept in (("main_names", queries.main), ("with_synonyms", np.ones(len(queries.texts), bool))):
            at = kept & (part < last)
            if at.any():
                out[f"icd_category_{label}_{kind}"] = {"n": int(at.sum()), **shares(right[at])}
    return out


def _peer(options: argparse.Namespace) -> tuple[str, Encoder]:
    from ...terms.encoders.sentence import SentenceEncoder

    folder = Path(options.peer)
    model = SentenceEncoder(folder if folder.is_dir() else options.peer, rows=64, allow_download=options.allow_download)
    return options.peer_name or folder.name, model


def _sources(sources: Sequence[Synonyms], files: Sequence[Path], diseases: Path) -> list[dict[str, Any]]:
    """Names and hashes of what was trained on, without the folders of this machine."""
    hashes = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    out: list[dict[str, Any]] = []
    for source in sources:
        if source.source == DISEASES:
            known = {"file": DISEASES, "sha256": hashlib.sha256((diseases / DISEASES).read_bytes()).hexdigest()}
        elif source.source in hashes:
            known = {"file": Path(source.source).name, "sha256": hashes[source.source]}
        elif source.source == COMMON:
            known = {"files": f"recipe/word_lists/{COMMON}*.csv"}
        else:
            known = {"package": f"simple-icd-10-cm {version('simple-icd-10-cm')}", "names": source.source}
        out.append({**known, "rows": len(source.first)})
    return out


if __name__ == "__main__":
    main()
