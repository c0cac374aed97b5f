"""What `python -m deploy` does: one module a command, each of the form `Command` describes."""
