"""The command that trains, measures and writes the static encoder: `python -m dxmatch.recipe.encoder --help`."""

from __future__ import annotations

import hashlib
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter

from ...errors import DxmatchError
from ...progress import shown
from ...terms.encoders import Encoder
from ...terms.encoders.static import Shape, StaticEncoder
from ...terms.icd.search import CANDIDATES
from ...terms.text.normalizer import Normalizer
from ..diseases.tables import NAMES
from .data import (
    JUDGED_PAIRS,
    KEPT_BACK_FOLD,
    MONDO_EXACT,
    ORPHADATA_CODES,
    ORPHADATA_SYNONYMS,
    Names,
    all_sources,
    folds_of,
    join,
)
from .fit import Settings, train_encoder
from .measure import Queries, icd_category_right, judged_pairs, read_queries

_WHAT = (
    "Names whose disease the training has not seen: all names of a fold of the diseases, a fifth of them, are kept back. "
    "icd_category: the share of Orphadata's names (relation E) whose nearest code of ICD-10-CM, or one of the 15 "
    "nearest, lies in the right three-character category. pairs_average_precision: of the cosine alone, on judged "
    "pairs, with the first fold kept back."
)

app = App()


@app.default
def main(
    *,
    data: Path,
    output: Annotated[Path, Parameter(name=("--output", "-o"))],
    kept_back: Path,
    peer: Path | None = None,
    peer_name: str = "peer",
    threads: int = 1,
    settings: Annotated[Settings, Parameter(name="*")] = Settings(),
) -> None:
    """Trains the static encoder on names of diseases: first without a fifth of them, which it is measured on, then on all.

    Parameters
    ----------
    data
        The folder with the files of Orphadata, MONDO and the graph of diseases, and with the judged pairs.
    output
        The folder of the encoder.
    kept_back
        The folder of the encoder that has not seen the first fold of the diseases.
    peer
        The folder of a sentence-transformers model to measure beside.
    peer_name
        What to call it.
    threads
        Of PyTorch.
    """
    try:
        _run(data, output, kept_back, peer, peer_name, threads, settings)
    except DxmatchError as error:
        _say(f"dxmatch: {error}")
        raise SystemExit(1) from None


def _run(
    data: Path, output: Path, kept_back: Path, peer: Path | None, peer_name: str, threads: int, settings: Settings
) -> None:
    normalizer = Normalizer()
    sources = all_sources(data, normalizer)
    names = join([*sources.values()], normalizer)
    _say(f"{len(names.texts):,} names, {len(names.pairs):,} pairs, {len(np.unique(names.disease)):,} diseases")
    # names and hashes of what is trained on, without the folders of this machine
    files = (ORPHADATA_SYNONYMS, MONDO_EXACT, NAMES)
    about = {
        "normalizer": normalizer.identity,
        "sources": {name: len(source.first) for name, source in sources.items()},
        "files": {name: hashlib.sha256((data / name).read_bytes()).hexdigest() for name in files},
        "simple-icd-10-cm": version("simple-icd-10-cm"),
    }

    def train(part: Names, what: str) -> StaticEncoder:
        with shown(what) as progress:
            return train_encoder(part, Shape(), settings, threads=threads, about=about, progress=progress)

    held_out = folds_of(names) == KEPT_BACK_FOLD
    part = train(names.take(~held_out), "without the first fold")
    part.save(kept_back)
    encoders: dict[str, Encoder] = {"ours": part}
    if peer is not None:
        from ...terms.encoders.sentence import SentenceEncoder

        encoders[peer_name] = SentenceEncoder(peer)
    queries = read_queries(data / ORPHADATA_CODES, [*sources.values()], normalizer)
    # A name that no training source holds is unseen by every training; it is asked, too.
    unseen = dict(zip(names.texts, held_out.tolist(), strict=True))
    queries = queries.take(np.array([unseen.get(text, True) for text in queries.texts], np.bool_))
    measured: dict[str, Any] = {"what": _WHAT}
    for name, encoder in encoders.items():
        measured[name] = judged_pairs(encoder, data / JUDGED_PAIRS, normalizer)
        measured[name] |= _categories(queries, icd_category_right(encoder, queries, normalizer))
        _say(f"{name}: {measured[name]}")
    final = train(names, "all names")
    final.measured.update(measured)
    final.save(output)
    _say(f"{final.identity} in {output}: {sum(array.nbytes for array in final.arrays().values()) / 1e6:.1f} MB")


def _categories(queries: Queries, right: np.ndarray) -> dict[str, Any]:
    """Shares right for the main names and for all names."""
    return {
        f"icd_category_first_fifth_{kind}": {
            "n": int(asked.sum()),
            **dict(zip(("at_1", f"at_{CANDIDATES}"), right[asked].mean(axis=0).round(4).tolist(), strict=True)),
        }
        for kind, asked in (("main_names", queries.main), ("with_synonyms", np.ones(len(right), bool)))
        if asked.any()
    }


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    app()
