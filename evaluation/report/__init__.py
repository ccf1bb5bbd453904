"""The report of an evaluation: tables, words, a page with charts, files."""
