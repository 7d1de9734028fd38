"""The servers by others: each starts, keeps a file, and leaves nothing behind. The proxy between causes its faults."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import ssl
import subprocess
import unittest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    HTTPSHandler,
    Request,
    build_opener,
)

from .support import FOLDER, REPLY, CloudCase

NAMES = [
    "apache",
    "apache-digest",
    "apache-tls",
    "copyparty",
    "lighttpd",
    "nginx",
    "rclone",
    "rclone-debian",
    "sabre",
    "seaweedfs",
    "wsgidav",
    "xandikos",
]


class ServerTests(unittest.TestCase):
    def serve(self, name: str) -> tuple[subprocess.Popen[str], str, str]:
        scratch = Path(os.environ.get("TMPDIR", "/tmp")) / f"purvey-servers-{os.getpid()}-{name}"
        scratch.mkdir()
        self.addCleanup(shutil.rmtree, scratch, True)
        process = subprocess.Popen(
            [FOLDER / "serve", "--user", "bob", "--password", "pass word", name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"TMPDIR": str(scratch)},
        )
        assert process.stdin and process.stdout and process.stderr
        for stream in (process.stdin, process.stdout, process.stderr):
            self.addCleanup(stream.close)
        url, kind = process.stdout.readline().strip(), process.stdout.readline().strip()
        if not url:
            message = process.stderr.read()
            process.wait(REPLY)
            if "is not installed" in message and not os.environ.get("CI"):
                self.skipTest(message)
            self.fail(message)
        self.scratch = scratch
        return process, url, kind

    def check(self, name: str) -> None:
        process, url, kind = self.serve(name)
        passwords = HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, url, "bob", "pass word")
        handlers = [HTTPBasicAuthHandler(passwords), HTTPDigestAuthHandler(passwords)]
        if url.startswith("https"):
            assert process.stdout
            trusted = ssl.create_default_context(cafile=process.stdout.readline().strip())
            opener = build_opener(*handlers, HTTPSHandler(context=trusted))
        else:
            opener = build_opener(*handlers)
        try:
            for method, path, data in (
                ("PUT", "file", b"contents"),
                ("MKCOL", "folder/", None),
                ("PUT", "folder/x", b""),
            ):
                reply = opener.open(Request(url + path, data, method=method), timeout=REPLY)
                self.assertIn(reply.status, (200, 201, 204))
            self.assertEqual(opener.open(url + "file", timeout=REPLY).read(), b"contents")
            listing = Request(url, method="PROPFIND", headers={"Depth": "1"})
            self.assertIn(b"folder", opener.open(listing, timeout=REPLY).read())
            if kind == "basic":
                address = urlsplit(url)
                kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
                options = {"context": ssl._create_unverified_context()} if address.scheme == "https" else {}
                connection = kinds[address.scheme](address.hostname or "", address.port, timeout=REPLY, **options)
                self.addCleanup(connection.close)
                connection.request("PROPFIND", address.path, headers={"Depth": "0"})
                self.assertEqual(connection.getresponse().status, 401)
        finally:
            assert process.stdin
            process.stdin.close()
            self.assertEqual(process.wait(REPLY), 0)
        self.assertEqual(list(self.scratch.iterdir()), [])
        with self.assertRaises(OSError):
            opener.open(url, timeout=REPLY)


def test_of(name: str) -> Any:
    return lambda self: self.check(name)


for _name in NAMES:
    setattr(ServerTests, "test_" + _name.replace("-", "_"), test_of(_name))


class ProxyTests(CloudCase):
    def setUp(self) -> None:
        super().setUp()
        self.proxy = subprocess.Popen(
            [FOLDER / "proxy", self.cloud.url + "/"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.proxy.stdout
        self.direct, self.cloud.url = self.cloud.url, self.proxy.stdout.readline().strip().rstrip("/")
        self.addCleanup(self.end)

    def end(self) -> None:
        for stream in (self.proxy.stdin, self.proxy.stdout):
            if stream:
                stream.close()
        self.assertEqual(self.proxy.wait(REPLY), 0)

    def order(self, **values: object) -> Any:
        assert self.proxy.stdin and self.proxy.stdout
        self.proxy.stdin.write(json.dumps(values) + "\n")
        self.proxy.stdin.flush()
        return json.loads(self.proxy.stdout.readline())

    def test_what_passes_is_the_same(self) -> None:
        data = os.urandom(3 << 20)
        self.assertEqual(self.cloud.request("PUT", "file", data).status, 201)
        self.assertEqual(self.cloud.request("GET", "file").body, data)
        moved = self.cloud.request("MOVE", "file", Destination=self.cloud.address("moved"))
        self.assertEqual(moved.status, 201)
        self.assertGreater(self.order(count=True)["down"], len(data))

    def test_faults_happen_once(self) -> None:
        data = b"x" * 100_000
        self.cloud.request("PUT", "file", data)
        self.order(cut={"after": 50_000})
        with self.assertRaises((http.client.IncompleteRead, OSError)):
            self.cloud.request("GET", "file")
        self.assertEqual(self.cloud.request("GET", "file").body, data)
        self.order(corrupt={"at": 50_000, "count": 3})
        wrong = self.cloud.request("GET", "file").body
        self.assertEqual((len(wrong), sum(byte != ord("x") for byte in wrong)), (len(data), 3))
        self.order(drop={"at": 40_000, "count": 10})
        with self.assertRaises(http.client.IncompleteRead):
            self.cloud.request("GET", "file", Connection="close")

    def test_an_upload_is_cut(self) -> None:
        self.order(cut={"after": 60_000, "direction": "up"})
        with self.assertRaises(OSError):
            self.cloud.request("PUT", "file", b"x" * 200_000)
        self.assertEqual(self.cloud.request("GET", "file").status, 404)

    def test_refused_connections(self) -> None:
        self.order(refuse=True)
        with self.assertRaises(OSError):
            self.cloud.request("GET", "/status.php")
        self.order(clear=True)
        self.assertEqual(self.cloud.request("GET", "/status.php").status, 200)
        self.assertIn("error", self.order(unheard=1))
