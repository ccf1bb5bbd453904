"""Language models as judges of lists, and as classifiers of relation and severity."""
