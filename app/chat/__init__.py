"""The heart: conversations, requests, streams and turns as pure values and functions.

Nothing here knows a framework, a socket or a disk. The arrows of the project end here.
"""
