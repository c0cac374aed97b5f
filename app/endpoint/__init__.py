"""The model server, as seen from here: requests out, a turn's events in.

Retries, timeouts, error bodies and a cold start are dealt with here; what a chunk means is
`app.chat`'s business.
"""

from __future__ import annotations

from app.endpoint.endpoint import Endpoint
from app.endpoint.settings import EndpointSettings
from app.endpoint.state import ServerState

__all__ = ["Endpoint", "EndpointSettings", "ServerState"]
