"""Nothing is made ready in the background; `terms.icd.search` still asks whether it is."""


def wait() -> None: ...
