"""`dxmatch serve`: a page to try a match function, and its JSON API."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .options import Endpoints, Model, Origin, Policy, Store


def serve(
    host: Annotated[
        str, typer.Option(help="Where to listen. Any other address than this lets the network in, without a password.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any that is free.")] = 8765,
    labels: Annotated[
        Path, typer.Option(help="The CSV file that takes what you say of pairs, for dxmatch train.")
    ] = Path("serve-labels.csv"),
    expert: Annotated[
        str | None,
        typer.Option(help="Your name, for the column of your labels; the one you are logged in by if not given."),
    ] = None,
    known_as: Annotated[
        list[str] | None,
        typer.Option(help="A name by which browsers may call this server, beside its address. May be repeated."),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    model: Model = None,
    policy: Policy = None,
    store: Store = None,
    endpoints: Endpoints = None,
    origin: Origin | None = None,
) -> None:
    """Serve a page to try M on this machine: two diagnoses or two lists, the reasons, ICD-10, and buttons that write labels. Ctrl-C ends it.

    It has a JSON API as well, described at /docs. Nothing is sent elsewhere, and nothing that is typed is logged.
    """
    from ..matcher.icd_mapping import map_icd
    from ..matcher.match_function import load
    from ..serving import serve as run
    from ..serving.labels import LabelFile, user_name
    from ..serving.server import check_free

    who = user_name() if expert is None else expert
    # what cannot be ends it before anything is loaded
    check_free(host, port)
    LabelFile(labels, who)
    given: dict[str, Any] = {} if policy is None else {"policy": policy}
    m = load(model, store=store, endpoints=endpoints, **given, **(origin or {}))
    if not m.rests_on_votes:  # what is made once on a machine is made before the page is there
        m.relation("gout", "asthma") if m.has_relation_model else m.match("gout", "asthma")
        map_icd("gout", model=m)

    def ready(address: str) -> None:
        typer.echo(f"Open {address} (labels go to {labels}; Ctrl-C ends it)")
        if open_page:
            import webbrowser

            webbrowser.open(address)

    run(m, host=host, port=port, labels=labels, expert=who, names=known_as or (), ready=ready)
    typer.echo("Ended; what you said is kept.")
