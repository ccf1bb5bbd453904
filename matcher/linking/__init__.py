"""Lists of diagnoses against each other: one against many, all pairs, links, duplicates."""
