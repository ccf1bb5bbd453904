"""The command that trains, measures and writes the static encoder: `python -m dxmatch.training.encoder.fit --help`."""

from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DxmatchError, InputError
from ...terms.encoders import Encoder
from ...terms.encoders.static import Shape, StaticEncoder
from ...terms.text.normalizer import Normalizer
from .data import (
    COMMON,
    FIFTHS,
    Names,
    Synonyms,
    common_synonyms,
    fifths,
    icd_synonyms,
    join,
    read_synonyms,
)
from .measure import Queries, icd_category_right, pairs_average_precision, read_queries, shares

_NUMBERS: dict[str, Callable[[str], Any]] = {"int": int, "float": float}


def main(arguments: Sequence[str] | None = None) -> None:
    """Exit code 0 done, 1 the data failed, 2 wrong usage."""
    try:
        _run(_parser().parse_args(arguments))
    except DxmatchError as error:
        print(f"dxmatch: {error}", file=sys.stderr)
        raise SystemExit(1) from None


def _parser() -> argparse.ArgumentParser:
    from .fit import Settings

    parser = argparse.ArgumentParser(
        prog="python -m dxmatch.training.encoder.fit", description="Trains the static encoder on names of diseases."
    )
    parser.add_argument(
        "--synonyms",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="columns name and synonym; give it once per file",
    )
    parser.add_argument("--no-common", action="store_true", help="leave out the common synonyms that come with dxmatch")
    parser.add_argument("--no-icd", action="store_true", help="leave out ICD-10-CM")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--threads", type=int, default=1, help="of torch (default 1)")
    for field in fields(Settings):
        kind = _NUMBERS[str(field.type)]
        parser.add_argument(
            f"--{field.name.replace('_', '-')}", type=kind, default=field.default, help=f"default {field.default}"
        )
    measuring = parser.add_argument_group(
        "measuring", "before the training on all, on diseases that a training has not seen"
    )
    measuring.add_argument("--icd-names", type=Path, metavar="FILE", help="Orphadata's names with ICD-10 codes")
    measuring.add_argument("--pairs", type=Path, metavar="FILE", help="judged pairs: expert, algorithm, label")
    measuring.add_argument(
        "--parts", type=int, default=1, help=f"how many of the {FIFTHS} fifths of the diseases are kept back in turn"
    )
    measuring.add_argument(
        "--kept-back", type=Path, metavar="FOLDER", help="also write the encoder that has not seen the first fifth"
    )
    measuring.add_argument("--peer", metavar="MODEL", help="a sentence-transformers model to measure beside")
    measuring.add_argument("--peer-name", help="what to call it")
    return parser


def _run(options: argparse.Namespace) -> None:
    from .fit import Settings, train_encoder

    settings = Settings(**{field.name: getattr(options, field.name) for field in fields(Settings)})
    normalizer = Normalizer()
    sources = [read_synonyms(path) for path in options.synonyms]
    if not options.no_common:
        sources.append(common_synonyms())
    if not options.no_icd:
        sources.append(icd_synonyms())
    if not sources:
        raise InputError("nothing to train on", allowed="--synonyms FILE, or without --no-icd or --no-common")
    names = join(sources, normalizer)
    _say(f"{len(names.texts):,} names, {len(names.pairs):,} pairs, {len(np.unique(names.disease)):,} diseases")

    def train(part: Names, what: str) -> StaticEncoder:
        about = {"normalizer": normalizer.identity, "sources": _sources(sources, options.synonyms)}
        return train_encoder(
            part, Shape(), settings, threads=options.threads, about=about, progress=_Progress(what)
        ).encoder

    measured: dict[str, Any] = {}
    if options.icd_names or options.pairs or options.kept_back:
        measured = _measure(options, names, sources, normalizer, train)
    final = train(names, "all names")
    final.measured.update(measured)
    final.save(options.output)
    _say(f"{final.identity} in {options.output}: {sum(map(len, final.files().values())) / 1e6:.1f} MB")


def _measure(
    options: argparse.Namespace,
    names: Names,
    sources: Sequence[Synonyms],
    normalizer: Normalizer,
    train: Callable[[Names, str], StaticEncoder],
) -> dict[str, Any]:
    """Keeps each fifth of the diseases back in turn; its names are asked of the encoder that has not seen them."""
    if not 1 <= options.parts <= FIFTHS:
        raise InputError("the number of parts", source="--parts", allowed=f"1 to {FIFTHS}", got=options.parts)
    fifth = fifths(names)
    of_name = dict(zip(names.texts, fifth.tolist(), strict=True))
    queries = (
        read_queries(options.icd_names, sources, normalizer)
        if options.icd_names
        else Queries([], [], np.zeros(0, bool))
    )
    # A name that no training source holds is unseen by every training; it is asked with the first fifth.
    part_of_query = np.array([of_name.get(text, 0) for text in queries.texts], np.int64)
    right = np.zeros((len(queries.texts), 2), np.bool_)
    found: dict[str, Any] = {"ours": {}}
    peer = _peer(options)
    for part in range(options.parts):
        encoder = train(names.take(fifth != part), f"without fifth {part + 1}")
        if options.kept_back and part == 0:
            encoder.save(options.kept_back)
        asked = part_of_query == part
        if options.icd_names:
            right[asked] = icd_category_right(encoder, queries.take(asked), normalizer)
        if options.pairs and part == 0:
            n, precision = pairs_average_precision(encoder, options.pairs, normalizer)
            found["ours"] = {"pairs": n, "pairs_average_precision": round(precision, 4)}
    if not (options.icd_names or options.pairs):
        return {}
    asked = part_of_query < options.parts
    found["ours"] |= _categories(queries, right, part_of_query, options.parts)
    if peer is not None:
        name, model = peer
        theirs = np.zeros_like(right)
        found[name] = {}
        if options.pairs:
            n, precision = pairs_average_precision(model, options.pairs, normalizer)
            found[name] = {"pairs": n, "pairs_average_precision": round(precision, 4)}
        if options.icd_names:
            theirs[asked] = icd_category_right(model, queries.take(asked), normalizer)
        found[name] |= _categories(queries, theirs, part_of_query, options.parts)
    what = (
        "Names whose disease the training has not seen: all names of a fifth of the diseases are kept back. "
        "icd_category: the share of Orphadata's names (relation E) whose nearest code of ICD-10-CM, or one of the 15 "
        "nearest, lies in the right three-character category. pairs_average_precision: of the cosine alone, on judged "
        "pairs, with the first fifth kept back."
    )
    for name, figures in found.items():
        _say(f"{name}: {figures}")
    return {"what": what, **found}


def _categories(queries: Queries, right: np.ndarray, part: np.ndarray, parts: int) -> dict[str, Any]:
    """Shares right for the main names and for all names: of the first fifth, and of all that were kept back in turn."""
    out: dict[str, Any] = {}
    for label, last in (("first_fifth", 1), *([(f"{parts}_fifths", parts)] if parts > 1 else [])):
        for kind, kept in (("main_names", queries.main), ("with_synonyms", np.ones(len(queries.texts), bool))):
            at = kept & (part < last)
            if at.any():
                out[f"icd_category_{label}_{kind}"] = {"n": int(at.sum()), **shares(right[at])}
    return out


def _peer(options: argparse.Namespace) -> tuple[str, Encoder] | None:
    if options.peer is None:
        return None
    from ...terms.encoders.sentence import SentenceEncoder

    folder = Path(options.peer)
    model = SentenceEncoder(folder if folder.is_dir() else options.peer, rows=64)
    return options.peer_name or folder.name, model


def _sources(sources: Sequence[Synonyms], files: Sequence[Path]) -> list[dict[str, Any]]:
    """Names and hashes of what was trained on, without the folders of this machine."""
    hashes = {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    out: list[dict[str, Any]] = []
    for source in sources:
        if source.source in hashes:
            known = {"file": Path(source.source).name, "sha256": hashes[source.source]}
        elif source.source == COMMON:
            known = {"files": f"training/word_lists/{COMMON}*.csv"}
        else:
            known = {"package": f"simple-icd-10-cm {version('simple-icd-10-cm')}", "names": source.source}
        out.append({**known, "rows": len(source.first)})
    return out


class _Progress:
    """A line every ten seconds."""

    def __init__(self, what: str) -> None:
        self._what, self._start = what, time.monotonic()
        self._last = self._start

    def __call__(self, step: int, steps: int, loss: float) -> None:
        now = time.monotonic()
        if now - self._last >= 10 or step == steps:
            self._last = now
            _say(f"{self._what}: step {step:,} of {steps:,}, loss {loss:.3f}, {now - self._start:.0f} s")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
