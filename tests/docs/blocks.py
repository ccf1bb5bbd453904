"""The code blocks of the pages, as a Markdown parser finds them, in lists and in quotes too."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

_NOT_RUN = re.compile(r"<!-- not run: (.+?) -->")
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """language : "" where it has none. title : the file that it is. not_run : why it is not run; "" where it is.
    follows : a block stands above it under the same heading.
    """

    page: Path
    line: int
    language: str
    text: str
    title: str
    not_run: str
    follows: bool = False

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def name_of(page: Path) -> str:
    if not page.is_relative_to(ROOT):
        return page.stem
    return page.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


def blocks_of(page: Path) -> list[Block]:
    """In order. A comment `<!-- not run: REASON -->` is of the block that follows it."""
    found, not_run, follows = [], "", False
    for token in MarkdownIt("commonmark").parse(page.read_text("utf-8")):
        if token.type == "html_block" and (reason := _NOT_RUN.search(token.content)):
            not_run = reason[1]
        elif token.type == "fence":
            assert token.map is not None
            title = _TITLE.search(token.info)
            language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
            found.append(
                Block(
                    page,
                    token.map[0] + 1,
                    language,
                    token.content,
                    title[1] if title else "",
                    not_run,
                    follows,
                )
            )
            not_run, follows = "", True
        elif token.type == "heading_open":
            follows = False
    return found
