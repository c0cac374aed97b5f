"""What was uploaded as chats: one case file, or a zip of them, which may be made to do harm.

Sizes are counted while they are read, whatever the zip says of itself; of its names only the last
part is shown, and none is a path of anything.
"""

from __future__ import annotations

import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final

from app.export.case_reading import CaseError
from app.turns.file_names import plain_name

_MOST_FILES: Final = 10_000
_LARGEST_DIRECTORY: Final = 4_000_000
"""Bytes of the list at a zip's end, with 400 for each file: Python reads it whole."""

_PIECE: Final = 256 * 1024
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Ways to compress that are inflated piece by piece; of the others one piece may be anything."""

_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"
_BROKEN: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)
"""What `zipfile` raises for a zip that is damaged, encrypted, or of a kind unknown to it."""


@dataclass(frozen=True, slots=True)
class _Member:
    name: str
    info: zipfile.ZipInfo | None


class CaseFiles:
    """The files of one upload, each to be taken out once. Its methods block.

    `max_bytes` is what all of them may have together, unpacked. Raises CaseError where the upload
    is neither a case file nor a zip that can be read.
    """

    def __init__(self, file: BinaryIO, name: str, *, max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self._left = max_bytes
        self._zip: zipfile.ZipFile | None = None
        head = file.read(64)
        file.seek(0)
        if head.startswith(_ZIP_STARTS):
            self._zip, self._members = _opened(file)
        elif head.removeprefix(_BYTE_ORDER_MARK).lstrip().startswith(b"{"):
            self._members = [_Member(name or "case", None)]
        else:
            raise CaseError(
                f"“{name or 'The file'}” is neither a case file nor a zip of case files: choose a "
                "file that was exported here, such as chat.case.json."
            )

    @property
    def names(self) -> list[str]:
        """The files, as a reader is to be told of them."""
        return [member.name for member in self._members]

    def extract(self, number: int, target: Path) -> None:
        """Writes the file of this number to the target.

        Raises CaseError where it cannot be read, or all are larger than they may be.
        """
        info = self._members[number].info
        try:
            with target.open("wb") as file:
                if self._zip is None or info is None:
                    self._copy(self._file, file)
                    return
                if info.flag_bits & 0x1 or info.compress_type not in _METHODS:
                    raise zipfile.BadZipFile
                with self._zip.open(info) as member:
                    self._copy(member, file)
        except CaseError:
            raise
        except _BROKEN as error:
            if self._zip is None:
                raise
            raise CaseError(
                "The file cannot be read from the zip, where it is damaged, encrypted or "
                "compressed in a rare way: unpack the zip, and import its files."
            ) from error

    def _copy(self, source: IO[bytes], target: IO[bytes]) -> None:
        begins = True
        while piece := source.read(_PIECE):
            self._left -= len(piece)
            if self._left < 0:
                most = f"{self._max_bytes / 1_000_000:g} MB"
                raise CaseError(
                    f"What was uploaded has more than {most} unpacked, the most that is taken at "
                    "once: import its chats in several parts."
                )
            if begins and self._zip is not None and piece.startswith(_ZIP_STARTS):
                raise CaseError(
                    "This is a zip inside the zip, which is not looked into: unpack it, and import "
                    "its files."
                )
            begins = False
            target.write(piece)


class _SmallReads:
    """A file of which nobody reads a large piece at once, as a zip's end can make Python do."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.seek = file.seek
        self.tell = file.tell
        self.seekable = file.seekable

    def read(self, size: int = -1) -> bytes:
        """As that of a file. Raises BadZipFile for more than the directory of a zip may have."""
        wanted = size if 0 <= size <= _LARGEST_DIRECTORY else _LARGEST_DIRECTORY + 1
        data = self._file.read(wanted)
        if len(data) > _LARGEST_DIRECTORY:
            raise zipfile.BadZipFile
        return data


def _opened(file: BinaryIO) -> tuple[zipfile.ZipFile, list[_Member]]:
    try:
        opened = zipfile.ZipFile(_SmallReads(file))
    except _BROKEN as error:
        raise CaseError(
            "The zip cannot be read, as it is damaged or holds far too many files: make it anew, "
            "or import its files."
        ) from error
    members = [
        _Member(plain_name(info.filename) or "case", info)
        for info in opened.infolist()
        if not info.is_dir() and not info.filename.startswith("__MACOSX/")
    ]
    if not members:
        raise CaseError("The zip holds no file: choose one that was exported here.")
    if len(members) > _MOST_FILES:
        raise CaseError(
            f"The zip holds {len(members):,} files, and at most {_MOST_FILES:,} are taken: import "
            "its chats in several parts."
        )
    return opened, members
