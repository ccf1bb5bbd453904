"""Lists of diagnoses: read, checked, ranked."""
