"""`dxmatch serve`: a page to try a match function, and its JSON API."""

from __future__ import annotations

from pathlib import Path

from ..matcher.icd_mapping import icd
from ..matcher.match_function import MatchFunction
from ..serving import serve as verb
from .command import Call, Output, command


@command(verb, leave_out=("labels", "matcher"))
def serve(call: Call, *, labels: Output = Path("serve-labels.csv"), open: bool = False, matcher: MatchFunction) -> None:
    """Serve a page to try M on this machine: two diagnoses or two lists, the reasons, ICD-10, and buttons that write labels. Ctrl-C ends it.

    It has a JSON API as well, described at /docs. Nothing is sent elsewhere, and nothing that is typed is logged.

    Parameters
    ----------
    labels : path
        The CSV file that takes what you say of pairs, for dxmatch train.
    open : bool
        Open the page in a browser.

    Examples
    --------
    dxmatch serve --labels my-labels.csv --open
    """
    if not matcher.rests_on_votes:  # what is made once on a machine is made before the page is there
        matcher.relation("gout", "asthma") if matcher.has_relation_model else matcher.match("gout", "asthma")
        icd("gout", matcher=matcher)

    def ready(address: str) -> None:
        print(f"Open {address} (labels go to {labels}; Ctrl-C ends it)", flush=True)
        if open:
            import webbrowser

            webbrowser.open(address)

    call(matcher=matcher, labels=labels, ready=ready)
    print("Ended; what you said is kept.")
