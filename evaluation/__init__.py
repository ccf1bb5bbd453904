"""M on lists of diagnoses, the multiplicity and characteristic functions, the metrics built on them, and the report."""
