"""Putting the model on eight H100s: checked, pushed, watched, verified.

It may import app.settings, app.connections, app.deployment, app.chat, app.endpoint, app.media,
app.tools and, for calls as code, app.export. The app never imports it, and learns of a deployment
from the record that it writes. truss, an extra, is imported by few modules here, and only where it
is needed.
"""
