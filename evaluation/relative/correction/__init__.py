"""Metrics corrected for M's own errors, from pairs that experts labelled."""
