"""The training of the encoders."""
