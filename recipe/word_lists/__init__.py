"""What the package knows of names, as tables."""
