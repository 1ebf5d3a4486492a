"""Chromium driven over its own pipe: pages are opened, looked at and clicked, without any package for it.

`find_browser()` is the browser of this machine or None. The protocol is that of its developer tools: JSON messages, each ended
by a zero byte, over the file descriptors 3 (to the browser) and 4 (from it).
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 20.0  # that anything may take


def find_browser():
    """Path of a browser, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A browser without a window and its one page. Complaints of the page are in `errors`, addresses it wants in `requests`."""

    def __init__(self, path, width=1200, height=760):
        self.profile = tempfile.mkdtemp(prefix="clast-browser-")
        self.folder = tempfile.mkdtemp(prefix="clast-downloads-")
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        # the browser reads 3 and writes 4: a shell puts them there, whatever numbers they have here
        command = [
            path, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            f"--user-data-dir={self.profile}", "--no-first-run", "--disable-background-networking", "--disable-component-update",
            "--disable-dev-shm-usage", "--hide-scrollbars", f"--window-size={width},{height}", "about:blank",
        ]  # fmt: skip
        shell = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", shell, "sh", *command], pass_fds=(theirs_in, theirs_out), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(theirs_in)
        os.close(theirs_out)
        self._in, self._out, self._waiting, self._number = ours_in, ours_out, b"", 0
        self.errors, self.requests, self._answers = [], [], {}
        targets = self._send("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self._send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._send(f"{domain}.enable")
        self._send("Browser.setDownloadBehavior", behavior="allow", downloadPath=self.folder)
        self.resize(width, height)

    def _send(self, method, **parameters):
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if getattr(self, "_session", None) and not method.startswith("Browser."):
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while self._number not in self._answers:
            self._listen(end - time.monotonic(), method)
        answer = self._answers.pop(self._number)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def _listen(self, seconds, why):
        if seconds <= 0 or not select.select([self._in], [], [], seconds)[0]:
            raise TimeoutError(f"the browser did not answer within {SECONDS} s: {why}")
        content = os.read(self._in, 1 << 20)
        if not content:
            raise RuntimeError("the browser has ended")
        *messages, self._waiting = (self._waiting + content).split(b"\0")
        for each in map(json.loads, messages):
            if "id" in each:
                self._answers[each["id"]] = each
            elif each["method"] == "Runtime.exceptionThrown":
                details = each["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            elif each["method"] == "Runtime.consoleAPICalled" and each["params"]["type"] in ("error", "warning"):
                self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in each["params"]["args"]))
            elif each["method"] == "Log.entryAdded" and each["params"]["entry"]["level"] in ("error", "warning"):
                if "GPU stall" not in each["params"]["entry"]["text"]:  # of reading pixels, for a screenshot
                    self.errors.append(each["params"]["entry"]["text"])
            elif each["method"] == "Network.requestWillBeSent":
                self.requests.append(each["params"]["request"]["url"])

    def resize(self, width, height, mobile=False):
        """Size of the page; a phone has touch and a finer screen."""
        scale = 2 if mobile else 1
        self._send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)

    def theme(self, name):
        """What the machine prefers, dark or light."""
        self._send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def open(self, address, until="window.clast !== undefined && window.clast.measured.frames > 0"):
        """Go to an address and wait for the page."""
        self._send("Page.navigate", url="about:blank")
        self.errors.clear()
        self.requests.clear()
        self._send("Page.navigate", url=str(address))
        self.wait(until)

    def run(self, expression):
        """Value of an expression in the page."""
        answer = self._send("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "the page failed"))
        return answer["result"].get("value")

    def wait(self, expression, seconds=SECONDS):
        """Until an expression is true in the page."""
        end = time.monotonic() + seconds
        while not self.run(f"Boolean({expression})"):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {expression}; the page has complained: {self.errors}")
            time.sleep(0.03)

    def click(self, x, y):
        """Press and let go at a place of the page."""
        for kind in ("mousePressed", "mouseReleased"):
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, key):
        """Press a key."""
        text = key if len(key) == 1 else ""
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, key=key, text=text if kind == "keyDown" else "")

    def picture(self, path):
        """What the page looks like, as a PNG file."""
        content = self._send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(content))

    def close(self):
        """End the browser and leave nothing behind."""
        self.process.terminate()
        self.process.wait(SECONDS)
        for each in (self._in, self._out):
            os.close(each)
        for folder in (self.profile, self.folder):
            shutil.rmtree(folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
