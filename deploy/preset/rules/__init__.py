"""What is asked of a preset, a rule a function, by what it is about."""
