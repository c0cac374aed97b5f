"""Running turns: their slots, the log of each, who may listen, and the HTTP routes."""
