"""An HTML page of sentences, tables and charts, and the charts as files. Knows nothing of models or metrics."""
