"""`python -m dxmatch.cli`."""

from .main import main

main()
