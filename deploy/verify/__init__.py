"""Whether a server does what the preset promises: a battery of checks, each a small question.

One module a topic holds the checks; `battery` lists them, `running` makes them, `report` tells.
"""
