"""The relation model: what a match, or no match, is more exactly."""
