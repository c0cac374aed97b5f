"""Who has signed in, where the server lets people sign in.

Signing in is Gradio's, with Hugging Face, on a Space that asks for it (`hf_oauth: true`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class User:
    """A person who has signed in; `id` never changes, `name` may."""

    id: str
    name: str


def can_sign_in() -> bool:
    """Whether this is a Space whose owner has switched signing in on.

    Source: the variables that Spaces set, https://huggingface.co/docs/hub/spaces-oauth.
    """
    on_space = os.environ.get("SYSTEM") == "spaces" and os.environ.get("SPACE_ID")
    return bool(on_space and os.environ.get("OAUTH_CLIENT_ID"))


def signed_in(request: Request) -> User | None:
    """Who asks, by the signed cookie that Gradio's sign-in has set; None for everybody else."""
    session = request.scope.get("session")
    known = session.get("oauth_info") if isinstance(session, Mapping) else None
    if not isinstance(known, Mapping):
        return None
    expires = known.get("expires_at")
    if isinstance(expires, int | float) and expires < time.time():
        return None
    person: Any = known.get("userinfo")
    if not isinstance(person, Mapping) or not person.get("sub"):
        return None
    return User(str(person["sub"]), str(person.get("preferred_username") or person["sub"]))
