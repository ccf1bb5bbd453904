"""The options of an evaluation that say where ICD-10 codes of texts come from -> `TextCodes`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import OptionError
from ..files.limits import MAX_CHARACTERS
from ..matcher.protocol import Matcher
from ..progress import Progress
from ..votes.store import STORE
from ..votes.asking import Budget
from .lists.text_codes import Mapped, TextCodes, read_codes

_UNMAPPED = Mapped(None, "unmapped")


def text_codes(
    codes: Any,
    pick: str | None,
    matcher: Matcher,
    icd_source: str | os.PathLike[str],
    encoding: str | None,
    budget: Budget | None,
    *,
    store: str | os.PathLike[str] | None,
    progress: Progress | None,
    **options: Any,
) -> TextCodes:
    """codes, pick : as in `evaluate`. options : features, endpoints, encoder, distance, entries, direct, as in `map_icd`.

    Raises
    ------
    InputError
        For a table that cannot be right; `OptionError` for options that `map_icd` refuses, once it is asked.
    """
    table = None if codes is None else read_codes(codes, encoding)
    encoder, distance, entries = (options[name] for name in ("encoder", "distance", "entries"))
    if pick is None and not options["direct"]:
        raise OptionError("icd_direct", "True without 'pick': it says what a language model is asked", False)
    if pick is None and encoder is None and distance is None and entries is None:
        return TextCodes(table)
    spent = budget or Budget()

    def mapping(texts: Sequence[str]) -> list[Mapped]:
        from ..matcher.icd_mapping import map_icd
        from ..matcher.match_function import MatchFunction, load

        m = matcher if isinstance(matcher, MatchFunction) else load()
        readable = [text for text in texts if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
        looked_up = zip(readable, m.providers.naming.to_code(readable), strict=True)
        # what is denied or not understood has no code, and no model is paid for it
        asked = [text for text, one in looked_up if one.no_code is None or m.judge_all]
        if not asked:
            return [_UNMAPPED] * len(texts)
        found = map_icd(
            {"diagnosis": asked}, source=icd_source, model=m, pick=pick, store=Path(store or STORE), **spent.left(),
            **({} if progress is None else {"progress": progress}), **options,
        )  # fmt: skip
        if found.asked is not None:
            spent.summaries.append(found.asked)
        rows = (Mapped(row["icd10"], row["how"]) for row in found.table.select(["icd10", "how"]).to_pylist())
        of_text = dict(zip(asked, rows, strict=True))
        return [of_text.get(text, _UNMAPPED) for text in texts]

    ways = ", ".join(text for text in (encoder, distance, entries) if text)
    by = f"the picks of {pick}" if pick else "the nearest names"
    by = by if options["direct"] else f"{by}, asked about every text"
    return TextCodes(table, mapping, f"{by} ({ways})" if ways else by)
