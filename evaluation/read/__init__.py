"""What users bring, and what is to be told of it."""
