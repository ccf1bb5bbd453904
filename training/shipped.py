"""Trains the model that ships, `models/offline-en`, from the public data that its card names.

python -m dxmatch.training.shipped --data FOLDER --encoder FOLDER -o models/offline-en
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from ..features.encoders.static import StaticEncoder
from ..features.pairs import Pairs, read_pairs
from ..features.progress import shown
from ..features.tables import Table
from ..features.text import Normalizer
from .summary import print_training
from .train import train

PAIRS = "craft_md_pairs.csv"
ABOUT = """
For English diagnoses of general medicine, with no network and no language model. It is what `dxmatch.load()` gives.

**Sources.** Labelled pairs: CRAFT-MD (Rajpurkar Lab; Nature Medicine 2025; MIT licence), the reference diagnosis of a case
and what one of five language models answered, labelled by GPT-4's votes. Encoder: titles and inclusion terms of ICD-10-CM (public domain),
names and synonyms of Orphadata (Orphanet, INSERM; CC-BY-4.0), exact matches of MONDO (CC-BY-4.0), and the project's own list of common synonyms.

**What was set aside.** Pairs labelled "no match" although the words of one side contain the other's ("leukemia" and "acute leukemia"), {contained}
of them: the labels call an answer that is broader than the reference wrong, while under the six criteria of a match one
diagnosis may specify the other, in either direction. {conflicts} rows of pairs with two labels.

**Limits.** The labels are a language model's, not experts'; it agrees with dermatologists on about nine pairs in ten. Some references are
no diagnoses (a drug, a test). The share of matches among the training pairs is low (about 8 %), so the threshold fits pairs of that kind: where
your pairs match more often, train on your own labels or choose your own threshold. Rare diseases, abbreviations outside the table, and
languages other than English are its weak side.

**The encoder**, beside all-MiniLM-L6-v2 in the same run. {what}

{encoder}
"""

app = typer.Typer(add_completion=False)


def contained_non_matches(pairs: Pairs, normalizer: Normalizer) -> list[bool]:
    """Per row: labelled 0, and all words of one side stand in the other; equal strings count, too."""
    assert pairs.label is not None
    words = [[set(normalizer(text).split()) for text in side.to_pylist()] for side in (pairs.a, pairs.b)]
    return [not y and (a <= b or b <= a) for a, b, y in zip(*words, pairs.label.tolist(), strict=True)]


def encoder_table(measured: Mapping[str, Any]) -> str:
    """What was measured of the encoder and its peer, as a Markdown table: one row per measure, one column per encoder."""
    encoders = [name for name, values in measured.items() if isinstance(values, Mapping)]
    lines = [f"| measure | {' | '.join(encoders)} |", "| --- " * (len(encoders) + 1) + "|"]
    for measure, value in measured[encoders[0]].items():
        if isinstance(value, Mapping):
            for part in ("at_1", "at_15"):
                cells = " | ".join(f"{measured[name][measure][part]:.3f}" for name in encoders)
                lines.append(f"| {measure}, n = {value['n']:,}, {part} | {cells} |")
        elif isinstance(value, float):
            lines.append(f"| {measure} | {' | '.join(f'{measured[name][measure]:.3f}' for name in encoders)} |")
    return "\n".join(lines)


@app.command()
def main(
    data: Annotated[Path, typer.Option(help="The folder with craft_md_pairs.csv.")],
    encoder: Annotated[Path, typer.Option(help="The folder that dxmatch.training.encoder made.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The model folder to make or replace.")],
    seed: Annotated[int, typer.Option(help="Of splits, training and resampling.")] = 0,
) -> None:
    """Trains the shipped match function; measures on a fifth of the references, then trains again with all."""
    rejects = output.parent / f"{output.name}-rejects.csv"
    try:
        read = read_pairs(data / PAIRS, a="expert", b="algorithm", label="label", rejects=rejects)
    finally:
        rejects.unlink(missing_ok=True)
    contained = contained_non_matches(read, Normalizer("en"))
    kept = read.table.data.filter(pa.array([not row for row in contained]))
    table = Table(kept, read.table.source, read.table.first_row)
    measured = StaticEncoder.load(encoder).measured
    about = ABOUT.format(
        contained=sum(contained), conflicts=read.n_rejected, what=measured["what"], encoder=encoder_table(measured)
    )
    with shown("Training") as progress:
        m = train(
            table, a="expert", b="algorithm", refit=True, encoder=encoder, about=about, name="offline-en", seed=seed, progress=progress,
        )  # fmt: skip
    m.save(output, overwrite=True)
    print_training(m, output)


if __name__ == "__main__":
    app()
