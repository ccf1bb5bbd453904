"""The case browser of the page: every case with its right answers, the lists, and what was matched with what."""
