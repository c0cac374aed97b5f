"""Case files as others make them, and the calls of a script that brings them in."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from typing import Any

import aiohttp
from PIL import Image

from tests.site import CHAT, Client


def picture(colour: str = "red", kind: str = "PNG") -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(data, kind)
    return data.getvalue()


def case(*entries: dict[str, Any], **rest: Any) -> bytes:
    file = {"format": "glm-playground-case", "version": 1, "entries": entries, **rest}
    return json.dumps(file).encode()


def media(data: bytes, **rest: Any) -> dict[str, Any]:
    """The entry of `media` of a picture, under the hash of its bytes."""
    facts = {"kind": "image", "name": "cat.png", "mime": "image/png", **rest}
    held = base64.b64encode(data).decode()
    return {hashlib.sha256(data).hexdigest(): {**facts, "base64": held}}


def talk(text: str = "Hello", **rest: Any) -> bytes:
    return case({"kind": "user", "text": text}, {"kind": "turn", "text": "Hi"}, **rest)


def zipped(**members: bytes) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"{name}.json", content)
    return data.getvalue()


def form(data: bytes, name: str) -> aiohttp.FormData:
    fields = aiohttp.FormData()
    fields.add_field("file", data, filename=name)
    return fields


async def bring(client: Client, data: bytes, name: str = "a.case.json") -> list[dict[str, Any]]:
    """Imports a file; the lines that were answered."""
    status, answer = await client.call("POST", "/api/cases", data=form(data, name))
    assert status == 200, answer
    return [json.loads(line) for line in answer.splitlines()]


async def brought(client: Client, data: bytes) -> str:
    """Imports one chat; its id."""
    progress, chat, end = await bring(client, data)
    assert (progress["type"], chat["type"]) == ("progress", "chat")
    assert end == {"type": "end", "chats": 1, "refused": 0}
    chat_id: str = chat["chat"]["id"]
    return chat_id


async def messages(client: Client, chat: str = CHAT) -> list[dict[str, Any]]:
    status, answer = await client.call("GET", f"/api/chats/{chat}")
    assert status == 200, answer
    found: list[dict[str, Any]] = answer["messages"]
    return found
