"""notify_push: messages over a WebSocket about changed files."""

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
# The longest pause between messages while changes go on.
LONGEST_PAUSE = 15.0
MOST_CONNECTIONS = 64


class Listener:
    """One client's WebSocket. Its fields are guarded by the lock of Push, and sending by its own, a leaf lock."""

    def __init__(self, connection: Connection, user: str) -> None:
        self.connection = connection
        self.user = user
        self.wants_ids = False
        self.pending: set[int] = set()
        self.due: float | None = None
        self.last = 0.0
        self.pause = 0.0
        self.ping = time.monotonic() + PING_PERIOD
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
            elif opcode != PONG:
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
        listener = Listener(connection, "")
        frames = (data.decode("utf-8", "replace") for kind, data in listener.frames() if kind == TEXT)
        user = self.authenticate(next(frames, ""), next(frames, ""))
        if not user:
            listener.send("err: Invalid credentials")
            listener.frame(CLOSE, struct.pack("!H", 1000))
            return
        listener.user = user
        with self.condition:
            if sum(each.user == user for each in self.listeners) >= MOST_CONNECTIONS:
                listener.send("err: Too many connections")
                return
            self.listeners.add(listener)
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
            user, until = self.tokens.pop(password, ("", 0.0)) if not name else ("", 0.0)
        if user and until > time.monotonic():
            return user
        found = self.cloud.accounts.verify(name, password) if name else None
        return found[0].uid if found else ""

    def changed(self, users: set[str], ids: set[int]) -> None:
        """Notes a change for the listeners of these users. The first message goes at once, others after a pause."""
        now, shortest = time.monotonic(), self.cloud.number("push-pause", 1.0)
        with self.condition:
            for listener in self.listeners:
                if listener.user not in users:
                    continue
                listener.pending |= ids
                if listener.due is not None:
                    continue
                busy = now < listener.last + 2 * listener.pause
                listener.pause = min(LONGEST_PAUSE, max(shortest, 2 * listener.pause if busy else 0))
                listener.due = max(now, listener.last + listener.pause * random.uniform(0.5, 1.5)) if busy else now
            self.condition.notify()

    def close_all(self) -> None:
        """Ends all WebSockets, as a restart of notify_push does."""
        with self.condition:
            for listener in self.listeners:
                listener.connection.close()

    def run(self) -> None:
        """Sends what is due, and pings."""
        while True:
            with self.condition:
                now = time.monotonic()
                due = [listener for listener in self.listeners if listener.due is not None and listener.due <= now]
                work = [(listener, self.message(listener, now)) for listener in due]
                for listener in self.listeners:
                    if listener.ping <= now:
                        listener.ping = now + PING_PERIOD
                        work.append((listener, []))
                if not work:
                    times = [
                        time_
                        for listener in self.listeners
                        for time_ in (listener.due, listener.ping)
                        if time_ is not None
                    ]
                    self.condition.wait(max(0.001, min(times) - now) if times else None)
            for listener, messages in work:
                self.deliver(listener, messages)

    def message(self, listener: Listener, now: float) -> list[str]:
        ids = sorted(listener.pending)
        listener.pending, listener.due, listener.last = set(), None, now
        if not listener.wants_ids:
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
                listener.frame(PING, struct.pack("!Q", time.monotonic_ns()))
        except OSError:
            listener.connection.close()
