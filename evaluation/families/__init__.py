"""Families of metrics: each gives one section of a report, or says which column it lacks."""
