"""The command line: one file a command, each of which calls one public function."""
