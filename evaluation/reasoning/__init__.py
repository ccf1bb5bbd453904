"""Diagnostic reasoning over clinical notes, in the published formats of DiReCT: graphs, annotations, predictions."""
