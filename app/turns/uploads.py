"""An upload, from the file that came to media that are kept: answered at once, or as it goes."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import logging
import shutil
import tempfile
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from fastapi import Request, UploadFile

from app.media import ClipWish, MediaLimits, MediaRefused, prepare
from app.media.prepare import OnProgress
from app.store.database import StoreError
from app.store.media import MediaStore
from app.turns.chat_views import MediaAddress, media_view
from app.turns.errors import Refusal, failed, not_kept
from app.turns.file_names import plain_name

logger = logging.getLogger(__name__)

_T = TypeVar("_T")

UPLOAD_LINES: Final[dict[str, Any]] = {
    "description": "What was made. With `Accept: application/x-ndjson` NDJSON, a line an event: "
    "`waiting` (other clips are encoded first), `progress` (`share` of the clip that is encoded, "
    "0 to 1), and last `media` (with the fields of the JSON answer) or `refused` (`error`, as in a "
    "refusal).",
    "content": {"application/json": {}, "application/x-ndjson": {}},
}
"""What the route of uploads answers, for the OpenAPI document."""


@dataclasses.dataclass(frozen=True, slots=True)
class Upload:
    """A file that a visitor has sent, and what is wished of it."""

    owner: str
    file: UploadFile
    wish: ClipWish

    async def kept(
        self,
        store: MediaStore,
        limits: MediaLimits,
        address: MediaAddress,
        on_progress: OnProgress | None = None,
    ) -> dict[str, Any]:
        """Prepares and keeps the media, and views them. Raises Refusal."""
        try:
            async with _on_disk(self.file) as path:
                prepared = await prepare(
                    path,
                    plain_name(self.file.filename),
                    limits,
                    wish=self.wish,
                    on_progress=on_progress,
                )
        except MediaRefused as refused:
            raise _refusal(refused) from None
        attachment = await store.add(self.owner, prepared.attachment, prepared.data)
        return {
            **media_view(attachment, address),
            "tokens": prepared.tokens,
            "notes": list(prepared.notes),
            "note_sentences": [
                {"key": f"media_note.{note.key}", "values": dict(note.values)}
                for note in prepared.notes
            ],
        }

    async def lines(
        self, store: MediaStore, limits: MediaLimits, address: MediaAddress
    ) -> AsyncGenerator[bytes, None]:
        """The same as NDJSON, told as it goes; closing the generator ends the work."""
        events: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

        def tell(share: float | None) -> None:
            waiting = {"type": "waiting"}
            events.put_nowait(waiting if share is None else {"type": "progress", "share": share})

        async def work() -> dict[str, Any]:
            try:
                return {"type": "media", **await self.kept(store, limits, address, tell)}
            except Refusal as refusal:
                return {"type": "refused", "error": refusal.view()}
            except StoreError as error:
                return {"type": "refused", "error": not_kept(error).view()}
            except Exception as error:  # the answer has begun: nobody else could tell of it
                logger.exception("An upload failed.")
                return {"type": "refused", "error": failed(error).view()}
            finally:
                events.put_nowait(None)

        working = asyncio.create_task(work())
        try:
            while (event := await events.get()) is not None:
                yield _line(event)
            yield _line(await working)
        finally:
            await _cancelled(working)


async def unless_gone(request: Request, work: Coroutine[Any, Any, _T]) -> _T | None:
    """What the work gives, which ends when the client hangs up; None then.

    The request's body must have been read.
    """
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_disconnected(request))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        await _cancelled(working)
        await _cancelled(leaving)


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _cancelled(task: asyncio.Task[Any]) -> None:
    """Ends the task, and waits for its end; what it came to is for others."""
    task.cancel()
    await asyncio.wait((task,))


@asynccontextmanager
async def _on_disk(file: UploadFile) -> AsyncGenerator[Path]:
    """The upload as a file that other processes can open, for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="glm-upload-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "file"
        await asyncio.to_thread(_copy, file, path)
        await file.close()
        yield path


def _copy(file: UploadFile, path: Path) -> None:
    with path.open("wb") as copy:
        shutil.copyfileobj(file.file, copy, 1 << 20)


def _refusal(refused: MediaRefused) -> Refusal:
    sentence, facts = refused.sentence, refused.facts
    figures = dataclasses.asdict(facts) if facts else {}
    return Refusal(
        422,
        "media_refused",
        str(refused),
        key=f"media.{sentence.key}",
        values=sentence.values,
        offers=figures.pop("offers", ()),
        clip=figures,
    )


def _line(event: dict[str, Any]) -> bytes:
    return json.dumps(event, ensure_ascii=False).encode() + b"\n"
