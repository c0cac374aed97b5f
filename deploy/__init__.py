"""Putting the model on eight H100s: the module that checks, pushes and watches the preset.

It may import app.settings, app.chat, app.endpoint, app.media and app.tools; the app never
imports it.
"""
