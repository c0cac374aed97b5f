"""The HTTP routes of pictures and clips: in by upload, out by signed, short-lived addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Path, Query, Request, UploadFile
from starlette.responses import FileResponse, Response, StreamingResponse

from app.chat.messages import Attachment
from app.media import ClipWish, MediaLimits, data_url
from app.store.media import MediaStore, MediaUnknown
from app.turns.errors import Refusal, refusals
from app.turns.limits import VisitorLimits
from app.turns.uploads import UPLOAD_LINES, Upload, unless_gone
from app.turns.visitors import Owner, visitor_of

_FORM_BYTES = 100_000
"""What a multipart form adds to the file in it, at most."""

_NDJSON = "application/x-ndjson"

_EXPIRED = Refusal(403, "address_expired", "This address has expired.", "Reload the page.")
_NO_MEDIA = Refusal(404, "no_media", "This picture or clip is no longer kept.")
_REFUSED = Refusal(422, "media_refused", "The file cannot be sent; the sentence says why.")

_NOBODY = Response(status_code=499)
"""For a client that has hung up: it is never read."""

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


def media_routes(desk: MediaDesk, limits: VisitorLimits, *, public: bool) -> APIRouter:
    """The routes under `/api/media`; `limits` are for a visitor's uploads."""
    router = APIRouter(prefix="/api/media", tags=["pictures and clips"])

    @router.post(
        "",
        status_code=201,
        response_model=None,
        max_body_size=desk.limits.max_bytes + _FORM_BYTES,
        responses={201: UPLOAD_LINES, **refusals(_REFUSED)},
    )
    async def upload(
        me: Owner,
        request: Request,
        file: Annotated[UploadFile, File(description="One picture or clip.")],
        start_s: Annotated[
            float,
            Form(ge=0, allow_inf_nan=False, description="Where the part of a clip begins."),
        ] = 0.0,
        end_s: Annotated[
            float | None,
            Form(gt=0, allow_inf_nan=False, description="Where it ends; unset: at its end."),
        ] = None,
        shrink: Annotated[
            bool, Form(description="Whether a clip is encoded again to have fewer bytes.")
        ] = False,
    ) -> dict[str, Any] | Response:
        """Takes a picture or a clip, upright and within the budget; answers its content hash.

        Seconds are those of the clip. A clip that is refused with `offers` can be sent again with
        a part of it named, or to be shrunk.
        """
        await limits.upload(visitor_of(request) if public else me, me, file.size or 0)
        sent = Upload(me, file, ClipWish(start_s, end_s, shrink))
        if _NDJSON in request.headers.get("accept", ""):
            lines = sent.lines(desk.store, desk.limits, desk.address)
            headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
            return StreamingResponse(lines, 201, headers, _NDJSON)
        kept = await unless_gone(request, sent.kept(desk.store, desk.limits, desk.address))
        return _NOBODY if kept is None else kept

    @router.get("/{content_hash}", responses=refusals(_EXPIRED, _NO_MEDIA))
    async def fetch(
        content_hash: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")],
        expires: Annotated[int, Query()],
        signature: Annotated[str, Query(max_length=200)],
    ) -> Response:
        """The bytes of a picture or a clip, for whoever holds its signed address."""
        if not desk.store.verify(content_hash, expires, signature):
            raise _EXPIRED
        try:
            mime, path = await desk.store.open_signed(content_hash)
        except MediaUnknown:
            raise _NO_MEDIA from None
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
