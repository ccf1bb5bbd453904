"""What is measured of a match function, with bootstrap intervals over references."""
