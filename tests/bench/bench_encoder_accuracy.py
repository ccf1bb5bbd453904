"""The shipped encoder beside all-MiniLM-L6-v2 on the real data: judged pairs, ICD categories, and names kept back.

python -m tests.bench encoder_accuracy
"""

from __future__ import annotations

from pathlib import Path

from dxmatch.terms.encoders.static import StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.encoder.measure import icd_category_right, pairs_average_precision, read_queries

from .bench_encoder import WEIGHTS, Peer
from .report import Row, show
from .shared import DATA


def accuracy(ours: StaticEncoder, peer: Peer, normalizer: Normalizer) -> list[Row]:
    """Of the shipped weights, which have seen Orphadata's names; the figures on unseen names are in `unseen`."""
    rows = []
    n, precision = pairs_average_precision(ours, DATA / "craft_md_pairs.csv", normalizer)
    _, theirs = pairs_average_precision(peer, DATA / "craft_md_pairs.csv", normalizer)
    rows.append(Row(f"{n:,} judged pairs: average precision of the cosine", "AP", precision, "MiniLM", theirs))
    queries = read_queries(DATA / "orphadata_icd10.csv", [], normalizer)
    right = [icd_category_right(encoder, queries, normalizer).mean(axis=0) for encoder in (ours, peer)]
    for at, place in ((1, 0), (15, 1)):
        what = f"ICD category right at {at}, {len(queries.texts)} names (seen by ours)"
        rows.append(Row(what, "share", float(right[0][place]), "MiniLM", float(right[1][place])))
    return rows


def unseen(ours: StaticEncoder) -> list[Row]:
    """What the training measured on diseases kept back, as it stands beside the weights."""
    rows = []
    for peer, theirs in ours.measured.items():
        for figure, value in ours.measured["ours"].items() if isinstance(theirs, dict) and peer != "ours" else ():
            for at in ("at_1", "at_15") if isinstance(value, dict) else ():
                what = f"kept back: {figure.replace('_', ' ')} {at.replace('_', ' ')} (n = {value['n']})"
                rows.append(Row(what, "share", value[at], peer, theirs[figure][at]))
            if figure == "pairs_average_precision":
                rows.append(Row("kept back: pairs average precision", "AP", value, peer, theirs[figure]))
    return rows


def main() -> None:
    if not (DATA / "craft_md_pairs.csv").is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    ours = StaticEncoder.load(WEIGHTS)
    rows = accuracy(ours, Peer(), Normalizer()) + unseen(ours)
    show(rows, Path("out/bench/encoder_accuracy.json"))


if __name__ == "__main__":
    main()
