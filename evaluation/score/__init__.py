"""Metrics, one file a family: what each is, and its value for every case and rater."""
