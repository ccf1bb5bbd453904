"""The charts of the report: each a function report -> figures, none where the input does not allow it."""
