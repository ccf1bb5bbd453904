"""Hostile and damaged input, made at random: `make fuzz`, or `python -m tests.fuzz [NAME …] --minutes M` or `--number N`.

A target is a file here with `run(number, seed) -> list[str]`, what went wrong. Findings are kept under out/fuzz/, to become tests.
It ends with 1 where there is one.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time

from .findings import keep

TARGETS = ("answers", "normaliser", "tables")
BATCH = 200
"""Inputs that a target tries from one seed."""


def main(arguments: list[str] | None = None) -> int:
    chosen = _parser().parse_args(arguments)
    rows = []
    for name in chosen.names:
        tried, findings, seconds = _target(name, chosen.number, chosen.minutes * 60 / len(chosen.names), chosen.seed)
        for finding in findings:
            print(f"   {keep(name, finding)}")
        rows.append((name, tried, len(findings), seconds))
    print(f"\n{'target':<14}{'tried':>10}{'findings':>10}{'seconds':>10}")
    for name, tried, found, seconds in rows:
        print(f"{name:<14}{tried:>10,}{found:>10,}{seconds:>10.0f}")
    return int(any(found for _, _, found, _ in rows))


def _target(name: str, number: int | None, most_seconds: float, seed: int) -> tuple[int, list[str], float]:
    """Inputs tried, distinct findings, seconds: batches, each from the next seed, until the number or the time is reached."""
    module = importlib.import_module(f"{__package__}.{name}")
    tried, began = 0, time.monotonic()
    findings: dict[str, None] = {}
    while tried < number if number is not None else time.monotonic() - began < most_seconds:
        now = min(BATCH, number - tried) if number is not None else BATCH
        findings |= dict.fromkeys(module.run(now, seed))
        tried, seed = tried + now, seed + 1
    return tried, list(findings), time.monotonic() - began


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", default=TARGETS, help=f"only these of {', '.join(TARGETS)}")  # fmt: skip
    parser.add_argument("--minutes", type=float, default=20, help="for all of them together; %(default)g")
    parser.add_argument("--number", type=int, help="of inputs for each target, in place of a time")
    parser.add_argument("--seed", type=int, default=0, help="of the first batch; %(default)s")
    return parser


if __name__ == "__main__":
    sys.exit(main())
