#!/usr/bin/env python3
"""forward-proxy.py TARGET [USER:PASSWORD]: an HTTP proxy that reaches one server, whatever host a request names.

It prints its port, and then a line for each request: the method, the host and the status. Requests without the user and
password get 407.
"""

import base64
import http.client
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

TARGET = urlsplit(sys.argv[1])
LOGIN = "Basic " + base64.b64encode(sys.argv[2].encode()).decode() if len(sys.argv) > 2 else None
HOP = {"connection", "keep-alive", "proxy-authorization", "proxy-connection", "transfer-encoding", "te", "trailer"}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        whole = b""
        while count := int(self.rfile.readline().split(b";")[0], 16):
            whole += self.rfile.read(count)
            self.rfile.readline()
        self.rfile.readline()
        return whole

    def forward(self):
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.send_response_only(100)
            self.end_headers()
        body, place = self.body(), urlsplit(self.path)
        if self.command == "CONNECT":
            return self.answer(urlsplit("//" + self.path), 403, [], b"")
        if LOGIN and self.headers.get("Proxy-Authorization") != LOGIN:
            return self.answer(place, 407, [("Proxy-Authenticate", "Basic realm=proxy")], b"")
        fields = {name: value for name, value in self.headers.items() if name.lower() not in HOP}
        fields["Content-Length"] = str(len(body))
        server = http.client.HTTPConnection(TARGET.hostname, TARGET.port)
        server.request(self.command, place.path + ("?" + place.query if place.query else ""), body, fields)
        reply = server.getresponse()
        self.answer(place, reply.status, reply.getheaders(), reply.read())
        server.close()

    def answer(self, place, status, fields, body):
        print(self.command, place.hostname, status, flush=True)
        self.send_response_only(status)
        for name, value in fields:
            if name.lower() not in HOP | {"content-length"}:
                self.send_header(name, value)
        if self.command != "HEAD" or status == 407:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.forward
        raise AttributeError(name)


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
