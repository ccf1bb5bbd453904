"""The graph of diseases: their names, what is a kind of what, and the diseases that a string is nearest to."""
