"""notify_push: messages over a WebSocket about changed files.

As in the original, a message waits until no change came for half a second, so that it never goes while changes go on.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import secrets
import struct
import threading
import time
from collections.abc import Iterator

from .cloud import Cloud
from .connection import Connection, Disconnected
from .message import Request, Response, bad_request

MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
PING_PERIOD = 30
# Seconds for which a token of pre_auth is valid.
TOKEN_LIFETIME = 15
MOST_CONNECTIONS = 64


class Listener:
    """One client's WebSocket. Its fields are guarded by the lock of Push, and sending by its own, a leaf lock."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.user = ""
        self.wants_ids = False
        self.pending: set[int] = set()
        # When the last change came, while it is not sent yet, and when the last message went.
        self.changed: float | None = None
        self.sent = 0.0
        # Spreads the load of many connections.
        self.factor = random.uniform(0.5, 1.5)
        self.pinged = time.monotonic()
        self.expected = b""
        self.lock = threading.Lock()

    def send(self, text: str) -> None:
        self.frame(TEXT, text.encode())

    def frame(self, kind: int, data: bytes) -> None:
        size = len(data)
        head = (
            bytes([0x80 | kind, size])
            if size < 126
            else struct.pack("!BBH", 0x80 | kind, 126, size)
            if size < 65536
            else struct.pack("!BBQ", 0x80 | kind, 127, size)
        )
        with self.lock:
            self.connection.sock.sendall(head + data)

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Yields the messages of the client; answers its pings."""
        message, kind = b"", TEXT
        while head := self.connection.stream.read(2):
            if len(head) < 2 or not head[1] & 0x80:
                raise Disconnected
            size = head[1] & 0x7F
            if size > 125:
                form = "!H" if size == 126 else "!Q"
                size = struct.unpack(form, self.connection.stream.read(struct.calcsize(form)))[0]
            if size > 1 << 20:
                raise Disconnected
            mask, data = self.connection.stream.read(4), self.connection.stream.read(size)
            data = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data))
            opcode = head[0] & 15
            if opcode == PING:
                self.frame(PONG, data)
            elif opcode == CLOSE:
                self.frame(CLOSE, data[:2])
                return
            elif opcode == PONG:
                if data != self.expected:
                    raise Disconnected
                self.expected = b""
            else:
                message, kind = message + data, opcode or kind
                if head[0] & 0x80:
                    yield kind, message
                    message = b""


class Push:
    """All listeners, and the thread that sends to them. Messages may be late and are lost when a connection breaks."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.condition = threading.Condition()
        self.listeners: set[Listener] = set()
        self.tokens: dict[str, tuple[str, float]] = {}
        cloud.tree.listeners.append(self.changed)
        threading.Thread(target=self.run, daemon=True).start()

    def pre_auth(self, request: Request) -> Response:
        """Returns a token that takes the place of a password once."""
        token = secrets.token_urlsafe(24)
        with self.condition:
            self.tokens[token] = (request.user, time.monotonic() + TOKEN_LIFETIME)
        return Response.text(200, token)

    def serve(self, connection: Connection, request: Request) -> None:
        """Serves one WebSocket until it ends."""
        key = request.header("sec-websocket-key")
        if request.header("upgrade").lower() != "websocket" or not key:
            connection.send(request, bad_request("Request is no WebSocket handshake").response(), None)
            return
        accept = base64.b64encode(hashlib.sha1(key.encode() + MAGIC).digest()).decode()
        connection.sock.sendall(
            (
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Accept: {accept}\r\n\r\n"
            ).encode()
        )
        listener = Listener(connection)
        frames = (data.decode("utf-8", "replace") for kind, data in listener.frames() if kind == TEXT)
        user = self.authenticate(next(frames, ""), next(frames, ""))
        if not user:
            listener.send("err: Invalid credentials")
            return
        listener.user = user
        with self.condition:
            if sum(each.user == user for each in self.listeners) >= MOST_CONNECTIONS:
                listener.send("err: Too many connections")
                return
            self.listeners.add(listener)
            self.condition.notify()
        try:
            listener.send("authenticated")
            for message in frames:
                if message == "listen notify_file_id":
                    listener.wants_ids = True
        finally:
            with self.condition:
                self.listeners.discard(listener)

    def authenticate(self, name: str, password: str) -> str:
        with self.condition:
            user, until = self.tokens.pop(password, ("", 0.0))
        if user and until > time.monotonic():
            return user
        found = self.cloud.accounts.verify(name, password) if name else None
        return found[0].uid if found else ""

    def changed(self, users: set[str], ids: set[int]) -> None:
        """Notes a change for the listeners of these users. The id 0 says that it is not known what changed."""
        with self.condition:
            for listener in self.listeners:
                if listener.user in users:
                    listener.pending |= ids
                    listener.changed = time.monotonic()
            self.condition.notify()

    def close_all(self) -> None:
        """Ends all WebSockets, as a restart of notify_push does."""
        with self.condition:
            for listener in self.listeners:
                listener.connection.close()

    def due(self, listener: Listener) -> float | None:
        """Returns when a listener's next message goes: after a quiet time, and a pause since its last message."""
        if listener.changed is None:
            return None
        pause = self.cloud.number("push-pause", 1) * listener.factor
        return max(listener.changed + self.cloud.number("push-quiet", 0.5), listener.sent + pause)

    def run(self) -> None:
        """Sends what is due, and pings."""
        while True:
            with self.condition:
                now, period = time.monotonic(), self.cloud.number("push-ping", PING_PERIOD)
                work: list[tuple[Listener, list[str]]] = []
                times: list[float] = []
                for listener in self.listeners:
                    due, ping = self.due(listener), listener.pinged + period
                    if due is not None and due <= now:
                        work.append((listener, self.message(listener, now)))
                    elif ping <= now:
                        listener.pinged = now
                        work.append((listener, []))
                    times += [ping] if due is None else [ping, due]
                if not work:
                    self.condition.wait(max(0.001, min(times) - now) if times else None)
            for listener, messages in work:
                self.deliver(listener, messages)

    def message(self, listener: Listener, now: float) -> list[str]:
        ids = sorted(listener.pending)
        listener.pending, listener.changed, listener.sent = set(), None, now
        if not listener.wants_ids or not ids or ids[0] == 0:
            return ["notify_file"]
        listed = json.dumps(ids, separators=(",", ":"))
        # Another server of this protocol sends the list as a message of its own.
        return (
            ["notify_file_id", listed]
            if self.cloud.setting("push-two-messages", False)
            else [f"notify_file_id {listed}"]
        )

    def deliver(self, listener: Listener, messages: list[str]) -> None:
        try:
            for message in messages:
                listener.send(message)
            if not messages:
                self.ping(listener)
        except OSError:
            listener.connection.close()

    def ping(self, listener: Listener) -> None:
        """Pings a client, or ends the connection of one that did not answer the last ping."""
        if listener.expected:
            listener.connection.close()
            return
        listener.expected = secrets.token_bytes(4)
        listener.frame(PING, listener.expected)
