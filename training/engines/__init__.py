"""What fits the trees: LightGBM, or AutoGluon."""
