"""The site: built strictly, complete, without a request to anywhere, searchable from the disk."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import dxmatch

from ..chromium import CHROMIUM, tab
from .blocks import DOCS, PAGES, ROOT

API = "\n".join(page.read_text("utf-8") for page in sorted((DOCS / "api").glob("*.md")))
FETCHED = re.compile(
    r"""<(?:script|img|iframe|source|audio|video)\b[^>]*\bsrc=["']?(?:https?:)?//|"""
    r"""<link\b(?=[^>]*\brel=["']?(?:stylesheet|preload|preconnect|icon|manifest|dns-prefetch))[^>]*\bhref=["']?(?:https?:)?//""",
    re.IGNORECASE,
)
"""What a page of HTML would load from elsewhere, as soon as it is opened."""
FETCHED_BY_STYLE = re.compile(r"""(?:url\(\s*["']?|@import\s+["'])(?:https?:)?//""")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", out], cwd=ROOT, capture_output=True,
        text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return out


def test_every_page_is_built_and_in_the_navigation(site: Path) -> None:
    pages = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert {page for page in pages if not (site / page).with_suffix(".html").is_file()} == set()
    assert pages == set(named(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))


def named(entry: Any) -> Iterator[str]:
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from named(below)


def test_nothing_is_fetched(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 30
    assert {page.name: found[0] for page in pages if (found := FETCHED.search(page.read_text("utf-8")))} == {}
    assert {file.name for file in site.rglob("*.css") if FETCHED_BY_STYLE.search(file.read_text("utf-8"))} == set()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the site in")
def test_it_is_searched_from_the_disk(site: Path, tmp_path: Path) -> None:
    """A search finds the page, no page is wider than a phone, and the browser has nothing to say."""
    with tab(tmp_path, 390, 900) as opened:
        opened.ask("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=True)
        opened.open((site / "metrics.html").as_uri())
        opened.value("document.querySelector('[data-md-component=search-query]').focus()")
        opened.value("document.querySelector('[data-md-toggle=search]').click()")
        opened.press(*"kripp")
        for _ in range(100):
            if opened.value("document.querySelectorAll('.md-search-result__item').length"):
                break
            opened.wait()
        assert opened.value("document.querySelectorAll('.md-search-result__item').length") > 0
        wide = {}
        for page in ("index.html", "metrics.html", "papers.html", "gallery.html", "install.html", "api/matching.html"):
            opened.open((site / page).as_uri())
            wide[page] = opened.value("document.documentElement.scrollWidth")
        assert set(wide.values()) == {390}, wide
        assert opened.said == []


# the reference of Python


def test_the_reference_has_every_public_name_method_and_metric(site: Path) -> None:
    public = {*dxmatch.__all__} - {"__version__", "metrics", "serving"}
    assert public - {*re.findall(r"^::: dxmatch\.(\w+)$", API, re.MULTILINE)} == set()
    page, in_full = ((site / name).read_text("utf-8") for name in ("api/matching.html", "metrics.html"))
    methods = re.findall(r"^        - (\w+)$", API, re.MULTILINE)
    assert [name for name in methods if f'id="dxmatch.MatchFunction.{name}"' not in page] == []
    assert [name for name in dxmatch.metrics.REGISTRY if f'<h3 id="{name}"' not in in_full] == []


def test_the_reference_shows_options_not_stars() -> None:
    """Explicit signatures: an option that is swallowed by `**options` is one that nobody finds."""
    functions = [getattr(dxmatch, name) for name in dxmatch.__all__ if inspect.isfunction(getattr(dxmatch, name))]
    starred = {
        function.__name__
        for function in functions
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.VAR_KEYWORD and not str(p.annotation).startswith("Unpack[")
    }
    assert len(functions) > 10 and starred == set()


# the gallery


def test_pictures_are_small_and_used() -> None:
    pictures = sorted((DOCS / "pictures").iterdir())
    text = "\n".join(page.read_text("utf-8") for page in PAGES)
    assert [file.name for file in pictures if f"pictures/{file.name}" not in text] == []
    assert sum(file.stat().st_size for file in pictures) < 2_000_000
    assert (DOCS / "pictures" / "report.png").stat().st_size < 200_000


def test_the_readme_is_one_page() -> None:
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 95
