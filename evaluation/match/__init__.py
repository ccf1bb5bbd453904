"""Whoever says whether two diagnoses match: M, ICD-10 codes, a language model, people."""
