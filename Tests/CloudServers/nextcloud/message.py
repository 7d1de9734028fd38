"""Requests, responses and the errors that become responses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol
from urllib.parse import parse_qsl, unquote_to_bytes
from xml.sax.saxutils import escape

REASONS = {
    100: "Continue",
    101: "Switching Protocols",
    200: "OK",
    201: "Created",
    202: "Accepted",
    204: "No Content",
    206: "Partial Content",
    207: "Multi-Status",
    302: "Found",
    304: "Not Modified",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    409: "Conflict",
    412: "Precondition Failed",
    411: "Length Required",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    423: "Locked",
    424: "Failed Dependency",
    429: "Too Many Requests",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    507: "Insufficient Storage",
}
STEP = 1 << 18


class Body(Protocol):
    """A request's body, which is read from the connection piece by piece."""

    def pieces(self) -> Iterator[bytes]: ...

    def whole(self, limit: int = 64 << 20) -> bytes: ...


@dataclass
class FileSlice:
    """Bytes of an open file that a response sends; the sender closes it."""

    file: BinaryIO
    offset: int
    length: int
    ended: Callable[[], None] | None = None

    def close(self) -> None:
        self.file.close()
        if self.ended:
            self.ended()


@dataclass
class Request:
    """One request as it came over a connection."""

    method: str
    target: str
    headers: dict[str, str]
    body: Body
    secure: bool = False
    user: str = ""
    # The application password that was used, empty for the account's own.
    token: int = 0
    path: str = ""
    query: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        raw, _, query = self.target.partition("?")
        if "://" in raw:
            raw = "/" + raw.split("://", 1)[1].partition("/")[2]
        self.path = decoded(raw.partition("#")[0])
        self.query = dict(parse_qsl(query, keep_blank_values=True))

    def header(self, name: str, default: str = "") -> str:
        """Returns a header's value without surrounding space."""
        return self.headers.get(name.lower(), default)

    @property
    def origin(self) -> str:
        """The address that the client used, so that links stay behind its proxy."""
        return f"{'https' if self.secure else 'http'}://{self.header('host', 'localhost')}"

    def form(self) -> dict[str, str]:
        """Returns the fields of a body that is a form or a JSON object."""
        data = self.body.whole(1 << 20)
        if "json" in self.header("content-type"):
            try:
                fields = json.loads(data or b"{}")
            except ValueError:
                raise DavError(400, "BadRequest", "The body is no JSON") from None
            return {name: value if isinstance(value, str) else json.dumps(value) for name, value in fields.items()}
        return dict(parse_qsl(data.decode("utf-8", "replace"), keep_blank_values=True))


@dataclass
class Response:
    """A reply: its body is bytes, a slice of a file, or pieces whose length is unknown."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | FileSlice | Iterator[bytes] = b""

    @staticmethod
    def text(status: int, text: str, kind: str = "text/plain; charset=utf-8") -> Response:
        return Response(status, {"Content-Type": kind}, text.encode())

    @staticmethod
    def xml(status: int, text: str) -> Response:
        return Response.text(status, '<?xml version="1.0"?>\n' + text, "application/xml; charset=utf-8")

    @staticmethod
    def json(status: int, value: object) -> Response:
        return Response.text(status, json.dumps(value), "application/json; charset=utf-8")


class DavError(Exception):
    """A failure that the client sees as a status and, over DAV, as an XML element."""

    def __init__(self, status: int, exception: str, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.exception = exception
        self.headers = headers or {}

    def response(self) -> Response:
        """Returns the reply as Nextcloud words it."""
        name = self.exception if "\\" in self.exception else "Sabre\\DAV\\Exception\\" + self.exception
        reply = Response.xml(
            self.status,
            (
                '<d:error xmlns:d="DAV:" xmlns:s="http://sabredav.org/ns">\n'
                f"  <s:exception>{escape(name)}</s:exception>\n"
                f"  <s:message>{escape(str(self))}</s:message>\n</d:error>\n"
            ),
        )
        reply.headers.update(self.headers)
        return reply


def not_found(path: str) -> DavError:
    return DavError(404, "NotFound", f"File with name {path} could not be located")


def forbidden(message: str = "") -> DavError:
    return DavError(403, "Forbidden", message)


def bad_request(message: str) -> DavError:
    return DavError(400, "BadRequest", message)


def conflict(message: str) -> DavError:
    return DavError(409, "Conflict", message)


def locked(path: str) -> DavError:
    return DavError(423, "OCA\\DAV\\Connector\\Sabre\\Exception\\FileLocked", f'"{path}" is locked')


def precondition_failed(message: str, header: str) -> DavError:
    return DavError(412, "PreconditionFailed", f"{message} ({header})")


def insufficient(wanted: int, free: int) -> DavError:
    return DavError(507, "InsufficientStorage", f"Insufficient space in , {wanted} required, {free} available")


def decoded(raw: str) -> str:
    """Returns a path without percent escapes. Bytes that are no UTF-8 count as Latin 1, as in sabre/dav."""
    data = unquote_to_bytes(raw.encode("latin-1", "replace"))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")
