"""The shapes that people's lists come in, each turned into the long form."""
