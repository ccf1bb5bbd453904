"""Bootstrap intervals, significance, and what every family's results are made of."""
