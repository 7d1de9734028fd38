"""The server's socket, and a thread for each connection."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
import traceback
from typing import Protocol

from .accounts import credentials
from .connection import Connection, ConnectionBody, Disconnected
from .faults import Fault, Faults
from .message import DavError, FileSlice, Request, Response

# Seconds that a connection without a request stays open.
IDLE = 600


class Handler(Protocol):
    """Carries out requests."""

    faults: Faults

    def handle(self, request: Request) -> Response: ...

    # Serves a whole connection, if its first request asks for another protocol.
    def takes_over(self, connection: Connection, request: Request) -> bool: ...

    # Ends the application passwords of a user.
    def expire(self, user: str) -> None: ...


class Server:
    """Accepts connections on a port of the loopback address."""

    def __init__(self, handler: Handler, port: int, context: ssl.SSLContext | None) -> None:
        self.handler = handler
        self.context = context
        self.socket = socket.create_server(("127.0.0.1", port), backlog=256)
        # The open connections. Leaf lock.
        self.lock = threading.Lock()
        self.connections: set[Connection] = set()

    @property
    def url(self) -> str:
        return f"{'https' if self.context else 'http'}://127.0.0.1:{self.socket.getsockname()[1]}"

    def run(self) -> None:
        while True:
            try:
                accepted, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(accepted,), daemon=True).start()

    def change(self, context: ssl.SSLContext) -> None:
        """Replaces the certificate, and ends all connections."""
        self.context = context
        with self.lock:
            for connection in self.connections:
                connection.close()

    def serve(self, accepted: socket.socket) -> None:
        """Serves one connection until it ends."""
        accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        accepted.settimeout(IDLE)
        with contextlib.suppress(OSError, ssl.SSLError):
            if self.context:
                accepted = self.context.wrap_socket(accepted, server_side=True)
            connection = Connection(accepted, self.context is not None)
            with self.lock:
                self.connections.add(connection)
            try:
                while request := connection.receive():
                    if self.handler.takes_over(connection, request) or not self.reply(connection, request):
                        break
            except Disconnected:
                pass
            finally:
                with self.lock:
                    self.connections.discard(connection)
                connection.close()

    def reply(self, connection: Connection, request: Request) -> bool:
        """Carries out one request, with the fault that was ordered for it. Returns whether the connection goes on."""
        started, controls = time.monotonic(), request.path.startswith("/-/")
        faults = self.handler.faults
        fault = None if controls else faults.take(request, user_of(request))
        response: Response | None = None
        try:
            if fault and fault.delay:
                with faults.waiting(request):
                    time.sleep(fault.delay)
            if fault and fault.hold == "before":
                faults.hold()
            if not fault or fault.drop != "before":
                response = self.respond(request, fault)
            if fault and fault.hold == "after":
                faults.hold()
            if fault and fault.delay_reply:
                time.sleep(fault.delay_reply)
            dropped = bool(fault and fault.drop)
        except Disconnected:
            dropped = True
        if not controls:
            count = request.body.count if isinstance(request.body, ConnectionBody) else 0
            # Noted before the reply goes, so that a client that has it finds its request counted.
            faults.record(request, None if dropped else response, count, time.monotonic() - started)
        if response and not dropped:
            return connection.send(request, response, fault)
        if response and isinstance(response.body, FileSlice):
            response.body.close()
        connection.reset()
        return False

    def respond(self, request: Request, fault: Fault | None) -> Response:
        if fault and fault.expire:
            self.handler.expire(user_of(request))
        response = fault.instead() if fault else None
        if not response:
            try:
                response = self.handler.handle(request)
            except (Disconnected, ConnectionError, TimeoutError):
                raise Disconnected from None
            except Exception as failure:
                traceback.print_exc()
                response = DavError(500, type(failure).__name__, str(failure)).response()
        if fault:
            fault.change(response)
        return response


def user_of(request: Request) -> str:
    """Returns the name in a request's Authorization header, unverified."""
    kind, _, value = request.header("authorization").partition(" ")
    return credentials(kind, value)[0] if kind.lower() == "basic" else ""
