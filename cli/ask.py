"""`dxmatch ask`: language models asked for the diagnoses of cases, live or by batch files; their lists for `evaluate`."""

from __future__ import annotations

from ..diagnosing.ask import ask as verb
from ..votes.asking import plan_lines
from .command import Call, command, running


@command(verb, given=("cases",), several=("cases",), says_asked=False)
def ask(call: Call) -> None:
    """Ask language models for diagnoses: cases x models x prompts x repeats. Every answer is kept; run again to go on.

    Examples
    --------
    dxmatch ask cases.jsonl --endpoints my.toml -m local:llama3 --prompt free --prompt json --repeats 3 -o lists.parquet
    """
    asked = call(planned=lambda planned: print("\n".join(plan_lines(planned))))
    print("\n".join(asked.lines()))
    if asked.lists is not None:
        if (output := call.typed.get("output")) is not None:
            print(f"Written: {output}")
        running.lacking = not asked.complete
