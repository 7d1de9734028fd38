"""State over kills and backups, and the faults that tests order."""

from __future__ import annotations

import http.client
import itertools
import ssl
import threading
import time
from urllib.parse import urlsplit
from urllib.request import urlopen

from .support import OC, CloudCase, D

FINGERPRINT = OC + "data-fingerprint"


class StateTests(CloudCase):
    def test_a_kill_loses_nothing_that_was_confirmed(self) -> None:
        destination = self.cloud.address("whole")
        self.cloud.request("MKCOL", "/remote.php/dav/uploads/alice/up", Destination=destination)
        self.cloud.request("PUT", "/remote.php/dav/uploads/alice/up/1", "one", Destination=destination)
        etags = {f"f{index}": self.cloud.request("PUT", f"f{index}", str(index)).etag for index in range(20)}
        self.cloud.kill()
        stray = self.cloud.directory / "blobs/zz"
        stray.mkdir()
        (stray / "zz-left-by-a-kill").touch()
        self.cloud.start()
        for name, etag in etags.items():
            self.assertEqual(self.cloud.request("GET", name).etag, etag)
        destination = self.cloud.address("whole")
        self.cloud.request("PUT", "/remote.php/dav/uploads/alice/up/2", "two", Destination=destination)
        done = self.cloud.request("MOVE", "/remote.php/dav/uploads/alice/up/.file", Destination=destination)
        self.assertEqual(done.status, 201)
        self.assertEqual(self.cloud.request("GET", "whole").body, b"onetwo")
        self.assertFalse((stray / "zz-left-by-a-kill").exists())

    def test_kills_under_load_lose_no_confirmed_write(self) -> None:
        for round_ in range(3):
            confirmed: dict[str, bytes] = {}
            stopped = threading.Event()

            def write(worker: int, round_: int = round_, confirmed: dict = confirmed, stopped=stopped) -> None:
                for index in itertools.count():
                    path, data = f"r{round_}-w{worker}-{index % 5}", f"{worker} {index} ".encode() * 2000
                    try:
                        if self.cloud.request("PUT", path, data).status in (201, 204):
                            confirmed[path] = data
                    except (OSError, http.client.HTTPException):
                        # The write may have happened, so that its path says nothing any more.
                        confirmed.pop(path, None)
                        return
                    if stopped.is_set():
                        return

            threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
            for thread in threads:
                thread.start()
            while len(confirmed) < 15:
                time.sleep(0.01)
            self.cloud.kill()
            stopped.set()
            for thread in threads:
                thread.join()
            self.cloud.start()
            for path, data in confirmed.items():
                self.assertEqual(self.cloud.request("GET", path).body, data)

    def test_a_restored_backup_has_another_fingerprint(self) -> None:
        self.cloud.request("PUT", "kept", "old")
        before = self.cloud.propfind("", "d:getetag", "oc:data-fingerprint")
        self.assertEqual(before.property(FINGERPRINT), "")
        self.cloud.control("backup")
        self.cloud.request("PUT", "kept", "new")
        self.cloud.request("PUT", "later", "x")
        self.cloud.request("DELETE", "kept")
        self.cloud.control("restore")
        after = self.cloud.propfind("", "d:getetag", "oc:data-fingerprint")
        self.assertNotEqual(after.property(FINGERPRINT), "")
        self.assertEqual(after.property(D + "getetag"), before.property(D + "getetag"))
        self.assertEqual(self.cloud.request("GET", "kept").body, b"old")
        self.assertEqual(self.cloud.request("GET", "later").status, 404)

    def test_maintenance(self) -> None:
        self.cloud.control("set", maintenance=True)
        reply = self.cloud.request("PROPFIND", "")
        self.assertEqual((reply.status, reply.headers["X-Nextcloud-Maintenance-Mode"]), (503, "1"))
        self.assertTrue(self.cloud.request("GET", "/status.php").json()["maintenance"])


class FaultTests(CloudCase):
    def fault(self, **values: object) -> None:
        self.cloud.control("fault", **values)

    def test_statuses_come_as_often_as_ordered(self) -> None:
        self.fault(method="PUT", path="/files/", status=503, retry_after=7, times=2, skip=1)
        replies = [self.cloud.request("PUT", "file", str(index)) for index in range(4)]
        self.assertEqual([reply.status for reply in replies], [201, 503, 503, 204])
        self.assertEqual(replies[1].headers["Retry-After"], "7")
        self.assertEqual(self.cloud.control("count", forget=True)["statuses"], {"201": 1, "503": 2, "204": 1})

    def test_a_lost_reply_is_carried_out(self) -> None:
        self.fault(method="PUT", drop="after")
        with self.assertRaises(OSError):
            self.cloud.request("PUT", "file", "x")
        self.assertEqual(self.cloud.request("GET", "file").body, b"x")
        self.fault(method="PUT", drop="before")
        with self.assertRaises(OSError):
            self.cloud.request("PUT", "file", "y")
        self.assertEqual(self.cloud.request("GET", "file").body, b"x")

    def test_half_replies_and_wrong_lengths(self) -> None:
        self.cloud.request("PUT", "file", "0123456789")
        self.fault(method="GET", cut=4)
        with self.assertRaises(http.client.IncompleteRead):
            self.cloud.request("GET", "file")
        self.fault(method="GET", extra_length=-3)
        self.assertEqual(self.cloud.request("GET", "file").body, b"0123456")
        self.fault(method="GET", extra_length=3)
        with self.assertRaises(http.client.IncompleteRead):
            self.cloud.request("GET", "file")

    def test_lies_in_listings(self) -> None:
        etag = self.cloud.request("PUT", "file", "0123456789").etag
        self.fault(method="PROPFIND", size=5, etag="lie")
        listed = self.cloud.propfind("file", "d:getetag", "d:getcontentlength")
        self.assertEqual(listed.property(D + "getetag"), '"lie"')
        self.assertEqual(listed.property(D + "getcontentlength"), "15")
        self.fault(method="GET", etag="lie")
        self.assertNotEqual(self.cloud.request("GET", "file").etag, etag)
        self.fault(method="PROPFIND", entries=200_000)
        self.assertEqual(len(self.cloud.propfind("", "d:getetag", depth="1").entries()), 200_002)

    def test_pages_instead_of_xml(self) -> None:
        self.fault(method="PROPFIND", html=True)
        reply = self.cloud.propfind("", "d:getetag")
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "text/html; charset=UTF-8"))
        self.fault(method="PROPFIND", redirect="http://127.0.0.1:1/login")
        self.assertEqual(self.cloud.propfind("", "d:getetag").headers["Location"], "http://127.0.0.1:1/login")

    def test_passwords_end_in_the_middle(self) -> None:
        password = self.cloud.control("user", user="bob", password="own")["password"]
        self.assertEqual(self.cloud.request("PUT", "one", "x", user="bob", password=password).status, 201)
        self.fault(user="bob", skip=1, expire=True)
        statuses = [self.cloud.request("PUT", "one", "x", user="bob", password=password).status for _ in range(3)]
        self.assertEqual(statuses, [204, 401, 401])

    def test_delays(self) -> None:
        self.fault(delay=0.3)
        started = time.monotonic()
        self.cloud.request("GET", "/status.php")
        self.assertGreaterEqual(time.monotonic() - started, 0.3)


class CertificateTests(CloudCase):
    options = ("--tls",)

    def test_the_certificate_is_its_own(self) -> None:
        with self.assertRaises(OSError):
            urlopen(self.cloud.url + "/status.php")
        trusted = ssl.create_default_context(cafile=str(self.cloud.directory / "certificate.pem"))
        address = urlsplit(self.cloud.url)
        connection = http.client.HTTPSConnection("localhost", address.port, context=trusted)
        self.addCleanup(connection.close)
        connection.request("GET", "/status.php")
        self.assertEqual(connection.getresponse().status, 200)
