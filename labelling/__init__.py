"""Active labelling: which pairs to have labelled next, sheets for blind labelling, and the labels read back."""
