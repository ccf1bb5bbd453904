"""Which diagnoses of two lists match, case by case."""
