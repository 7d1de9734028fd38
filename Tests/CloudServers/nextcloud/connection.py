"""HTTP/1.1 over one connection: reads requests, sends responses, and carries out faults of the wire."""

from __future__ import annotations

import io
import socket
import struct
import time
from collections.abc import Callable, Iterator
from email.utils import formatdate
from typing import TYPE_CHECKING

from .message import REASONS, STEP, DavError, FileSlice, Request, Response

if TYPE_CHECKING:
    from .faults import Fault

LONGEST_LINE = 64 << 10
# Bytes of an unread body that are skipped to keep the connection.
MOST_SKIPPED = 4 << 20


class Disconnected(Exception):
    """The client went away, or sent what is no HTTP."""


class ConnectionBody:
    """The body of the current request of a connection."""

    def __init__(self, stream: io.BufferedReader, headers: dict[str, str], proceed: Callable[[], None]) -> None:
        self.stream = stream
        self.chunked = "chunked" in headers.get("transfer-encoding", "").lower()
        try:
            self.left = 0 if self.chunked else int(headers.get("content-length") or 0)
        except ValueError:
            raise Disconnected from None
        self.ended = not self.chunked and self.left == 0
        self.expected = headers.get("expect", "").lower() == "100-continue"
        self.proceed = proceed
        self.count = 0

    def pieces(self) -> Iterator[bytes]:
        """Yields the bytes of the body; raises Disconnected where it ends early."""
        if self.expected and not self.ended:
            self.expected = False
            self.proceed()
        while not self.ended:
            piece = self.chunk() if self.chunked else self.plain()
            self.count += len(piece)
            if piece:
                yield piece

    def plain(self) -> bytes:
        piece = self.stream.read1(min(self.left, STEP))
        if not piece:
            raise Disconnected
        self.left -= len(piece)
        self.ended = self.left == 0
        return piece

    def chunk(self) -> bytes:
        if self.left == 0:
            try:
                self.left = int(self.stream.readline(LONGEST_LINE).split(b";")[0], 16)
            except ValueError:
                raise Disconnected from None
            if self.left == 0:
                while self.stream.readline(LONGEST_LINE).strip():
                    pass
                self.ended = True
                return b""
        piece = self.stream.read1(min(self.left, STEP))
        if not piece:
            raise Disconnected
        self.left -= len(piece)
        if self.left == 0:
            self.stream.readline(LONGEST_LINE)
        return piece

    def whole(self, limit: int = 64 << 20) -> bytes:
        """Returns the body at once, where it is at most `limit` bytes."""
        data = bytearray()
        for piece in self.pieces():
            data += piece
            if len(data) > limit:
                raise DavError(413, "BadRequest", "The body is too large")
        return bytes(data)

    def skip(self) -> bool:
        """Reads past what is left of the body. Returns whether the connection can serve another request."""
        if self.expected and not self.ended:
            return False
        skipped = 0
        for piece in self.pieces():
            skipped += len(piece)
            if skipped > MOST_SKIPPED:
                return False
        return True


class Connection:
    """One client's connection, which serves requests until either side closes it."""

    def __init__(self, sock: socket.socket, secure: bool) -> None:
        self.sock = sock
        self.secure = secure
        self.stream: io.BufferedReader = io.BufferedReader(socket.SocketIO(sock, "r"), STEP)

    def receive(self) -> Request | None:
        """Returns the next request, or nothing at the end of the connection."""
        line = self.stream.readline(LONGEST_LINE)
        while line in (b"\r\n", b"\n"):
            line = self.stream.readline(LONGEST_LINE)
        if not line:
            return None
        words = line.decode("latin-1").split()
        if len(words) != 3 or not words[2].startswith("HTTP/1.") or "#" in words[1]:
            self.sock.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            raise Disconnected
        headers: dict[str, str] = {}
        while line := self.stream.readline(LONGEST_LINE).rstrip(b"\r\n"):
            name, _, value = line.partition(b":")
            key = name.decode("latin-1").strip().lower()
            text = value.strip().decode("utf-8", "replace")
            headers[key] = f"{headers[key]}, {text}" if key in headers else text
        if words[2] == "HTTP/1.0":
            headers.setdefault("connection", "close")
        body = ConnectionBody(self.stream, headers, lambda: self.sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n"))
        return Request(words[0], words[1], headers, body, self.secure)

    def send(self, request: Request, response: Response, fault: Fault | None) -> bool:
        """Sends a response. Returns whether the connection can serve another request."""
        assert isinstance(request.body, ConnectionBody)
        body, bare = response.body, request.method == "HEAD" or response.status in (204, 304)
        headers = {"Date": formatdate(usegmt=True), "Server": "Apache", "X-Request-Id": f"{time.monotonic_ns():x}"}
        headers.update(response.headers)
        if isinstance(body, bytes):
            length: int | None = len(body)
        else:
            length = body.length if isinstance(body, FileSlice) else None
        if response.status == 204:
            headers.pop("Content-Length", None)
        elif length is None:
            headers["Transfer-Encoding"] = "chunked"
        else:
            headers.setdefault("Content-Length", str(length + (fault.extra_length if fault else 0)))
        keeps = request.body.skip() and request.header("connection").lower() != "close"
        headers["Connection"] = "keep-alive" if keeps else "close"
        head = f"HTTP/1.1 {response.status} {REASONS.get(response.status, 'Unknown')}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items()) + "\r\n"
        try:
            if fault and fault.cut is not None and not bare:
                self.cut(head.encode("utf-8"), body, fault.cut)
                return False
            if fault and fault.rate and not bare:
                self.send_slowly(head.encode("utf-8"), body, fault.rate)
            elif bare or body == b"":
                # End the locks of the request before its client has the whole reply.
                if isinstance(body, FileSlice):
                    body.close()
                self.sock.sendall(head.encode("utf-8"))
            else:
                self.send_body(head.encode("utf-8"), body)
        finally:
            if isinstance(body, FileSlice):
                body.close()
        return keeps and not (fault and fault.extra_length)

    def send_body(self, head: bytes, body: bytes | FileSlice | Iterator[bytes]) -> None:
        if isinstance(body, bytes):
            self.sock.sendall(head + body)
        elif isinstance(body, FileSlice):
            if body.length:
                self.sock.sendall(head)
                head = self.send_but_last(body)
            # A client that has the last byte may write the file, or remove its folder, at once.
            body.close()
            self.sock.sendall(head)
        else:
            self.sock.sendall(head)
            for piece in body:
                if piece:
                    self.sock.sendall(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.sock.sendall(b"0\r\n\r\n")

    def send_but_last(self, body: FileSlice) -> bytes:
        """Sends a body except its last byte, which it returns."""
        rest = body.length - 1
        if rest and self.sock.sendfile(body.file, body.offset, rest) != rest:
            raise Disconnected
        body.file.seek(body.offset + rest)
        last = body.file.read(1)
        if not last:
            raise Disconnected
        return last

    def send_slowly(self, head: bytes, body: bytes | FileSlice | Iterator[bytes], rate: int) -> None:
        """Sends a body in ten pieces a second."""
        self.sock.sendall(head)
        if isinstance(body, FileSlice):
            body.file.seek(body.offset)
            data = body.file.read(body.length)
        else:
            data = body if isinstance(body, bytes) else b"".join(b"%x\r\n%b\r\n" % (len(each), each) for each in body)
            data += b"" if isinstance(body, bytes) else b"0\r\n\r\n"
        step = max(1, rate // 10)
        for start in range(0, len(data), step):
            self.sock.sendall(data[start : start + step])
            time.sleep(0.1)

    def cut(self, head: bytes, body: bytes | FileSlice | Iterator[bytes], count: int) -> None:
        """Sends the head and the first bytes of the body, and no more."""
        if isinstance(body, FileSlice):
            body.file.seek(body.offset)
            data = body.file.read(min(count, body.length))
        else:
            data = body if isinstance(body, bytes) else b"".join(body)
        self.sock.sendall(head + data[:count])
        self.close()

    def close(self) -> None:
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()

    def reset(self) -> None:
        """Ends the connection so that the client sees a reset."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.sock.close()
