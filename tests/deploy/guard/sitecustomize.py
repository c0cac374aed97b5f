"""Refuses every address that is not this machine's own, in this process and in its children.

Python imports a module of this name by itself when its folder is on PYTHONPATH. It acts while
GLM_TEST_STRANGERS names a file: what was refused is written there, a line each.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from typing import Any, Final

STRANGERS: Final = "GLM_TEST_STRANGERS"
_NAMES: Final = ("socket.getaddrinfo", "socket.gethostbyname")


def is_own(host: object) -> bool:
    """Whether a name or an address is this machine's own; none at all is."""
    text = host.decode() if isinstance(host, bytes) else str(host or "localhost")
    try:
        return ipaddress.ip_address(text.partition("%")[0]).is_loopback
    except ValueError:
        return text == "localhost" or text.endswith(".localhost")


def _refuse(event: str, values: tuple[Any, ...]) -> None:
    if event in _NAMES:
        host = values[0]
    elif event in ("socket.connect", "socket.sendto"):
        if values[0].family not in (socket.AF_INET, socket.AF_INET6):
            return
        host = values[1][0]
    else:
        return
    told = os.environ.get(STRANGERS)
    if told is None or is_own(host):
        return
    with open(told, "a", encoding="utf-8") as file:
        file.write(f"{event} {host!r} by {sys.argv[0]!r}\n")
    raise ConnectionRefusedError(f"a test asked {host!r}, which is not this machine")


sys.addaudithook(_refuse)
