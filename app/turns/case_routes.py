"""The HTTP routes of case files: chats out of the playground as they are, and into it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import zipfile
from collections.abc import AsyncGenerator
from functools import partial
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, File, Request, UploadFile
from starlette.responses import StreamingResponse

from app.export.case_reading import CaseError
from app.export.case_writing import CASE_ENDING
from app.store.chats import ChatLine, ChatStore, ChatUnknown
from app.store.database import StoreError
from app.turns.case_desk import CaseDesk
from app.turns.case_files import CaseFiles
from app.turns.chat_views import line_view
from app.turns.errors import Refusal, refusals
from app.turns.file_names import plain_name, saved_name
from app.turns.limits import VisitorLimits
from app.turns.visitors import ChatId, Owner, visitor_of

logger = logging.getLogger(__name__)

_NO_CHAT = Refusal(404, "no_chat", "There is no such chat.", "Begin a new one.")
_NO_CASE = Refusal(422, "no_case", "The file is neither a case file nor a zip of case files.")

_TOO_LARGE = Refusal(422, "case_too_large", "The chat is too large to be written as a file.")

_FORM_BYTES: Final = 100_000
"""What a multipart form adds to the file in it, at most."""

_LINES_AT_ONCE: Final = 200
_PIECE: Final = 1_000_000
"""Bytes that are compressed in one go, on their way out."""

_NDJSON: Final[dict[str, Any]] = {
    "description": "NDJSON, a line an event: `progress` (`done` of `of`, and the `name` of the "
    "file that comes next), `chat` (a `chat` as the list shows it, and `notes` on what of it could "
    "not be kept), `refused` (`name`, `message`), and last `end` (`chats`, `refused`: how many).",
    "content": {"application/x-ndjson": {}},
}


def case_routes(desk: CaseDesk, limits: VisitorLimits, *, public: bool) -> APIRouter:
    """The routes; `limits` are for a visitor's uploads."""
    router = APIRouter(prefix="/api", tags=["case files"])

    @router.get(
        "/chats/{chat_id}/case",
        response_class=StreamingResponse,
        responses={
            200: {"description": "The file.", "content": {"application/json": {}}},
            **refusals(_NO_CHAT, _TOO_LARGE),
        },
    )
    async def export_chat(me: Owner, chat_id: ChatId) -> StreamingResponse:
        """A chat as a case file: all its versions, what was sent and what came for each answer,
        ratings, pictures and clips.
        """
        found = await desk.store.find(me, chat_id)
        if found is None:
            raise _NO_CHAT
        pieces = _pieces(desk, me, chat_id)
        try:
            await anext(pieces)  # what can be refused is, before the answer begins
        except ChatUnknown:
            raise _NO_CHAT from None
        except CaseError as error:
            raise Refusal(_TOO_LARGE.status, _TOO_LARGE.code, str(error)) from None
        headers = _saved_as(saved_name(found.title) + CASE_ENDING)
        return StreamingResponse(pieces, media_type="application/json", headers=headers)

    @router.get(
        "/cases",
        response_class=StreamingResponse,
        responses={200: {"description": "The zip.", "content": {"application/zip": {}}}},
    )
    async def export_chats(me: Owner) -> StreamingResponse:
        """All chats of the owner, as a zip of case files."""
        return StreamingResponse(
            _zipped(desk, me), media_type="application/zip", headers=_saved_as("chats.zip")
        )

    @router.post(
        "/cases",
        max_body_size=desk.max_bytes + _FORM_BYTES,
        response_class=StreamingResponse,
        responses={200: _NDJSON, **refusals(_NO_CASE)},
    )
    async def import_chats(
        me: Owner,
        request: Request,
        file: Annotated[
            UploadFile,
            File(description="A case file, or a zip of them.", examples=["chat.case.json"]),
        ],
    ) -> StreamingResponse:
        """Adds the chats of case files, one by one, under new ids. A file that cannot be read
        does not stop the others; hanging up does.
        """
        await limits.upload(visitor_of(request) if public else me, me, file.size or 0)
        try:
            files = await asyncio.to_thread(
                CaseFiles, file.file, plain_name(file.filename), max_bytes=desk.max_bytes
            )
        except CaseError as error:
            raise Refusal(_NO_CASE.status, _NO_CASE.code, str(error)) from None
        return StreamingResponse(
            _imported(desk, me, files, limits),
            media_type="application/x-ndjson",
            headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
        )

    return router


async def _imported(
    desk: CaseDesk, me: str, files: CaseFiles, limits: VisitorLimits
) -> AsyncGenerator[bytes, None]:
    """Imports file by file; the lines that tell of it."""
    names = files.names
    chats = 0
    for number, name in enumerate(names):
        yield _line("progress", done=number, of=len(names), name=name)
        try:
            await limits.room(me)
            taken = await desk.take(me, partial(files.extract, number))
            line = await desk.store.find(me, taken.chat)
        except CaseError as error:
            yield _line("refused", name=name, message=str(error))
            continue
        except Refusal as refusal:
            yield _line("refused", name=name, message=f"{refusal.message} {refusal.remedy}".strip())
            continue
        except StoreError as error:
            logger.error("%s", error)
            message = "The playground cannot keep the chat just now: try again in a moment."
            yield _line("refused", name=name, message=message)
            continue
        except Exception:  # whatever one file does, the others are imported
            logger.exception("A case file could not be imported")
            message = "The playground itself failed on this file: its log tells more."
            yield _line("refused", name=name, message=message)
            continue
        if line is not None:
            chats += 1
            yield _line("chat", chat=line_view(line, running=False), notes=taken.notes)
    yield _line("end", chats=chats, refused=len(names) - chats)


def _line(kind: str, **fields: Any) -> bytes:
    return json.dumps({"type": kind, **fields}).encode() + b"\n"


async def _pieces(desk: CaseDesk, me: str, chat: str) -> AsyncGenerator[bytes, None]:
    """The case file of a chat; first nothing, once it is there. Raises as `exported` does."""
    async with desk.exported(me, chat) as path:
        with await asyncio.to_thread(path.open, "rb") as file:
            yield b""
            while piece := await asyncio.to_thread(file.read, _PIECE):
                yield piece


class _Sink:
    """A file that is written and never read: what was written can be taken from it once."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        """Keeps it, to be taken."""
        self._pieces.append(data)
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def close(self) -> None:
        """What was written can still be taken."""

    def take(self) -> bytes:
        """What was written since the last time."""
        data = b"".join(self._pieces)
        self._pieces.clear()
        return data


async def _zipped(desk: CaseDesk, me: str) -> AsyncGenerator[bytes, None]:
    """A zip of the owner's chats, as it comes to be: one chat at a time is in memory."""
    sink, names = _Sink(), _Names()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for line in await _all_lines(desk.store, me):
            name, date = names.of(line.title), time.gmtime(line.updated)[:6]
            info = zipfile.ZipInfo(name, date)
            info.compress_type = zipfile.ZIP_DEFLATED
            pieces = _pieces(desk, me, line.id)
            try:
                await anext(pieces)
            except ChatUnknown:
                continue  # deleted meanwhile
            except CaseError as error:
                archive.writestr(zipfile.ZipInfo(f"{name}.missing.txt", date), str(error))
                continue
            with archive.open(info, "w", force_zip64=True) as member:
                async for piece in pieces:
                    await asyncio.to_thread(member.write, piece)
                    yield sink.take()
    yield sink.take()


class _Names:
    """Names of files, each of which is taken once, whether or not a system tells cases apart."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def of(self, title: str) -> str:
        """A name for a chat of this title."""
        wanted = saved_name(title)
        name, number = wanted, 1
        while name.casefold() in self._taken:
            number += 1
            name = f"{wanted} {number}"
        self._taken.add(name.casefold())
        return name + CASE_ENDING


async def _all_lines(store: ChatStore, me: str) -> list[ChatLine]:
    found: list[ChatLine] = []
    more = True
    while more:
        part, more = await store.list(me, offset=len(found), limit=_LINES_AT_ONCE)
        found += part
    return found


def _saved_as(name: str) -> dict[str, str]:
    """Headers of a file to be saved. Source: RFC 6266, RFC 8187."""
    plain = "".join(c if c.isascii() and c not in '"\\' else "_" for c in name)
    disposition = f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
    return {"Content-Disposition": disposition, "Cache-Control": "no-store"}
