"""`python -m dxmatch.training.encoder`: trains the static encoder."""

from .command import main

main()
