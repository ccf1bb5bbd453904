"""Every answer of a language model, kept in SQLite."""
