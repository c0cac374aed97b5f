"""The HTTP routes of pictures and clips: in by upload, out by signed, short-lived addresses."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, File, Path, Query, Request, UploadFile
from starlette.responses import FileResponse, Response

from app.chat.messages import Attachment
from app.media import MediaLimits, MediaRefused, data_url, prepare
from app.store.media import MediaStore, MediaUnknown
from app.turns.chat_views import media_view
from app.turns.errors import Refusal
from app.turns.visitors import Owner, RateLimit, visitor_address

_FORM_BYTES = 100_000
"""What a multipart form adds to the file in it, at most."""

_FILES_IN_MEMORY = 4
"""Uploads that are read at once; the others wait on disk."""

ADDRESS_LIFETIME_S = 3600.0
"""How long the address of a picture works; a page that is opened again gets new ones."""


@dataclass(frozen=True, slots=True)
class MediaDesk:
    """What runs and routes need of the pictures and clips."""

    store: MediaStore
    limits: MediaLimits

    def address(self, content_hash: str) -> str:
        """The signed address of the bytes, relative to the page."""
        return f"api/media/{content_hash}?{self.store.sign(content_hash, ADDRESS_LIFETIME_S)}"

    async def find(self, me: str, content_hash: str) -> Attachment:
        """The owner's attachment. Raises MediaUnknown."""
        return await self.store.find(me, content_hash)

    async def load(self, me: str, attachment: Attachment) -> str | None:
        """The owner's attachment as a data URL; None where it is no longer kept."""
        try:
            known, data = await self.store.get(me, attachment.hash)
        except MediaUnknown:
            return None
        return data_url(data, known.mime)


def media_routes(desk: MediaDesk, limit: RateLimit | None, *, public: bool) -> APIRouter:
    """The routes under `/api/media`; `limit` counts a visitor's uploads."""
    router = APIRouter(prefix="/api/media", tags=["pictures and clips"])
    in_memory = asyncio.Semaphore(_FILES_IN_MEMORY)

    @router.post("", status_code=201, max_body_size=desk.limits.max_bytes + _FORM_BYTES)
    async def upload(
        me: Owner,
        request: Request,
        file: Annotated[UploadFile, File(description="One picture or clip.")],
    ) -> dict[str, Any]:
        """Takes a picture or a clip, upright and within the budget; answers its content hash."""
        if limit is not None:
            limit.take(visitor_address(request) if public else me)
        name = _plain_name(file.filename)
        async with in_memory:
            data = await file.read()
            try:
                prepared = await prepare(data, name, desk.limits)
            except MediaRefused as refused:
                sentence = refused.sentence
                raise Refusal(
                    422,
                    "media_refused",
                    str(refused),
                    key=f"media.{sentence.key}",
                    values=sentence.values,
                ) from None
        attachment = await desk.store.add(me, prepared.attachment, prepared.data)
        return {
            **media_view(attachment, desk.address),
            "notes": list(prepared.notes),
            "note_sentences": [
                {"key": f"media_note.{note.key}", "values": dict(note.values)}
                for note in prepared.notes
            ],
        }

    @router.get("/{content_hash}")
    async def fetch(
        content_hash: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
        expires: Annotated[int, Query()],
        signature: Annotated[str, Query(max_length=200)],
    ) -> Response:
        """The bytes of a picture or a clip, for whoever holds its signed address."""
        if not desk.store.verify(content_hash, expires, signature):
            raise Refusal(403, "address_expired", "This address has expired.", "Reload the page.")
        try:
            mime, path = await desk.store.open_signed(content_hash)
        except MediaUnknown:
            raise Refusal(404, "no_media", "This picture or clip is no longer kept.") from None
        return FileResponse(
            path,
            media_type=mime,
            headers={
                "Cache-Control": "private, max-age=3600, immutable",
                "Content-Security-Policy": "default-src 'none'; sandbox",
                "X-Content-Type-Options": "nosniff",
            },
        )

    return router


def _plain_name(name: str | None) -> str:
    """The file's own name without folders and control characters, at most 120 characters."""
    last = (name or "").replace("\\", "/").rsplit("/", 1)[-1]
    return "".join(c for c in last if c.isprintable())[:120]
