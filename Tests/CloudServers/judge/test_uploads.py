"""Uploads in chunks and in bulk."""

from __future__ import annotations

import hashlib
import time

from .support import CloudCase, D

BASE = "/remote.php/dav/uploads/alice/"


class UploadTests(CloudCase):
    def begin(self, name: str, target: str) -> str:
        destination = self.cloud.address(target)
        self.assertEqual(self.cloud.request("MKCOL", BASE + name, Destination=destination).status, 201)
        return destination

    def test_chunks_become_a_file(self) -> None:
        there = self.begin("up", "whole")
        for number, text in (("00002", "two"), ("00001", "one"), ("00010", "ten")):
            reply = self.cloud.request("PUT", f"{BASE}up/{number}", text, Destination=there, OC_Total_Length="9")
            self.assertEqual(reply.status, 201)
        listed = self.cloud.propfind(BASE + "up", "d:getcontentlength", depth="1").entries()
        sizes = {
            path.rpartition("/")[2]: values[D + "getcontentlength"].text for path, values in listed.items() if values
        }
        self.assertEqual(sizes, {"00001": "3", "00002": "3", "00010": "3", ".file": "9"})
        done = self.cloud.request(
            "MOVE",
            BASE + "up/.file",
            Destination=there,
            OC_Total_Length="9",
            X_OC_Mtime="1234567",
            OC_Checksum="SHA1:x",
        )
        self.assertEqual((done.status, done.headers["X-OC-MTime"]), (201, "accepted"))
        self.assertEqual(self.cloud.request("GET", "whole").body, b"onetwoten")
        self.assertEqual(self.cloud.control("show", user="alice", path="whole")["mtime"], 1234567)
        self.assertEqual(self.cloud.propfind(BASE + "up", "d:getetag").status, 404)

    def test_version_two_wants_numbers_and_destinations(self) -> None:
        there = self.begin("up", "file")
        self.assertEqual(self.cloud.request("PUT", BASE + "up/1", "x").status, 400)
        for name in ("0", "10001", "first"):
            self.assertEqual(self.cloud.request("PUT", f"{BASE}up/{name}", "x", Destination=there).status, 400)
        self.assertEqual(self.cloud.request("PUT", BASE + "up/10000", "x", Destination=there).status, 201)
        wrong = self.cloud.request("MOVE", BASE + "up/.file", Destination=there, OC_Total_Length="5")
        self.assertEqual(wrong.status, 400)

    def test_assembly_without_overwriting_is_refused(self) -> None:
        self.cloud.request("PUT", "file", "theirs")
        there = self.begin("up", "file")
        self.cloud.request("PUT", BASE + "up/1", "mine", Destination=there)
        refused = self.cloud.request("MOVE", BASE + "up/.file", Destination=there, Overwrite="F")
        self.assertEqual(refused.status, 412)
        self.assertEqual(self.cloud.request("GET", "file").body, b"theirs")

    def test_version_one_still_works(self) -> None:
        self.assertEqual(self.cloud.request("MKCOL", BASE + "old").status, 201)
        for name, text in (("000000-000003", "abc"), ("000003-000005", "de")):
            self.assertEqual(self.cloud.request("PUT", f"{BASE}old/{name}", text).status, 201)
        self.assertEqual(
            self.cloud.request("MOVE", BASE + "old/.file", Destination=self.cloud.address("file")).status, 201
        )
        self.assertEqual(self.cloud.request("GET", "file").body, b"abcde")

    def test_overwriting_keeps_the_file_id_and_a_version(self) -> None:
        before = self.cloud.request("PUT", "file", "before")
        there = self.begin("up", "file")
        self.cloud.request("PUT", BASE + "up/1", "after", Destination=there)
        refused = self.cloud.request("MOVE", BASE + "up/.file", Destination=there, If=f'<{there}> (["other"])')
        self.assertEqual(refused.status, 412)
        done = self.cloud.request("MOVE", BASE + "up/.file", Destination=there, If=f"<{there}> ([{before.etag}])")
        self.assertEqual((done.status, done.headers["OC-FileId"]), (204, before.headers["OC-FileId"]))

    def test_uploads_expire_after_a_day_without_activity(self) -> None:
        there = self.begin("up", "file")
        self.cloud.control("clock", jump=23 * 3600)
        self.assertEqual(self.cloud.request("PUT", BASE + "up/1", "x", Destination=there).status, 201)
        self.cloud.control("clock", jump=23 * 3600)
        self.assertEqual(self.cloud.propfind(BASE + "up", "d:getetag").status, 207)
        self.cloud.control("clock", jump=25 * 3600)
        self.assertEqual(self.cloud.request("PUT", BASE + "up/2", "x", Destination=there).status, 404)

    def test_slow_assembly_is_polled(self) -> None:
        self.cloud.control("set", **{"assembly-hold": True, "assembly-timeout": 0.2})
        there = self.begin("up", "file")
        self.cloud.request("PUT", BASE + "up/1", "contents", Destination=there)
        self.assertEqual(self.cloud.request("MOVE", BASE + "up/.file", Destination=there).status, 504)
        self.assertEqual(self.cloud.request("MOVE", BASE + "up/.file", Destination=there).status, 423)
        self.assertEqual(self.cloud.propfind("file", "d:getetag").status, 404)
        self.cloud.control("set", **{"assembly-hold": False})
        while (last := self.cloud.request("MOVE", BASE + "up/.file", Destination=there).status) == 423:
            time.sleep(0.1)
        self.assertEqual(last, 404)
        self.assertEqual(self.cloud.request("GET", "file").body, b"contents")

    def test_room_is_checked_early(self) -> None:
        self.cloud.control("quota", user="alice", bytes=100)
        refused = self.cloud.request("MKCOL", BASE + "up", Destination=self.cloud.address("f"), OC_Total_Length="200")
        self.assertEqual(refused.status, 507)

    def part(self, path: str, contents: bytes, checksum: str = "") -> bytes:
        lines = [f"Content-Length: {len(contents)}", f"X-File-Path: {path}", "X-OC-Mtime: 1500000000"]
        lines.append(f"X-File-MD5: {checksum or hashlib.md5(contents).hexdigest()}")
        return b"--edge\r\n" + "\r\n".join(lines).encode() + b"\r\n\r\n" + contents + b"\r\n"

    def bulk(self, *parts: bytes):
        body = b"".join(parts) + b"--edge--\r\n"
        return self.cloud.request(
            "POST", "/remote.php/dav/bulk", body, Content_Type='multipart/related; boundary="edge"'
        )

    def test_bulk_upload_answers_for_each_file(self) -> None:
        reply = self.bulk(self.part("/one", b"1\r\n--edge"), self.part("/no/parent", b"2"), self.part("/empty", b""))
        outcomes = reply.json()
        self.assertEqual(reply.status, 200)
        self.assertEqual(
            {path: each["error"] for path, each in outcomes.items()},
            {"/one": False, "/no/parent": True, "/empty": False},
        )
        shown = self.cloud.control("show", user="alice", path="one")
        self.assertEqual(
            (shown["text"], shown["etag"], shown["mtime"]), ("1\r\n--edge", outcomes["/one"]["etag"], 1500000000)
        )

    def test_bulk_upload_takes_other_checksums_since_version_32(self) -> None:
        part = self.part("/one", b"1").replace(b"X-File-MD5: ", b"OC-Checksum: MD5:")
        self.assertEqual(self.bulk(part).status, 400)
        self.cloud.control("set", version="32.0.1")
        self.assertFalse(self.bulk(part).json()["/one"]["error"])

    def test_bulk_upload_stops_at_a_wrong_checksum(self) -> None:
        reply = self.bulk(self.part("/one", b"1"), self.part("/two", b"2", "0" * 32), self.part("/three", b"3"))
        self.assertEqual((reply.status, list(reply.json())), (400, ["/one"]))
        self.assertEqual(self.cloud.control("show", user="alice", path="")["names"], ["one"])
