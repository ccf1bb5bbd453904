"""A saved page as a parser and as Chromium read it; reports that several tests look at."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pandas as pd

from ..made import long_form

VOID = {"meta", "br", "path", "img", "link", "base", "input", "hr"}


class Page(HTMLParser):
    """open : tags that are open at the end. seen : all tags with their attributes. text : what is shown. scripts : by id."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.text: list[str] = []
        self.scripts: dict[str | None, str] = {}
        self.style = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open[-1:] == [tag], (tag, self.open)
            self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.scripts[self.seen[-1][1].get("id")] = data
        elif self.open[-1:] == ["style"]:
            self.style += data
        else:
            self.text.append(data)

    def all(self, tag: str) -> list[dict[str, Any]]:
        return [attributes for name, attributes in self.seen if name == tag]

    @property
    def shown(self) -> str:
        return " ".join("".join(self.text).split())

    @property
    def specs(self) -> dict[str, Any]:
        """Chart -> its specification."""
        ends = "-spec"
        return {n.removesuffix(ends): json.loads(t) for n, t in self.scripts.items() if n and n.endswith(ends)}

    @property
    def cases(self) -> Any:
        """What the case browser reads."""
        return json.loads(self.scripts["case-data"])


def answers(skills: dict[str, int], n: int = 40, k: int = 5) -> pd.DataFrame:
    """Model -> of n cases, in how many the right answer is first; in two more it stands second."""
    cases, roles = {}, {"truth": "reference", **dict.fromkeys(skills, "algorithm")}
    for case in range(n):
        right, lists = f"disease {case}", {"truth": [f"disease {case}"]}
        for model, skill in skills.items():
            others = [f"stranger {case} {rank}" for rank in range(k - 1)]
            place = 0 if case < skill else 1 if case < skill + 2 else None
            lists[model] = others if place is None else [*others[:place], right, *others[place:]]
        cases[f"c{case:02}"] = lists
    return long_form(cases, roles)
