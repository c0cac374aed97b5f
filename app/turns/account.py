"""Who has signed in, where the server lets people sign in.

Signing in is Gradio's: with Hugging Face, on a Space that asks for it (`hf_oauth: true`), or with a
name and a password of the owner's (`GLM_AUTH`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.requests import Request


@dataclass(frozen=True, slots=True)
class User:
    """A person who has signed in; `id` never changes, `name` may.

    `organisations` are the names of those that Hugging Face says the person is a member of.
    """

    id: str
    name: str
    organisations: frozenset[str] = frozenset()


LET_IN: Final = "glm.user"
"""Where the scope of a request holds the User whom the door has let in."""


def can_sign_in() -> bool:
    """Whether this is a Space whose owner has switched signing in on.

    Source: the variables that Spaces set, https://huggingface.co/docs/hub/spaces-oauth.
    """
    on_space = os.environ.get("SYSTEM") == "spaces" and os.environ.get("SPACE_ID")
    return bool(on_space and os.environ.get("OAUTH_CLIENT_ID"))


def signed_in(request: Request) -> User | None:
    """Who asks: who the door let in by name and password, else whom the cookie of Gradio's sign-in
    with Hugging Face names; None for everybody else.
    """
    let_in = request.scope.get(LET_IN)
    return let_in if isinstance(let_in, User) else user_of_session(request.scope.get("session"))


def user_of_session(session: Any) -> User | None:
    """Whom a session of Gradio's sign-in names, as long as it has not expired."""
    known = session.get("oauth_info") if isinstance(session, Mapping) else None
    if not isinstance(known, Mapping):
        return None
    expires = known.get("expires_at")
    if isinstance(expires, int | float) and expires < time.time():
        return None
    person: Any = known.get("userinfo")
    if not isinstance(person, Mapping) or not person.get("sub"):
        return None
    name = str(person.get("preferred_username") or person["sub"])
    return User(str(person["sub"]), name, organisations_of(person))


def organisations_of(person: Mapping[str, Any]) -> frozenset[str]:
    """The names of a person's organisations, in small letters.

    Source: `orgs` of the user info, https://huggingface.co/docs/hub/oauth.
    """
    listed = person.get("orgs")
    each = [org for org in listed if isinstance(org, Mapping)] if isinstance(listed, list) else []
    names = (org.get("preferred_username") for org in each)
    return frozenset(name.casefold() for name in names if isinstance(name, str))
