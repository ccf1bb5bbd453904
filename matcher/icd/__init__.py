"""Codes of lists and references as nodes of an ICD-10 tree."""
