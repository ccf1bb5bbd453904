"""Resampling, intervals, and agreement beyond chance."""
