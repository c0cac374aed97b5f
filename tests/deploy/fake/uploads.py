"""The storage that truss uploads to: S3 by path, one PUT or in parts."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count

from tests.deploy.fake.wire import Answer, Asked


@dataclass(slots=True)
class Storage:
    """Objects by bucket and key, and uploads that are under way, in parts."""

    objects: dict[tuple[str, str], bytes] = field(default_factory=dict)
    _parts: dict[str, dict[int, bytes]] = field(default_factory=dict)
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def archive(self, key: str) -> Mapping[str, bytes]:
        """The files of an uploaded tar, by name. Raises KeyError where there is none."""
        data = next(data for (_, stored), data in self.objects.items() if stored == key)
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            files = [(one.name, tar.extractfile(one)) for one in tar.getmembers() if one.isfile()]
            return {name: file.read() for name, file in files if file is not None}

    def answer(self, asked: Asked, raw: bytes) -> Answer:
        """Answers one request; the object's digest takes the place of its bytes in the record."""
        bucket, _, key = asked.path.lstrip("/").partition("/")
        if not key:
            return Answer(404, {"error": "no route"})
        if "aws-chunked" in asked.headers.get("content-encoding", ""):
            raw = _without_chunks(raw)
        asked.op = "upload"
        digest = hashlib.sha256(raw).hexdigest()
        asked.body = {"bucket": bucket, "key": key, "bytes": len(raw), "sha256": digest}
        tag = {"ETag": f'"{hashlib.md5(raw).hexdigest()}"'}
        upload = asked.query.get("uploadId", [""])[0]
        match asked.method:
            case "POST" if "uploads" in asked.query:
                upload = f"upload-{next(self._numbers)}"
                self._parts[upload] = {}
                return _xml("InitiateMultipartUploadResult", Key=key, UploadId=upload)
            case "PUT" if "partNumber" in asked.query:
                self._parts[upload][int(asked.query["partNumber"][0])] = raw
                return Answer(headers=tag)
            case "POST" if upload:
                parts = self._parts.pop(upload)
                self.objects[bucket, key] = b"".join(parts[number] for number in sorted(parts))
                return _xml("CompleteMultipartUploadResult", Key=key, ETag="whole")
            case "PUT":
                self.objects[bucket, key] = raw
                return Answer(headers=tag)
        return Answer(404, "<Error><Code>NoSuchKey</Code></Error>", "application/xml")


def _xml(name: str, **fields: str) -> Answer:
    inner = "".join(f"<{key}>{value}</{key}>" for key, value in fields.items())
    return Answer(body=f'<?xml version="1.0"?><{name}>{inner}</{name}>', content_type="text/xml")


def _without_chunks(body: bytes) -> bytes:
    """The payload of the aws-chunked encoding: sizes in hexadecimal, each before its bytes."""
    payload, rest = b"", body
    while rest:
        head, _, rest = rest.partition(b"\r\n")
        size = int(head.split(b";")[0], 16)
        if size == 0:
            break
        payload, rest = payload + rest[:size], rest[size + 2 :]
    return payload
