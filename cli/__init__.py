"""The command line: one file a command, each of which calls one public function."""

from types import SimpleNamespace

running = SimpleNamespace(names={}, said=str, all_options=False)
"""The command that runs. names : a parameter -> what the command calls it, for the words of errors. said : a message without temporary files.
all_options : whether help shows them."""
