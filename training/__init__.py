"""Labels in, a fitted, calibrated and measured match function out."""
