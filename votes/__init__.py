"""Answers of language models on pairs of diagnoses (votes) and on ICD-10 candidates (picks): asked, stored, read back."""
