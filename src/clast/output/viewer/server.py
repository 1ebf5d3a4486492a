"""The server of the viewer: for this machine only, behind a random token, with a handful of names and no paths.

An address is http://127.0.0.1:PORT/TOKEN/ and what follows is one of the names a `ServedRun` knows, or `run/N/` and such a name
for row N of a sweep. No part of it is ever used as the name of a file. Requests from other pages are refused: by the token, by
the name of the host they think they talk to, and by where they come from.
"""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol
from urllib.parse import parse_qsl, urlsplit

from clast.errors import ClastError, InputError
from clast.output.viewer.page import policy, served_page

HOST = "127.0.0.1"  # nothing else is ever bound
LONGEST = 64  # bytes of what is posted
NOTEBOOKS = "http://localhost:* http://127.0.0.1:* vscode-webview:"  # pages that may hold a view that is `framed`
NAME = re.compile(r"(?:run/(?P<row>\d{1,9})/)?(?P<name>|[a-z]+(?:/\d{1,12})?)")


class Answers(Protocol):
    """What is served: a run."""

    def answer(self, name: str, query: dict[str, str]) -> tuple[str, bytes]:
        """Type and content; InputError where there is no such thing."""
        ...

    def wish(self, what: str) -> None:
        """Ask something of a running run."""
        ...

    def keep(self) -> None:
        """Called a few times a second."""
        ...


Rows = Callable[[int], Answers]


class ViewServer(ThreadingHTTPServer):
    """Serves `what` at `address` until it is shut down.

    rows   runs by their number in a sweep
    port   of this machine; 0 is a free one
    framed whether a notebook of this machine may show it inside its own page
    """

    daemon_threads = True

    def __init__(self, what: Answers, rows: Rows | None = None, port: int = 0, *, framed: bool = False) -> None:
        self.what, self.rows, self.framed = what, rows, framed
        self.token = secrets.token_urlsafe(24)
        super().__init__((HOST, port), Handler)

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self.server_port}/{self.token}/"

    def service_actions(self) -> None:
        """Between two requests."""
        self.what.keep()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that went away in the middle of an answer is none of the user's business."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ViewServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "clast", ""

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed: the token would be in it."""

    def do_GET(self) -> None:
        """The page, or a piece of a run."""
        self._respond(self._get)

    def do_POST(self) -> None:
        """A wish."""
        self._respond(self._post)

    def _respond(self, make: Callable[[Answers, str, dict[str, str]], tuple[str, bytes]]) -> None:
        status, kind, content = HTTPStatus.OK, "text/plain; charset=utf-8", b""
        try:
            found = self._allowed()
            if found is None:
                status, content = HTTPStatus.FORBIDDEN, b"not allowed"
            else:
                kind, content = make(*found)
        except InputError as error:
            status, content = HTTPStatus.NOT_FOUND, str(error).encode()
        except ClastError as error:
            status, content = HTTPStatus.INTERNAL_SERVER_ERROR, str(error).encode()
        allowed = policy("'self'") if kind.startswith("text/html") else "default-src 'none'"
        around = NOTEBOOKS if self.server.framed else "'none'"
        self.send_response(status)
        for name, value in {
            "Content-Type": kind, "Content-Length": str(len(content)), "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Content-Security-Policy": f"{allowed}; frame-ancestors {around}",
        }.items():  # fmt: skip
            self.send_header(name, value)
        if not self.server.framed:
            self.send_header("X-Frame-Options", "DENY")
        if status is not HTTPStatus.OK:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def _allowed(self) -> tuple[Answers, str, dict[str, str]] | None:
        """What is requested; None for who may not. InputError if there is no such thing."""
        port = self.server.server_port
        hosts = {f"{name}:{port}" for name in (HOST, "localhost")}
        origin = self.headers.get("Origin")
        if self.headers.get("Host") not in hosts or (origin is not None and origin not in {f"http://{host}" for host in hosts}):
            return None
        parts = urlsplit(self.path)
        token, slash, rest = parts.path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.server.token.encode()) or not slash:
            return None
        match = NAME.fullmatch(rest)
        if match is None:
            raise InputError("there is no such thing here")
        what: Answers = self.server.what
        if match["row"] is not None:
            if self.server.rows is None:
                raise InputError("this is one run, not a sweep")
            what = self.server.rows(int(match["row"]))
        return what, match["name"], dict(parse_qsl(parts.query))

    def _get(self, what: Answers, name: str, query: dict[str, str]) -> tuple[str, bytes]:
        if name == "":
            return "text/html; charset=utf-8", served_page().encode()
        return what.answer(name, query)

    def _post(self, what: Answers, name: str, _: dict[str, str]) -> tuple[str, bytes]:
        length = self.headers.get("Content-Length", "0")
        if name != "wish" or not length.isdecimal() or int(length) > LONGEST:
            self.close_connection = True
            raise InputError("only wishes are posted")
        what.wish(self.rfile.read(int(length)).decode("ascii", "replace"))
        return "text/plain; charset=utf-8", b"done"
