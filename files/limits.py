"""How long a diagnosis may be, wherever it comes from."""

MAX_CHARACTERS = 10_000
"""A longer one is refused: it is a document, not a name."""
