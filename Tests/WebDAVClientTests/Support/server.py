"""A web server for the tests of WebDAVClient. It replies as the tests order.

server.py: serves 127.0.0.1, prints the port, and ends with its standard input. POST /-/order takes a JSON object with
"method", "path" (the beginning of it), "status", "headers", "body" and "times"; later orders come first. GET /-/requests
returns the requests so far. PROPFIND /many/COUNT lists so many files, and /endless/ does not end.
"""

import base64
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOCK = threading.Lock()
ORDERS, REQUESTS = [], []
ENTRY = (
    "<d:response><d:href>/many/{count}/file-{number}.txt</d:href><d:propstat><d:prop><d:resourcetype/>"
    "<d:getcontentlength>{number}</d:getcontentlength><d:getetag>&quot;tag-{number}&quot;</d:getetag>"
    "<d:getlastmodified>Sun, 06 Nov 1994 08:49:37 GMT</d:getlastmodified></d:prop>"
    "<d:status>HTTP/1.1 200 OK</d:status></d:propstat><d:propstat><d:prop><d:getcontenttype/></d:prop>"
    "<d:status>HTTP/1.1 404 Not Found</d:status></d:propstat></d:response>"
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline or not self.parse_request():
            self.close_connection = True
            return
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/-/order":
            with LOCK:
                ORDERS.insert(0, json.loads(body))
            return self.reply(204)
        if self.path == "/-/requests":
            with LOCK:
                return self.reply(200, json.dumps(REQUESTS).encode())
        with LOCK:
            REQUESTS.append({
                "method": self.command, "path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()},
                "body": body.decode("utf-8", "replace")})
            order = next((order for order in ORDERS if self.matches(order)), None)
            if order and "times" in order:
                order["times"] -= 1
        if order:
            text = base64.b64decode(order.get("body", ""))
            return self.reply(order.get("status", 207), text, order.get("headers", {}))
        name, *words = self.path.strip("/").split("/")
        if self.command == "PROPFIND" and name == "many":
            return self.many(int(words[0]))
        if self.command == "PROPFIND" and name == "endless":
            return self.endless()
        self.reply(404)

    def matches(self, order):
        return (
            self.command == order.get("method", self.command) and self.path.startswith(order.get("path", "/"))
            and order.get("times", 1) > 0)

    def reply(self, status, body=b"", headers=()):
        self.send_response_only(status)
        headers = {"Date": self.date_time_string(), "Content-Length": str(len(body))} | dict(headers)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD" and status != 204:
            self.wfile.write(body)

    def begin(self):
        self.send_response_only(207)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

    def many(self, count):
        self.begin()
        self.wfile.write(b'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">')
        for first in range(0, count, 1000):
            entries = "".join(ENTRY.format(count=count, number=n) for n in range(first, min(count, first + 1000)))
            self.wfile.write(entries.encode())
        self.wfile.write(b"</d:multistatus>")

    def endless(self):
        self.begin()
        self.wfile.write(b'<d:multistatus xmlns:d="DAV:"><d:response><d:href>/endless/a</d:href><d:propstat><d:prop>')
        try:
            while True:
                self.wfile.write(b"<d:x>" + b"x" * 1000 + b"</d:x>")
        except OSError:
            pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.buffer.read()
