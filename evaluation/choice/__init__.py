"""Multiple choice: questions and answers read, models asked, the figures."""
