"""A page in headless Chromium, driven by its DevTools protocol over a pipe: keys pressed, expressions evaluated, pictures taken."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from fcntl import F_DUPFD_CLOEXEC, fcntl
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
_CODES = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, " ": 32}


class Tab:
    """One page. said : what it wrote to the console, errors and refusals of its policy among it."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back, self._rest, self._number = to, back, b"", 0
        self._session: dict[str, str] = {}
        self.said: list[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = self.ask("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters, **self._session}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._back, 1 << 20)
            assert more, "Chromium has ended"
            self._rest += more
        one, _, self._rest = self._rest.partition(b"\0")
        message = json.loads(one)
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"):
            self.said.append(json.dumps(message["params"])[:500])
        return message

    def open(self, address: str) -> None:
        self.ask("Page.navigate", url=address)
        while self.value("document.readyState") != "complete":
            pass

    def fresh(self, address: str, width: int = 1400) -> Tab:
        """Opens an address anew, so wide; what was said before is forgotten."""
        self.open("about:blank")
        self.said.clear()
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        self.open(address)
        return self

    def value(self, expression: str) -> Any:
        found = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, *keys: str) -> None:
        for key in keys:
            code = {"windowsVirtualKeyCode": _CODES.get(key, ord(key[0].upper()))}
            text = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
            self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, **code, **text)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, **code)
        self.wait()

    def wait(self, milliseconds: int = 100) -> None:
        """For what the page puts off: events of elements, a search while one types."""
        self.value(f"new Promise((done) => setTimeout(done, {milliseconds}))")

    def picture(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))


@contextmanager
def tab(profile: Path, width: int = 1400, height: int = 1000, *more: str) -> Iterator[Tab]:
    """A page of its own browser, which ends with the block."""
    # Chromium reads from 3 and writes to 4; above 9 none of the ends is one of the two
    ends = (*os.pipe(), *os.pipe())
    theirs_in, to, back, theirs_out = (fcntl(end, F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)

    def place() -> None:
        os.dup2(theirs_in, 3)
        os.dup2(theirs_out, 4)

    command = [
        str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
        "--disable-background-networking", f"--user-data-dir={profile}", f"--window-size={width},{height}",
        "--remote-debugging-pipe", *more,
    ]  # fmt: skip
    process = subprocess.Popen(command, pass_fds=(3, 4), preexec_fn=place, stderr=subprocess.DEVNULL)
    os.close(theirs_in)
    os.close(theirs_out)
    try:
        yield Tab(to, back)
    finally:
        process.terminate()
        process.wait(timeout=20)
        os.close(to)
        os.close(back)
