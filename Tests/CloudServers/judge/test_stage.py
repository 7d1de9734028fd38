"""The stage: a server behind the proxy with faults in requests and replies, and another client of it."""

from __future__ import annotations

import json
import ssl
import subprocess
import unittest
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from servers.client import OtherClient

from .support import FOLDER, REPLY


class StageTests(unittest.TestCase):
    def start(self, name: str, *options: str) -> None:
        self.stage = subprocess.Popen(
            [FOLDER / "stage", *options, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.stage.stdout
        self.addCleanup(self.end)
        self.addresses = json.loads(self.stage.stdout.readline())

    def end(self) -> None:
        for stream in (self.stage.stdin, self.stage.stdout):
            if stream:
                stream.close()
        self.assertEqual(self.stage.wait(REPLY), 0)

    def order(self, name: str, **values: object) -> Any:
        assert self.stage.stdin and self.stage.stdout
        self.stage.stdin.write(json.dumps({"do": name} | values) + "\n")
        self.stage.stdin.flush()
        reply = json.loads(self.stage.stdout.readline())
        self.assertNotIn("error", reply)
        return reply

    def check(self, name: str) -> None:
        self.start(name)
        near = OtherClient(self.addresses["url"], "alice", "secret")
        large = bytes(range(256)) * 30_000
        near.put("a #%+ü.txt", b"one")
        near.make_folder("Folder")
        near.put("Folder/large", large)
        near.move("Folder/large", "moved")
        self.assertEqual(near.get("moved"), large)
        self.order("put", path="Folder/b.txt", text="two")
        self.order("move", path="Folder", to="Other")
        tree = dict(self.order("tree")["tree"])
        self.assertEqual(set(tree), {"a #%+ü.txt", "Other", "Other/b.txt", "moved"})
        self.assertEqual((tree["Other"], tree["Other/b.txt"]), (None, "two"))
        self.order("kill")
        with self.assertRaises(OSError):
            near.get("moved")
        self.order("start")
        self.assertEqual(near.get("moved"), large)
        self.order("remove", path="Other")
        self.assertEqual(set(dict(self.order("tree")["tree"])), {"a #%+ü.txt", "moved"})

    def test_a_nextcloud_is_behind_it(self) -> None:
        self.check("nextcloud")

    def test_a_server_with_a_process_for_each_connection_is_behind_it(self) -> None:
        self.check("nginx")

    def test_faults_are_in_what_passes(self) -> None:
        self.start("nginx")
        near = OtherClient(self.addresses["url"], "alice", "secret")
        near.put("file", b"0123456789" * 1_000)
        url, path = self.addresses["url"] + "file", "file"
        # The client signs in with its second request, so the first one passes.
        self.order("fault", method="GET", path=path, skip=1, halve=True)
        self.assertEqual(len(near.get("file")), 5_000)
        self.order("fault", method="GET", path=path, skip=1, status=503, retry_after=7)
        with self.assertRaises(HTTPError) as caught:
            near.get("file")
        self.assertEqual((caught.exception.code, caught.exception.headers["Retry-After"]), (503, "7"))
        caught.exception.close()
        self.order("fault", method="PROPFIND", skip=1, size=5)
        request = Request(url, method="PROPFIND", headers={"Depth": "0"})
        self.assertIn(b"getcontentlength>10005<", near.opener.open(request, timeout=REPLY).read())
        self.order("fault", method="PUT", drop="after")
        with self.assertRaises(OSError):
            near.opener.open(Request(url, b"new", method="PUT"), timeout=REPLY)
        statuses = [each[2] for each in self.order("requests")["requests"]]
        self.assertIn(503, statuses)
        self.assertEqual(statuses[-1], 0)

    def test_the_certificate_changes(self) -> None:
        self.start("nginx", "--tls")

        def status() -> int:
            trusted = ssl.create_default_context(cafile=self.addresses["certificate"])
            with self.assertRaises(HTTPError) as caught:
                urlopen(self.addresses["url"], context=trusted, timeout=REPLY)
            caught.exception.close()
            return caught.exception.code

        former = self.addresses["certificate"]
        self.assertEqual(status(), 401)
        self.addresses = self.order("certificate")
        self.assertNotEqual(self.addresses["certificate"], former)
        self.assertEqual(status(), 401)
