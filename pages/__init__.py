"""What is shown: an HTML page of sentences, tables and charts, charts as files, tables on a terminal. Knows nothing of models or metrics."""
