"""Tools as data: what they declare, whether a call fits, what answers it, and the run of steps.

Nothing here executes a tool, and nothing that a schema names is ever fetched.
"""
