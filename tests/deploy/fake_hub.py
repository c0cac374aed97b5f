"""The Hugging Face Hub on loopback: what huggingface_hub asks it of a Space, and no more.

Its paths and answers are those that huggingface_hub 2.4 asks for and reads. Pictures and clips go
through Git LFS, as at the Hub; a commit is one request, and all of it happens or nothing.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Final, Self

from aiohttp import web

TOKEN: Final = "test-token-not-real"
_LARGE: Final = (".png", ".mp4")
_OPEN_TO_ALL: Final = ("/large/", "/api/validate-yaml")


@dataclass(slots=True)
class _Fault:
    pattern: str
    status: int
    body: Any
    times: int


@dataclass(slots=True)
class Space:
    """One Space: what is in it, and the stages that it goes through after a commit."""

    private: bool
    files: dict[str, bytes] = field(default_factory=dict)
    secrets: dict[str, str] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    volumes: list[dict[str, Any]] = field(default_factory=list)
    commits: list[list[str]] = field(default_factory=list)
    stages: list[str] = field(default_factory=lambda: ["NO_APP_FILE"])

    @property
    def sha(self) -> str:
        told = json.dumps([sorted(self.files), len(self.commits)])
        return hashlib.sha1(told.encode()).hexdigest()


class FakeHub:
    """The server, for as long as a `with` block runs. `asked` is each request as "METHOD path"."""

    def __init__(self, script: Sequence[str] = ("BUILDING", "APP_STARTING", "RUNNING")) -> None:
        self.spaces: dict[str, Space] = {}
        self.buckets: dict[str, str] = {}
        self.asked: list[str] = []
        self.script = script
        self.reason: str | None = None
        self.url = ""
        self._large: dict[str, bytes] = {}
        self._faults: list[_Fault] = []
        self._holds: dict[str, threading.Event] = {}
        self._ending = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result(30)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result(30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def fail(self, pattern: str, status: int, body: Any, *, times: int = 1000) -> None:
        """Requests that match "METHOD path" are answered so, so many times."""
        self._faults.append(_Fault(pattern, status, body, times))

    def hold(self, pattern: str) -> threading.Event:
        """The next request that matches is never answered; gives an event: it has come."""
        return self._holds.setdefault(pattern, threading.Event())

    async def _start(self) -> None:
        app = web.Application(client_max_size=100_000_000)
        space = "/api/spaces/{owner}/{name}"
        app.add_routes(
            [
                web.get("/api/whoami-v2", self._who),
                web.post("/api/repos/create", self._create),
                web.post("/api/buckets/{owner}/{name}", self._bucket),
                web.post("/api/validate-yaml", self._validate),
                web.get(space, self._info),
                web.get(f"{space}/revision/main", self._info),
                web.get(f"{space}/runtime", self._runtime),
                web.get(f"{space}/{{what:secrets|variables}}", self._told),
                web.post(f"{space}/{{what:secrets|variables}}", self._set),
                web.delete(f"{space}/{{what:secrets|variables}}", self._unset),
                web.put(f"{space}/volumes", self._volumes),
                web.post(f"{space}/preupload/main", self._modes),
                web.post("/spaces/{owner}/{name}.git/info/lfs/objects/batch", self._batch),
                web.put("/large/{oid}", self._upload),
                web.post(f"{space}/commit/main", self._commit),
            ]
        )
        app.middlewares.append(self._before)
        self._runner = web.AppRunner(app)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def _stop(self) -> None:
        self._ending.set()
        await self._runner.cleanup()

    @web.middleware
    async def _before(self, request: web.Request, handler: Any) -> web.StreamResponse:
        what = f"{request.method} {request.path}"
        self.asked.append(what)
        for pattern, come in self._holds.items():
            if re.search(pattern, what):
                come.set()
                await self._ending.wait()
        for fault in self._faults:
            if fault.times and re.search(fault.pattern, what):
                fault.times -= 1
                return _refused(fault.status, fault.body)
        is_known = request.headers.get("Authorization") == f"Bearer {TOKEN}"
        if not is_known and not request.path.startswith(_OPEN_TO_ALL):
            return _refused(401, "Invalid credentials in Authorization header")
        is_of_space = "name" in request.match_info and "/buckets/" not in request.path
        if is_of_space and _id(request) not in self.spaces:
            return _refused(404, "Repository not found", "RepoNotFound")
        answer: web.StreamResponse = await handler(request)
        return answer

    def _space(self, request: web.Request) -> Space:
        return self.spaces[_id(request)]

    async def _who(self, _request: web.Request) -> web.Response:
        return web.json_response({"type": "user", "name": "ada", "orgs": [{"name": "Analytical"}]})

    async def _create(self, request: web.Request) -> web.Response:
        asked = await request.json()
        assert (asked["type"], asked["sdk"]) == ("space", "gradio")
        name = f"{asked['organization']}/{asked['name']}"
        self.spaces[name] = Space(asked["visibility"] == "private", {".gitattributes": b""})
        return web.json_response({"url": f"{self.url}/spaces/{name}"})

    async def _bucket(self, request: web.Request) -> web.Response:
        asked = await request.json()
        self.buckets[_id(request)] = asked["visibility"]
        return web.json_response({"url": f"{self.url}/buckets/{_id(request)}"})

    async def _validate(self, request: web.Request) -> web.Response:
        content = (await request.json())["content"]
        if "license: nonsense" in content:
            errors = {"errors": [{"message": '"license" must be one of [mit, other]'}]}
            return web.json_response(errors, status=400)
        return web.json_response({"errors": [], "warnings": []})

    async def _info(self, request: web.Request) -> web.Response:
        space = self._space(request)
        files = [{"rfilename": name} for name in space.files]
        told = {"id": _id(request), "sha": space.sha, "private": space.private, "siblings": files}
        return web.json_response(told)

    async def _runtime(self, request: web.Request) -> web.Response:
        space = self._space(request)
        stage = space.stages.pop(0) if len(space.stages) > 1 else space.stages[0]
        told = {"stage": stage, "hardware": {"current": None, "requested": None}}
        if stage.endswith("ERROR"):
            told["errorMessage"] = self.reason
        return web.json_response({**told, "volumes": space.volumes})

    async def _told(self, request: web.Request) -> web.Response:
        space = self._space(request)
        if request.match_info["what"] == "secrets":
            return web.json_response({name: {"key": name} for name in space.secrets})
        values = space.variables.items()
        return web.json_response({name: {"key": name, "value": value} for name, value in values})

    async def _set(self, request: web.Request) -> web.Response:
        asked = await request.json()
        space = self._space(request)
        kept = space.secrets if request.match_info["what"] == "secrets" else space.variables
        kept[asked["key"]] = asked["value"]
        return await self._told(request)

    async def _unset(self, request: web.Request) -> web.Response:
        space = self._space(request)
        kept = space.secrets if request.match_info["what"] == "secrets" else space.variables
        del kept[(await request.json())["key"]]
        return await self._told(request)

    async def _volumes(self, request: web.Request) -> web.Response:
        self._space(request).volumes = (await request.json())["volumes"]
        return web.json_response({})

    async def _modes(self, request: web.Request) -> web.Response:
        space = self._space(request)
        files = [
            {
                "path": each["path"],
                "uploadMode": "lfs" if each["path"].endswith(_LARGE) else "regular",
                "shouldIgnore": False,
                "oid": _oid(each["path"], space.files.get(each["path"])),
            }
            for each in (await request.json())["files"]
        ]
        return web.json_response({"files": files})

    async def _batch(self, request: web.Request) -> web.Response:
        objects = [
            {**each, "actions": {"upload": {"href": f"{self.url}/large/{each['oid']}"}}}
            for each in (await request.json())["objects"]
        ]
        return web.json_response({"transfer": "basic", "objects": objects})

    async def _upload(self, request: web.Request) -> web.Response:
        data = await request.read()
        assert hashlib.sha256(data).hexdigest() == request.match_info["oid"]
        self._large[request.match_info["oid"]] = data
        return web.Response()

    async def _commit(self, request: web.Request) -> web.Response:
        space = self._space(request)
        changed = []
        for line in (await request.text()).splitlines():
            operation = json.loads(line)
            value = operation["value"]
            if operation["key"] == "header":
                continue
            changed.append(value["path"])
            if operation["key"] == "file":
                space.files[value["path"]] = base64.b64decode(value["content"])
            elif operation["key"] == "lfsFile":
                space.files[value["path"]] = self._large[value["oid"]]
            else:
                assert operation["key"] == "deletedFile"
                del space.files[value["path"]]
        space.commits.append(changed)
        space.stages = list(self.script)
        url = f"{self.url}/spaces/{_id(request)}/commit/{space.sha}"
        return web.json_response({"commitUrl": url, "commitOid": space.sha})


def _id(request: web.Request) -> str:
    return f"{request.match_info['owner']}/{request.match_info['name']}"


def _oid(path: str, data: bytes | None) -> str | None:
    """The id of a file: of its bytes as Git LFS has it, or as Git itself."""
    if data is None:
        return None
    if path.endswith(_LARGE):
        return hashlib.sha256(data).hexdigest()
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _refused(status: int, body: Any, code: str | None = None) -> web.Response:
    headers: Mapping[str, str] = {"X-Error-Code": code} if code else {}
    if isinstance(body, bytes):
        return web.Response(body=body, status=status, content_type="text/html")
    return web.json_response({"error": body}, status=status, headers=headers)
