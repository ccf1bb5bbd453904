"""What was suggested, and the folder that it becomes: a key for the researcher, sheets and tasks for the experts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import DxmatchError, OptionError
from ..files.atomic import whole_folder
from ..files.tables import read_table, write_table
from ..files.wording import counted
from .sheets import CONFIG, INSTRUCTIONS, PREFIX, SHEETS, STUDIO, questions, write_sheet

UNCERTAIN, RANDOM = "uncertain", "random"
KEY, MADE_WITH = "key.csv", "suggestion.json"
_NAME = re.compile(r"[^\W_][\w-]{0,39}")


@dataclass(frozen=True)
class Suggestion:
    """What `suggest` returns.

    key : a row for each pair: row (in the pool, as its reader sees it), a, b, chosen ("uncertain" or "random"), probability (what M says).
    experts : who shall label. made_with : the match function, pool, settings, counts.
    """

    key: pa.Table
    experts: tuple[str, ...]
    made_with: dict[str, Any]

    def __len__(self) -> int:
        return self.key.num_rows

    def save(self, folder: str | os.PathLike[str]) -> Path:
        """Writes the folder, whole or not at all.

        key.csv, suggestion.json : for the researcher. sheets/<expert>.xlsx, sheets/INSTRUCTIONS.md : for the experts;
        no probability, no reason, nobody else's answer, and an order and sides of each expert's own.
        label_studio/<expert>.json, label_studio/config.xml : the same for Label Studio.

        Raises
        ------
        DxmatchError
            For a folder that holds something: a sheet that experts have filled is never replaced.
        """
        check_new_folder(folder)
        with whole_folder(folder) as made:
            write_table(self.key, made / KEY, spreadsheet=False)  # read back
            about = {"experts": self.experts, **self.made_with}
            (made / MADE_WITH).write_text(json.dumps(about, ensure_ascii=False, indent=1), "utf-8")
            for name, text in ((f"{SHEETS}/INSTRUCTIONS.md", INSTRUCTIONS), (f"{STUDIO}/config.xml", CONFIG)):
                (made / name).parent.mkdir()
                (made / name).write_text(text, "utf-8")
            for expert in self.experts:
                asked = questions(self.key, expert, self.made_with["seed"])
                write_sheet(asked, PREFIX + expert, made / SHEETS / f"{expert}.xlsx")
                tasks = [{"data": pair} for pair in asked.to_pylist()]
                (made / STUDIO / f"{expert}.json").write_text(json.dumps(tasks, ensure_ascii=False, indent=1), "utf-8")
        return Path(folder)

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Suggestion:
        """Reads what `save` wrote.

        Raises
        ------
        DxmatchError
            Where the folder is no suggestion.
        """
        place = Path(folder)
        try:
            made_with = json.loads((place / MADE_WITH).read_text("utf-8"))
        except (OSError, ValueError):
            raise DxmatchError(f"{place}: not a folder that 'dxmatch suggest' made.") from None
        key = read_table(place / KEY).data
        key = key.set_column(
            key.column_names.index("probability"), "probability", key["probability"].cast(pa.float64())
        )
        return cls(key, tuple(made_with.pop("experts")), made_with)

    def words(self) -> list[str]:
        """Says what was picked from what."""
        made, counts = self.made_with, self.made_with["counts"]
        drawn = self.key["chosen"].to_pylist().count(RANDOM)
        left_out = {what: count for what, count in counts.items() if count and what not in ("rows", "free")}
        said = ", ".join(f"{count:,} {what}" for what, count in left_out.items())
        lines = [
            f"{counted(counts['free'], 'pair')} to choose from" + (f" (without {said})." if said else "."),
            f"{len(self):,} chosen: {len(self) - drawn:,} uncertain and diverse, {drawn:,} at random.",
        ]
        if len(self) < min(made["asked"], counts["free"]):
            lines.append(f"More would put one diagnosis into over {made['per_diagnosis']} of them (per_diagnosis).")
        return lines


def check_experts(experts: Sequence[str], option: str = "experts") -> tuple[str, ...]:
    """Errors: `OptionError` for none, one twice, or a name that cannot be part of a file's and a column's name."""
    if not experts or len({expert.casefold() for expert in experts}) < len(experts):
        raise OptionError(option, "one name or more, each once", ",".join(experts))
    for expert in experts:
        if _NAME.fullmatch(expert) is None:
            raise OptionError(option, "names of letters, digits, _ and -, 40 at most", expert)
    return tuple(experts)


def check_new_folder(folder: str | os.PathLike[str]) -> None:
    """Errors: `DxmatchError` where the folder holds something."""
    target = Path(folder)
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise DxmatchError(f"{target} holds something already, maybe answers; choose a new folder.")
