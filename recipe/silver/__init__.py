"""Silver pairs: labelled pairs made from public vocabularies under the six expert criteria."""
