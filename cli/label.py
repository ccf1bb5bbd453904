"""`dxmatch label`: labels from the console, one pair at a time."""

from __future__ import annotations

import sys

from ..labelling.console import label as verb
from .command import Call, command
from .results import say_rejected


@command(verb, given=("pairs",), leave_out=("ask_again",), stdout=None)
def label(call: Call) -> None:
    """Label pairs here, one at a time: y, n, u (unsure), s (skip), b (back), ? (the criteria), q (quit), each with Enter.

    No model says anything. Every answer is kept at once; the same command goes on where you stopped.

    Examples
    --------
    dxmatch label pairs.csv -o labelled.csv --expert anna
    dxmatch label round-1 -o labelled.csv --expert anna
    """
    done = call(ask_again=sys.stdin.isatty())
    print(f"\n{done.words()}")
    then = (
        "The same command goes on with what is open." if done.open else "To train on them: dxmatch train {} -o my-model"
    )
    print(then.format(call.typed["output"]))
    say_rejected(done.rejected, call.typed.get("rejects"))
