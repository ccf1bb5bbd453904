"""`dxmatch serve`: a page to try a match function, and its JSON API; apart from other commands, since it needs an extra."""

from pathlib import Path

from .. import MatchFunction
from ..serving import serve as verb
from .command import Call, Output, command


@command(verb)
def serve(call: Call, *, labels: Output = Path("serve-labels.csv"), matcher: MatchFunction) -> None:
    """Serve a page, and a JSON API, to try a match function.

    On this machine: two diagnoses or two lists, the reasons, ICD-10, and buttons that write labels. Ctrl-C ends it. It has a JSON API as well (docs/serve.md). Nothing is sent elsewhere, but doubtful pairs to the model that --doubtful.model names, and nothing that is typed is logged.

    Parameters
    ----------
    labels : path
        The CSV file that takes what you say of pairs, for dxmatch train.

    Examples
    --------
    dxmatch serve --labels my-labels.csv
    """
    where = f"(labels go to {labels}; Ctrl-C ends it)"
    call(matcher=matcher, labels=labels, ready=lambda address: print(f"Open {address} {where}", flush=True))
    print("Ended; what you said is kept.")
