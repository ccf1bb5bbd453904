"""`dxmatch serve`: a page to try a match function, and its JSON API."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..matcher.icd_mapping import icd
from ..matcher.match_function import load
from ..serving import serve as run
from ..serving.labels import LabelFile, user_name
from ..serving.server import check_free
from .command import Output, command


@command()
def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    labels: Output = Path("serve-labels.csv"),
    expert: str | None = None,
    known_as: Sequence[str] = (),
    open: bool = False,
    matcher: Any = None,
) -> None:
    """Serve a page to try M on this machine: two diagnoses or two lists, the reasons, ICD-10, and buttons that write labels. Ctrl-C ends it.

    It has a JSON API as well, described at /docs. Nothing is sent elsewhere, and nothing that is typed is logged.

    Parameters
    ----------
    host : str
        Where to listen. Any other address than this lets the network in, without a password.
    port : int
        Where browsers find it; 0 takes any that is free.
    labels : path
        The CSV file that takes what you say of pairs, for dxmatch train.
    expert : str
        Your name, for the column of your labels; the one you are logged in by if not given.
    known_as : str
        A name by which browsers may call this server, beside its address; may be given again.
    open : bool
        Open the page in a browser.

    Examples
    --------
    dxmatch serve --labels my-labels.csv --open
    """
    who = user_name() if expert is None else expert
    # what cannot be ends it before anything is loaded
    check_free(host, port)
    LabelFile(labels, who)
    m = matcher or load()
    if not m.rests_on_votes:  # what is made once on a machine is made before the page is there
        m.relation("gout", "asthma") if m.has_relation_model else m.match("gout", "asthma")
        icd("gout", matcher=m)

    def ready(address: str) -> None:
        print(f"Open {address} (labels go to {labels}; Ctrl-C ends it)", flush=True)
        if open:
            import webbrowser

            webbrowser.open(address)

    run(m, host=host, port=port, labels=labels, expert=who, names=known_as, ready=ready)
    print("Ended; what you said is kept.")
