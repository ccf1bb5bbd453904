"""The trees of a model: LightGBM's text checked, scored, and their SHAP values."""
