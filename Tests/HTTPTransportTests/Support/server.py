"""A web server for the tests of HTTPTransport: honest, or with the fault that the path names.

server.py [CERTIFICATE KEY]: serves 127.0.0.1, prints the port, and ends with its standard input.
"""

import base64
import gzip
import hashlib
import json
import random
import re
import socket
import ssl
import struct
import sys
import threading
import time
from urllib.parse import parse_qs, urlsplit

LOCK = threading.Lock()
BEGUN = threading.Condition(LOCK)
REQUESTS, COUNTS, RUNNING, STORED = [], {}, [0, 0], {}


def pattern(count):
    return bytes((number * 7 + (number >> 8)) & 255 for number in range(min(count, 65536))) * (count // 65536 + 1)


class Exchange:
    def __init__(self, connection, stream, number):
        self.connection, self.stream, self.number = connection, stream, number

    def read(self):
        line = self.stream.readline()
        if not line:
            return False
        self.method, self.target, _ = line.decode("latin-1").split(None, 2)
        self.headers = {}
        while (line := self.stream.readline().strip()):
            name, value = line.decode("latin-1").split(":", 1)
            self.headers[name.lower()] = value.strip()
        parts = urlsplit(self.target)
        self.path, self.query = parts.path, {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.body = b""
        if not self.path.startswith("/early"):
            if self.headers.get("expect"):
                self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.body = self.stream.read(int(self.headers.get("content-length", 0)))
        with LOCK:
            REQUESTS.append({
                "connection": self.number, "method": self.method, "target": self.target, "headers": self.headers,
                "count": len(self.body), "digest": hashlib.sha256(self.body).hexdigest()})
        return True

    def send(self, data):
        self.connection.sendall(data)

    def reply(self, status, body=b"", headers=(), length=None):
        lines = [f"HTTP/1.1 {status} Reason", "Date: Sun, 06 Nov 1994 08:49:37 GMT"]
        lines += [f"{name}: {value}" for name, value in headers]
        lines.append(f"Content-Length: {len(body) if length is None else length}")
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (b"" if self.method == "HEAD" else body))
        return True

    def part(self, whole, tag='"v1"', honest=True):
        """Answers a request for a part of a file, or for all of it."""
        found = re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("range", ""))
        if not found or self.headers.get("if-range", tag) != tag:
            return self.reply(200, whole, [("ETag", tag)])
        start = int(found[1])
        end = min(int(found[2] or len(whole) - 1), len(whole) - 1)
        if start >= len(whole):
            return self.reply(416, b"", [("Content-Range", f"bytes */{len(whole)}")])
        field = ("Content-Range", f"bytes {start}-{end}/{len(whole)}")
        return self.reply(206 if honest else 200, whole[start:end + 1], [("ETag", tag), field])

    def visits(self):
        with LOCK:
            COUNTS[self.target] = COUNTS.get(self.target, 0) + 1
            return COUNTS[self.target]

    def serve(self):
        """Answers the request. Returns whether the connection stays open."""
        if self.target.startswith("http://"):
            return self.reply(200, b"by the proxy: " + self.target.encode())
        if self.method == "CONNECT":
            return self.connect()
        name, *words = self.path.strip("/").split("/")
        return getattr(self, "serve_" + name.replace("-", "_"), self.serve_missing)(*words)

    def connect(self):
        """Forwards bytes in both directions, unless the port is that of no server."""
        host, port = self.target.rsplit(":", 1)
        if port == "1":
            return self.reply(403)
        with socket.create_connection((host, int(port))) as other:
            self.send(b"HTTP/1.1 200 Connected\r\nX-Proxy: 1\r\n\r\n")
            back = threading.Thread(target=forward, args=(other, self.connection), daemon=True)
            back.start()
            forward(self.connection, other)
            back.join()

    def serve_missing(self, *_):
        return self.reply(404, b"<html>no such page</html>", [("Content-Type", "text/html")])

    # Honest

    def serve_log(self):
        with LOCK:
            return self.reply(200, json.dumps(REQUESTS[:-1]).encode())

    def serve_file(self, count):
        return self.part(pattern(int(count))[:int(count)])

    def serve_put(self, *_):
        return self.reply(201, self.body[:10])

    def serve_status(self, status):
        return self.reply(int(status), b"the reason")

    def serve_gzip(self, count):
        return self.reply(200, gzip.compress(pattern(int(count))[:int(count)]), [("Content-Encoding", "gzip")])

    def serve_cookie(self):
        return self.reply(200, self.headers.get("cookie", "").encode(), [("Set-Cookie", "session=1; Path=/")])

    def serve_redirect(self, status):
        return self.reply(int(status), b"elsewhere", [("Location", self.query["to"])])

    def serve_busy(self, key, times, status):
        if self.visits() > int(times):
            return self.reply(200, b"at last")
        return self.reply(int(status), b"later", [("Retry-After", self.query["after"])] if "after" in self.query else [])

    def serve_concurrent(self, _):
        with BEGUN:
            RUNNING[0] += 1
            RUNNING[1] = max(RUNNING)
            BEGUN.notify_all()
            # On a busy machine, the first requests may be over before the client has sent as many as it may.
            BEGUN.wait_for(lambda: RUNNING[1] >= 3, 60)
        time.sleep(0.05)
        with LOCK:
            RUNNING[0] -= 1
        return self.reply(200)

    def serve_most(self):
        return self.reply(200, str(RUNNING[1]).encode())

    # Credentials

    def serve_basic(self, *_):
        if self.headers.get("authorization") == "Basic " + base64.b64encode(b"ada:p\xc3\xa4ss").decode():
            return self.reply(200, b"welcome")
        return self.reply(401, b"", [("WWW-Authenticate", 'Basic realm="test"')])

    def serve_bearer(self):
        return self.reply(200 if self.headers.get("authorization") == "Bearer token" else 401)

    def serve_digest(self):
        given = dict(re.findall(r'(\w+)="?([^",]*)"?', self.headers.get("authorization", "")))
        digest = lambda text: hashlib.md5(text.encode()).hexdigest()
        secret, action = digest(f"ada:test:{self.query['password']}"), digest(f"{self.method}:{self.target}")
        middle = ":".join(given.get(key, "") for key in ("nonce", "nc", "cnonce", "qop"))
        if given.get("response") == digest(f"{secret}:{middle}:{action}"):
            return self.reply(200, b"welcome")
        challenge = 'Digest realm="test", nonce="abc", qop="auth", algorithm=MD5'
        return self.reply(401, b"who?", [("WWW-Authenticate", challenge)])

    # Faults

    def serve_half(self, *_):
        self.reply(200, pattern(500)[:500], length=1000)

    def serve_half_once(self, key):
        whole = pattern(300_000)[:300_000]
        if self.visits() == 1:
            self.reply(200, whole[:100_000], [("ETag", '"v1"')], length=len(whole))
            return False
        return self.part(whole, '"v2"' if key == "changed" else '"v1"')

    def serve_whole(self, count):
        return self.reply(200, pattern(int(count))[:int(count)])

    def serve_part_as_whole(self, count):
        return self.part(pattern(int(count))[:int(count)], honest=False)

    def serve_wrong_part(self):
        return self.reply(206, b"x" * 10, [("Content-Range", "bytes 500-509/1000")])

    def serve_unnamed_part(self):
        return self.reply(206, b"x" * 10)

    def serve_more(self):
        return self.reply(206, b"x" * 20, [("Content-Range", "bytes 0-9/1000")])

    def serve_less(self):
        return self.reply(206, b"x" * 5, [("Content-Range", "bytes 0-9/1000")])

    def serve_silent(self):
        self.stream.read(1)

    def serve_close(self, *_):
        return False

    def serve_garbage(self):
        self.send(b"SSH-2.0-OpenSSH_9.2\r\n")

    def serve_early(self):
        self.reply(507, b"full")
        # The end of the connection would be a reset, which takes the reply from a client that is still sending.
        time.sleep(3600)

    def serve_noise(self, seed):
        """Sends pieces of replies in disorder."""
        dice = random.Random(seed)
        pieces = [
            b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 206 Part\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"HTTP/1.1 302 Found\r\n",
            b"HTTP/9.9 999\r\n", b"Content-Length: 10\r\n", b"Content-Length: -1\r\n", b"Content-Length: 99999999999999999999\r\n",
            b"Transfer-Encoding: chunked\r\n", b"Content-Range: bytes 0-9/10\r\n", b"Location: //\r\n", b"Location: /noise/%d\r\n" % (int(seed) + 1),
            b"Content-Encoding: gzip\r\n", b"ETag: \"v1\"\r\n", b": x\r\n", b" folded\r\n", b"\r\n", b"\r\n\r\n", b"a\r\n0123456789\r\n",
            b"0\r\n\r\n", b"fffffffffffffffff\r\n", b"0123456789", bytes(dice.randrange(256) for _ in range(40)), b"\0" * 10]
        self.send(b"".join(dice.choices(pieces, k=dice.randrange(1, 12))))

    def endless(self, beginning, piece, pause=0):
        self.send(beginning)
        while True:
            self.send(piece)
            time.sleep(pause)

    def serve_slow_head(self):
        self.endless(b"HTTP/1.1 200 OK\r\n", b"X-Slow: 1\r\n", 0.1)

    def serve_drip(self):
        self.endless(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x", 0.1)

    def serve_endless_headers(self):
        self.endless(b"HTTP/1.1 200 OK\r\n", b"X-Long: " + b"x" * 1000 + b"\r\n")

    def serve_endless_interim(self):
        self.endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")

    def serve_endless(self, status):
        self.endless(f"HTTP/1.1 {status} OK\r\n\r\n".encode(), b"x" * 65536)

    # WebSockets

    def serve_socket(self, kind, *words):
        """Replies to the request for a WebSocket, and plays the part that the path names."""
        proof = self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(proof.encode()).digest()).decode()
        if kind == "mute":
            return self.serve_silent()
        lines = ["HTTP/1.1 101 Switching", "Upgrade: WebSocket", "Connection: keep-alive, Upgrade"]
        lines.append("Sec-WebSocket-Accept: " + ("x" if kind == "forged" else accept))
        if kind == "unchanged":
            lines.remove("Upgrade: WebSocket")
        if kind == "extended":
            lines.append("Sec-WebSocket-Extensions: permessage-deflate")
        self.send("\r\n".join([*lines, "", ""]).encode())
        getattr(self, "play_" + kind.replace("-", "_"), self.play_bytes)(*words)
        return False

    def frame(self, kind, data=b"", final=True):
        size = len(data)
        length = bytes([size]) if size < 126 else struct.pack("!BH", 126, size) if size < 65536 else struct.pack("!BQ", 127, size)
        self.send(bytes([(0x80 if final else 0) | kind]) + length + data)

    def receive(self):
        """Returns the kind and payload of a client's frame, which must be masked."""
        first, second = self.stream.read(2)
        if not second & 0x80:
            raise ValueError("a frame without mask")
        size = second & 0x7F
        if size > 125:
            size = int.from_bytes(self.stream.read(2 if size == 126 else 8), "big")
        mask, data = self.stream.read(4), self.stream.read(size)
        key = int.from_bytes(mask * (size // 4 + 1), "big") >> 8 * (4 - size % 4) if size else 0
        return first & 15, (int.from_bytes(data, "big") ^ key).to_bytes(size, "big") if size else b""

    def play_echo(self):
        while True:
            kind, data = self.receive()
            self.frame(8 if kind == 8 else 10 if kind == 9 else kind, data)
            if kind == 8:
                return

    def play_fragments(self):
        """Sends a message in three fragments with a ping among them, byte by byte."""
        connection, sent = self.connection, []
        self.send = sent.append
        self.frame(1, "a\u00e9"[:1].encode() + b"\xc3", False)
        self.frame(9, b"among")
        self.frame(0, b"\xa9", False)
        self.frame(0, b"!")
        for byte in b"".join(sent):
            connection.sendall(bytes([byte]))
        del self.send
        self.frame(2, b"pong: " + self.receive()[1])
        self.receive()

    def play_pings(self, count):
        """Sends pings, then the payload of the last pong."""
        for number in range(int(count)):
            self.frame(9, b"%d" % number)
        last = b""
        while last != b"%d" % (int(count) - 1):
            last = self.receive()[1]
        self.frame(1, last)
        self.receive()

    def play_large(self, size):
        self.frame(2, pattern(int(size))[:int(size)])
        self.receive()

    def play_messages(self, count):
        for number in range(int(count)):
            self.frame(1, b"%d" % number)
        self.frame(8, struct.pack("!H", 1001) + b"that was all")
        self.receive()

    def play_answered_pings(self):
        """Answers pings, and tells of the third."""
        for _ in range(3):
            kind, data = self.receive()
            self.frame(10, data)
        self.frame(1, b"kind %d" % kind)
        self.receive()

    def play_deaf(self):
        time.sleep(3600)

    def play_bye(self):
        pass

    def play_noise(self, seed):
        dice = random.Random(seed)
        pieces = [b"\x81\x01a", b"\x01\x01a", b"\x00\x01b", b"\x80\x01c", b"\x89\x00", b"\x88\x02\x03\xe8", b"\x82\x7e\x00\x80" + b"x" * 128,
                  bytes(dice.randrange(256) for _ in range(10))]
        self.send(b"".join(dice.choices(pieces, k=dice.randrange(1, 12))))

    def play_bytes(self, digits="", *_):
        """Sends bytes that the path has in hexadecimal digits, then nothing."""
        self.send(bytes.fromhex(digits))
        while self.stream.read(1):
            pass


def forward(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def talk(connection, context, number):
    try:
        if context:
            connection = context.wrap_socket(connection, server_side=True)
        exchange = Exchange(connection, connection.makefile("rb"), number)
        while exchange.read() and exchange.serve():
            pass
    except (OSError, ValueError):
        pass
    finally:
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()


def main():
    context = None
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    listener = socket.create_server(("127.0.0.1", 0), backlog=100)
    print(listener.getsockname()[1], flush=True)

    def accept():
        number = 0
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            number += 1
            threading.Thread(target=talk, args=(connection, context, number), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


main()
