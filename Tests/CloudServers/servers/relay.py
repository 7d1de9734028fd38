"""An HTTP proxy before a server, with the faults of nextcloud/faults.py in what passes."""

from __future__ import annotations

import contextlib
import http.client
import shutil
import socket
import tempfile
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from nextcloud.connection import Connection, Disconnected
from nextcloud.faults import Faults
from nextcloud.message import FileSlice, Request, Response

# Seconds for one request of the server behind, whose replies tests may hold back.
PATIENCE = 600
# Fields that concern one connection only.
HOPS = ("connection", "keep-alive", "transfer-encoding", "content-length", "expect", "host", "te", "upgrade")


class Relay:
    """Handles each request by sending it to the server behind. A handler of nextcloud.server.Server."""

    def __init__(self, url: str) -> None:
        self.behind = urlsplit(url)
        self.faults = Faults()

    def handle(self, request: Request) -> Response:
        """Sends a request on and returns the reply; raises Disconnected without one."""
        connection = http.client.HTTPConnection(
            self.behind.hostname or "", self.behind.port or 80, timeout=PATIENCE
        )
        try:
            self.send(connection, request)
            return self.received(request, connection.getresponse())
        except (OSError, http.client.HTTPException):
            raise Disconnected from None
        finally:
            connection.close()

    def send(self, connection: http.client.HTTPConnection, request: Request) -> None:
        connection.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
        behind = f"{self.behind.scheme}://{self.behind.netloc}"
        connection.putheader("Host", self.behind.netloc)
        connection.putheader("Connection", "close")
        for name, value in request.headers.items():
            if name not in HOPS:
                connection.putheader(name, value.replace(request.origin, behind).encode())
        chunked = "transfer-encoding" in request.headers
        if chunked:
            connection.putheader("Transfer-Encoding", "chunked")
        elif "content-length" in request.headers:
            connection.putheader("Content-Length", request.header("content-length"))
        connection.endheaders()
        # A server may refuse a request before it has read the body, and close the connection.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for piece in request.body.pieces():
                connection.send(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            if chunked:
                connection.send(b"0\r\n\r\n")

    def received(self, request: Request, reply: http.client.HTTPResponse) -> Response:
        """Returns the server's reply with its whole body, whose length the client is to see as the server says it."""
        headers: dict[str, str] = {}
        for name, value in reply.headers.items():
            if name.lower() not in HOPS:
                headers[name] = f"{headers[name]}, {value}" if name in headers else value
        if request.method == "HEAD":
            headers["Content-Length"] = reply.headers.get("Content-Length", "0")
            return Response(reply.status, headers)
        body = tempfile.TemporaryFile()
        shutil.copyfileobj(reply, body)
        if reply.length:
            body.close()
            raise Disconnected
        size = body.tell()
        body.seek(0)
        if size <= 4 << 20:
            with body:
                return Response(reply.status, headers, body.read())
        return Response(reply.status, headers, FileSlice(body, 0, size))

    def takes_over(self, connection: Connection, request: Request) -> bool:
        """Forwards the bytes of a WebSocket until a side closes it. Returns whether the request asks for one."""
        if request.header("upgrade").lower() != "websocket":
            return False
        far = socket.create_connection((self.behind.hostname or "", self.behind.port or 80))
        head = [f"{request.method} {request.target} HTTP/1.1", f"Host: {self.behind.netloc}"]
        head += [f"{name}: {value}" for name, value in request.headers.items() if name != "host"]
        far.sendall("\r\n".join([*head, "", ""]).encode())
        connection.sock.settimeout(None)
        back = threading.Thread(target=forward, args=(pieces(far), connection.sock), daemon=True)
        back.start()
        forward(iter(lambda: connection.stream.read1(1 << 16), b""), far)
        back.join()
        far.close()
        return True

    def expire(self, user: str) -> None:
        """Application passwords are the server's own."""


def pieces(sock: socket.socket) -> Iterator[bytes]:
    with contextlib.suppress(OSError):
        while piece := sock.recv(1 << 16):
            yield piece


def forward(source: Iterator[bytes], target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        for piece in source:
            target.sendall(piece)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
