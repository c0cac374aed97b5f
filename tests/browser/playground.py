"""The page as a reader has it: what can be done on it, and where its parts are."""

from __future__ import annotations

import base64
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeAlias

from playwright.async_api import FilePayload, Locator, Page, Route, expect

from tests.browser.watch import Watch

OpenPlayground: TypeAlias = Callable[..., Awaitable["Playground"]]
OpenAt: TypeAlias = Callable[..., Awaitable["Playground"]]

TURNS = "**/api/chats/*/turns"
RESULTS = "**/api/chats/*/results"

_SET_UP = """async (values) => {
  const { setup } = await import(window.ownFile("js/setup.mjs"));
  setup.set(values);
  await setup.settled();
}"""

_TRANSFER = """(target, [kind, files, text]) => {
  const carried = new DataTransfer();
  for (const { name, type, data } of files) {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    carried.items.add(new File([bytes], name, { type }));
  }
  if (text) carried.setData("text/plain", text);
  const common = { bubbles: true, cancelable: true };
  if (kind === "paste") {
    target.dispatchEvent(new ClipboardEvent(kind, { ...common, clipboardData: carried }));
  } else {
    for (const each of ["dragenter", "dragover", kind]) {
      target.dispatchEvent(new DragEvent(each, { ...common, dataTransfer: carried }));
    }
  }
}"""


def file(name: str, mime: str, data: bytes) -> FilePayload:
    """A file as a system hands it to a browser."""
    return {"name": name, "mimeType": mime, "buffer": data}


class Playground:
    """One tab. Parts are found as a reader finds them: by role and name where they have one."""

    def __init__(self, page: Page, address: str, watch: Watch) -> None:
        self.page = page
        self.address = address
        self.watch = watch
        self._faults = ""
        self._options: dict[str, Any] = {}
        self.message = page.get_by_test_id("message")
        self.send_button = page.get_by_test_id("send")
        self.stop_button = page.get_by_test_id("stop")
        self.queued = page.get_by_test_id("queued")
        self.files = page.get_by_test_id("file")
        self.attached = page.locator(".composer .slot:not([data-state=empty])").or_(self.files)
        self.status = page.get_by_test_id("status")
        self.turns = page.get_by_test_id("turn")
        self.user_messages = page.get_by_test_id("user-message")
        self.reasoning = page.get_by_test_id("reasoning")
        self.answers = page.get_by_test_id("answer")
        self.calls = page.get_by_test_id("call")
        self.notices = page.get_by_test_id("notice")
        self.examples = page.get_by_test_id("example")
        self.welcome = page.get_by_test_id("welcome")
        self.said = page.get_by_test_id("composer-said")
        self.effort = page.locator("#effort input[type=range]")
        self.settings = page.locator("#settings")
        self.settings_toggle = page.get_by_role("button", name="Settings", exact=True)

    async def visit(self) -> None:
        """Opens the page, or opens it again, and waits until it can be used."""
        await self.page.goto(self.address)
        await self.ready()

    async def reload(self) -> None:
        await self.page.reload()
        await self.ready()

    async def ready(self) -> None:
        await expect(self.message).to_be_editable()
        await expect(self.page.locator(".conversation > :not(.opening)").first).to_be_attached()
        await expect(self.page.locator(".effort-stops .is-chosen")).to_be_attached()

    async def simulate(self, faults: str) -> None:
        """Asks the simulator for faults in each turn from now on; "" for none."""
        self._faults = faults
        await self._change_turns()

    async def declare(self, *tools: dict[str, Any], **options: Any) -> None:
        """Adds functions to each turn from now on, as a page with a tool editor would."""
        declared = [{"type": "function", "function": tool} for tool in tools]
        self._options = {"tools": declared, **options}
        await self._change_turns()

    async def set_up(
        self, *tools: dict[str, Any], options: dict[str, Any] | None = None, **values: Any
    ) -> None:
        """Sets the chat up with these tools, as its panel does; `options` go with each message."""
        await self.page.evaluate(_SET_UP, {"tools": json.dumps(tools) if tools else "", **values})
        if options:
            self._options = options
            await self._change_turns()

    async def _change_turns(self) -> None:
        async def change(route: Route) -> None:
            headers = route.request.headers
            if self._faults:
                headers = {**headers, "x-simulate": self._faults}
            body = json.loads(route.request.post_data or "{}")
            body["options"] |= self._options
            await route.continue_(headers=headers, post_data=json.dumps(body))

        await self.page.unroute(TURNS)
        await self.page.route(TURNS, change)

    async def write(self, text: str) -> None:
        await self.message.fill(text)

    async def send(self, text: str, *, leaving_calls: bool = False) -> dict[str, Any]:
        """Sends a message with Enter; gives what the page asked of the server.

        Its turn is on the page then: a message leaves its box once its turn is shown, which is a
        moment after the server has answered. `leaving_calls` answers the question that is asked
        where calls wait for their results.
        """
        await self.write(text)
        async with self.page.expect_response(TURNS) as answered:
            await self.message.press("Enter")
            if leaving_calls:
                await self.page.get_by_role("button", name="Send anyway").click()
        response = await answered.value
        assert response.status == 201, await response.text()
        await expect(self.message).to_have_value("")
        await expect(self.attached).to_have_count(0)
        return dict(response.request.post_data_json)

    async def ask(self, text: str, *, leaving_calls: bool = False) -> Locator:
        """Sends a message and waits for the end of its turn; gives the turn."""
        await self.send(text, leaving_calls=leaving_calls)
        return await self.ended()

    async def ended(self) -> Locator:
        """The last turn, once it has ended.

        To be called when that turn is on the page, or is asked for by something other than the
        message box: while nothing has been asked yet, the turn before it is the last one.
        """
        # First that nothing is on its way: until the server has answered, an older turn is last.
        await expect(self.send_button).to_have_attribute("data-state", "send", timeout=30_000)
        last = self.turns.last
        await expect(last).not_to_have_attribute("data-state", "running", timeout=30_000)
        return last

    async def has_setting(self, name: str, value: object) -> None:
        """Waits until the page knows of a setting: Gradio tells of a change a moment later."""
        await self.page.wait_for_function(
            "([name, value]) => JSON.parse(sessionStorage['glm.settings'])[name] === value",
            arg=[name, value],
        )

    async def resize(self, width: int, height: int) -> None:
        """Another size of the window, once the page has taken it: its panels move for a moment."""
        await self.page.set_viewport_size({"width": width, "height": height})
        await self.page.wait_for_function(
            """async (width) => {
              if (innerWidth !== width) return false;
              await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
              return document.getAnimations().every(({ playState }) => playState !== "running");
            }""",
            arg=width,
        )

    def slot(self, kind: str) -> Locator:
        """The place of the message box for an "image", a "video", or a "file"."""
        return self.page.get_by_test_id(f"{kind}-slot")

    async def drop(self, *files: FilePayload) -> None:
        """Drops files onto the message box, with the bytes that the system would hand over."""
        await self._transfer("drop", files)

    async def paste(self, *files: FilePayload, text: str = "") -> None:
        """Pastes files into the message box, and the text that is beside them."""
        await self._transfer("paste", files, text)

    async def _transfer(self, event: str, files: Sequence[FilePayload], text: str = "") -> None:
        carried = [
            {
                "name": file["name"],
                "type": file["mimeType"],
                "data": base64.b64encode(file["buffer"]).decode(),
            }
            for file in files
        ]
        await self.message.evaluate(_TRANSFER, [event, carried, text])

    async def new_chat(self) -> None:
        await self.page.get_by_role("button", name="New chat").click()
        await expect(self.welcome).to_be_visible()

    async def overflow(self) -> int:
        """Pixels by which the page is wider than its window."""
        wider: int = await self.page.evaluate(
            "document.scrollingElement.scrollWidth - window.innerWidth"
        )
        return max(0, wider)
