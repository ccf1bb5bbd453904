"""One diagnosis: its text, its vector, its place in ICD-10."""
