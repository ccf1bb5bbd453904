"""What a match function relies on, where it errs, and why it decided as it did on a pair."""
