"""What the two commands that train encoders share: their sources of names, and an option for each setting."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TypeVar

from ...errors import DxmatchError, InputError
from ...terms.text.normalizer import Normalizer
from .data import Synonyms, common_synonyms, disease_synonyms, icd_synonyms, read_synonyms

Settings = TypeVar("Settings")


def add_options(parser: argparse.ArgumentParser, settings: type) -> argparse.ArgumentParser:
    """--synonyms, --no-common, --no-icd, --output, --threads, and one option for each field of `settings`."""
    parser.add_argument(
        "--synonyms", type=Path, action="append", default=[], metavar="FILE",
        help="columns name and synonym; give it once per file",
    )  # fmt: skip
    parser.add_argument("--diseases", type=Path, metavar="FOLDER", help="with the tables of the graph of diseases")
    parser.add_argument("--no-common", action="store_true", help="leave out the common synonyms that come with dxmatch")
    parser.add_argument("--no-icd", action="store_true", help="leave out ICD-10-CM's titles and inclusion terms")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--threads", type=int, default=1, help="of PyTorch (default 1)")
    for field in fields(settings):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(option, type=type(field.default), default=field.default, help=f"default {field.default}")
    return parser


def settings_of(options: argparse.Namespace, settings: type[Settings]) -> Settings:
    return settings(**{field.name: getattr(options, field.name) for field in fields(settings)})  # type: ignore[arg-type]


def read_sources(options: argparse.Namespace) -> list[Synonyms]:
    """The files of synonyms, then the built-in ones. Raises `InputError` where nothing is left to train on."""
    sources = [read_synonyms(path) for path in options.synonyms]
    if options.diseases:
        sources.append(disease_synonyms(options.diseases, Normalizer()))
    if not options.no_common:
        sources.append(common_synonyms())
    if not options.no_icd:
        sources.append(icd_synonyms())
    if not sources:
        raise InputError("nothing to train on", allowed="--synonyms FILE, or without --no-icd or --no-common")
    return sources


def run(
    command: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser, arguments: Sequence[str] | None
) -> None:
    """Exit code 0 done, 1 the data failed, 2 wrong usage."""
    try:
        command(parser.parse_args(arguments))
    except DxmatchError as error:
        say(f"dxmatch: {error}")
        raise SystemExit(1) from None


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
