"""Two strings in, one row of features out. Knows nothing of models or metrics."""
