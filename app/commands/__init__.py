"""What `python -m app` does: one module a command."""
