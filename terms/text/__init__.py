"""The normaliser and what it knows of words."""
