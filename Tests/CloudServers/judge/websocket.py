"""A client for WebSockets, as far as notify_push needs one."""

from __future__ import annotations

import base64
import os
import socket
import struct
from urllib.parse import urlsplit


class WebSocket:
    """One connection. Waiting for a message ends with an error after `timeout` seconds."""

    def __init__(self, url: str, timeout: float = 30) -> None:
        address = urlsplit(url)
        self.socket = socket.create_connection((address.hostname or "", address.port or 80), timeout)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        self.stream = self.socket.makefile("rb")
        self.status = int(self.stream.readline().split()[1])
        while self.stream.readline().strip():
            pass

    def send(self, message: str | bytes, kind: int = 1) -> None:
        data, mask = message.encode() if isinstance(message, str) else message, os.urandom(4)
        size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xfe" + struct.pack("!H", len(data))
        masked = bytes(byte ^ mask[index & 3] for index, byte in enumerate(data))
        self.socket.sendall(bytes([0x80 | kind]) + size + mask + masked)

    def receive(self) -> tuple[int, str]:
        """Returns the kind and text of the next frame; the kind is 0 at the end of the connection."""
        kind, data = self.receive_bytes()
        return kind, data.decode()

    def receive_bytes(self) -> tuple[int, bytes]:
        try:
            head = self.stream.read(2)
            if len(head) < 2:
                return 0, b""
            size = head[1] & 0x7F
            if size == 126:
                size = struct.unpack("!H", self.stream.read(2))[0]
            return head[0] & 15, self.stream.read(size)
        except ConnectionResetError:
            return 0, b""

    def close(self) -> None:
        self.stream.close()
        self.socket.close()
