"""dxmatch as estimators of scikit-learn: features of pairs, and the training of a match function."""
