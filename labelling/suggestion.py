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

from ..errors import DxmatchError, InputError, OptionError
from ..files.atomic import whole_folder
from ..files.tables import read_table, write_table
from . import label_studio, sheet

UNCERTAIN, RANDOM = "uncertain", "random"
EXPERTS = ("expert_1", "expert_2", "expert_3")
FORMAT = 1
KEY, MADE_WITH = "key.csv", "suggestion.json"
_NAME = re.compile(r"[^\W_][\w-]{0,39}")


@dataclass(frozen=True)
class Suggestion:
    """key : a row for each pair: id, row (in the pool, as its reader sees it), a, b, chosen ("uncertain" or "random"),
    probability (what M says). made_with : model, pool, settings, counts; with `experts` once it was saved.
    """

    key: pa.Table
    made_with: dict[str, Any]
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return self.key.num_rows

    def save(self, folder: str | os.PathLike[str], experts: Sequence[str] = EXPERTS) -> Path:
        """Writes the folder, whole or not at all.

        key.csv, suggestion.json : for the researcher. sheets/<expert>.csv, sheets/INSTRUCTIONS.md : for the experts;
        no probability, no reason, nobody else's answer, and an order and sides of each expert's own.
        label_studio/<expert>.json, label_studio/config.xml : the same for Label Studio.

        Errors: `DxmatchError` for a folder that holds something: a sheet that experts have filled is never replaced.
        """
        check_experts(experts)
        check_new_folder(folder)
        with whole_folder(folder) as made:
            write_table(self.key, made / KEY, spreadsheet=False)  # read back
            about = {"format": FORMAT, "experts": list(experts), **self.made_with}
            (made / MADE_WITH).write_text(json.dumps(about, ensure_ascii=False, indent=1), "utf-8")
            (made / sheet.FOLDER).mkdir()
            (made / sheet.FOLDER / "INSTRUCTIONS.md").write_text(sheet.INSTRUCTIONS, "utf-8")
            (made / label_studio.FOLDER).mkdir()
            (made / label_studio.FOLDER / "config.xml").write_text(label_studio.CONFIG, "utf-8")
            for expert in experts:
                questions = sheet.questions(self.key, expert, self.made_with["seed"])
                sheet.write(questions, made / sheet.FOLDER / f"{expert}.csv")
                label_studio.write_tasks(questions, made / label_studio.FOLDER / f"{expert}.json")
        return Path(folder)

    @classmethod
    def read(cls, folder: str | os.PathLike[str]) -> Suggestion:
        """Errors: `DxmatchError` where the folder is no suggestion; `InputError` for a key with an id missing or twice."""
        place = Path(folder)
        try:
            made_with = json.loads((place / MADE_WITH).read_text("utf-8"))
        except (OSError, ValueError):
            labels = "; a table of labels goes to 'dxmatch train' as it is" if place.is_file() else ""
            raise DxmatchError(f"{place}: not a folder that 'dxmatch suggest' made{labels}.") from None
        if not isinstance(made_with, dict) or made_with.get("format") != FORMAT:
            raise DxmatchError(f"{place / MADE_WITH}: not of this release (format {FORMAT}).")
        table = read_table(place / KEY)
        for column in ("id", "row", "a", "b", "chosen", "probability"):
            table.require(column)
        identities = table.required_text("id").to_pylist()
        for index, identity in enumerate(identities):
            if identities.index(identity) != index:
                raise table.error("an id twice", index, "id", allowed="each id once", got=identity)
        probability = [_probability(table, index, text) for index, text in enumerate(table.column("probability"))]
        return cls(table.data.set_column(5, "probability", pa.array(probability, pa.float64())), made_with)

    def words(self) -> list[str]:
        """What was picked from what, for the terminal."""
        counts, drawn = self.made_with["counts"], self.key.column("chosen").to_pylist().count(RANDOM)
        left_out = {
            "set aside": counts["set_aside"],
            "the same pair again": counts["repeated"],
            "equal after normalisation": counts["equal"],
            "labelled already": counts["labelled"],
        }
        said = ", ".join(f"{count:,} {what}" for what, count in left_out.items() if count)
        lines = [
            f"{counts['free']:,} pairs to choose from" + (f" (without {said})." if said else "."),
            f"{len(self):,} chosen: {len(self) - drawn:,} uncertain and diverse, {drawn:,} at random.",
        ]
        if held := counts.get("held_out"):
            seed = self.made_with["split"]["seed"]
            lines.append(
                f"{held:,} of them are of references that a training with seed {seed} holds out: their labels measure, the others teach."
            )
        return lines

    @property
    def experts(self) -> tuple[str, ...]:
        return tuple(self.made_with["experts"])


def check_experts(experts: Sequence[str], option: str = "experts") -> None:
    """Errors: `OptionError` for none, one twice, or a name that cannot be part of a file's and a column's name."""
    if not experts or len({expert.casefold() for expert in experts}) < len(experts):
        raise OptionError(option, "one name or more, each once", ",".join(experts))
    for expert in experts:
        if _NAME.fullmatch(expert) is None:
            raise OptionError(option, "names of letters, digits, _ and -, 40 at most", expert)


def check_new_folder(folder: str | os.PathLike[str]) -> None:
    """Errors: `DxmatchError` where the folder holds something, or cannot be made."""
    target = Path(folder)
    if target.exists() and not target.is_dir():
        raise DxmatchError(f"{target} is a file; a new folder is needed.")
    if target.is_dir() and any(target.iterdir()):
        raise DxmatchError(f"{target} holds something already, maybe answers; choose a new folder.")
    if not target.absolute().parent.is_dir():
        raise DxmatchError(f"{target.absolute().parent}: no such folder (for {target.name}).")


def _probability(table: Any, index: int, text: str | None) -> float:
    try:
        value = float(text or "")
    except ValueError:
        value = float("nan")
    if not 0 <= value <= 1:
        error: InputError = table.error(
            "no probability", index, "probability", allowed="0 to 1, as 'suggest' wrote it", got=text
        )
        raise error
    return value
