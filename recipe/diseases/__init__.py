"""The graph of diseases, from the tables of its sources to the form that ships."""
