"""Files over WebDAV: properties, ETags, conditions, names, locks, quota."""

from __future__ import annotations

import hashlib
import http.client
import io
import threading
import unicodedata
import zipfile
from urllib.parse import quote, urlsplit

from .support import DECLARED, NC, OC, CloudCase, D

MIB = 1 << 20


class FileTests(CloudCase):
    def etag(self, path: str) -> str:
        return self.cloud.propfind(path, "d:getetag").property(D + "getetag") or ""

    def test_a_write_says_what_it_wrote(self) -> None:
        reply = self.cloud.request(
            "PUT",
            "new",
            "text",
            X_OC_MTime="1600000000",
            OC_Checksum="MD5:1cb251ec0d568de6a929b520c4aed8d1",
            X_Hash="sha1",
        )
        self.assertEqual((reply.status, reply.headers["X-OC-MTime"]), (201, "accepted"))
        self.assertEqual(reply.headers["X-Hash-SHA1"], hashlib.sha1(b"text").hexdigest())
        self.assertEqual(reply.headers["OC-ETag"], reply.etag)
        found = self.cloud.propfind(
            "new", "d:getetag", "d:getlastmodified", "oc:checksums", "oc:id", "oc:fileid", "oc:size", "oc:permissions"
        )
        self.assertEqual(found.property(D + "getetag"), reply.etag)
        self.assertEqual(found.property(D + "getlastmodified"), "Sun, 13 Sep 2020 12:26:40 GMT")
        self.assertEqual(found.property(OC + "id"), reply.headers["OC-FileId"])
        self.assertTrue((found.property(OC + "id") or "").startswith((found.property(OC + "fileid") or "").zfill(8)))
        self.assertEqual((found.property(OC + "size"), found.property(OC + "permissions")), ("4", "RGDNVW"))
        self.assertIn(b"MD5:1cb251ec0d568de6a929b520c4aed8d1", found.body)
        self.assertEqual(self.cloud.request("PUT", "new", "again").status, 204)

    def test_etags_change_up_to_the_root_and_not_beside(self) -> None:
        self.cloud.control("mkdir", user="alice", path="a/b")
        self.cloud.control("mkdir", user="alice", path="beside")
        before = {path: self.etag(path) for path in ("", "a", "a/b", "beside")}
        self.cloud.request("PUT", "a/b/file", "12345")
        after = {path: self.etag(path) for path in before}
        self.assertEqual({path for path in before if before[path] == after[path]}, {"beside"})
        self.assertEqual(self.cloud.propfind("a", "oc:size").property(OC + "size"), "5")
        self.cloud.request("DELETE", "a/b/file")
        self.assertNotEqual(self.etag(""), after[""])
        self.assertEqual(self.cloud.propfind("", "oc:size").property(OC + "size"), "0")

    def test_file_id_survives_moves_and_overwriting(self) -> None:
        first = self.cloud.request("PUT", "file", "one").headers["OC-FileId"]
        self.cloud.request("MKCOL", "folder")
        moved = self.cloud.request("MOVE", "file", Destination=self.cloud.address("folder/renamed"))
        self.assertEqual((moved.status, moved.headers["OC-FileId"]), (201, first))
        self.assertEqual(self.cloud.request("PUT", "folder/renamed", "two").headers["OC-FileId"], first)
        copied = self.cloud.request("COPY", "folder/renamed", Destination=self.cloud.address("copy"))
        self.assertNotEqual(copied.headers["OC-FileId"], first)

    def test_conditions_protect_contents(self) -> None:
        etag = self.cloud.request("PUT", "file", "one").etag
        self.assertEqual(self.cloud.request("PUT", "file", "x", If_None_Match="*").status, 412)
        self.assertEqual(self.cloud.request("PUT", "file", "x", If_Match='"other"').status, 412)
        self.assertEqual(self.cloud.request("PUT", "missing", "x", If_Match=etag).status, 412)
        self.assertEqual(self.cloud.request("DELETE", "file", If_Match='"other"').status, 412)
        self.assertEqual(self.cloud.request("GET", "file", If_None_Match=etag).status, 304)
        self.assertEqual(self.cloud.request("PUT", "file", "two", If_Match=etag).status, 204)
        self.assertEqual(self.cloud.request("GET", "file").body, b"two")

    def test_a_move_tests_the_source_by_if_match_and_the_target_by_if(self) -> None:
        source = self.cloud.request("PUT", "source", "one").etag
        target = self.cloud.request("PUT", "target", "two").etag
        there = self.cloud.address("target")
        self.assertEqual(self.cloud.request("MOVE", "source", Destination=there, If_Match=target).status, 412)
        wrong = self.cloud.request("MOVE", "source", Destination=there, If=f'<{there}> (["other"])')
        self.assertEqual(wrong.status, 412)
        right = self.cloud.request("MOVE", "source", Destination=there, If_Match=source, If=f"<{there}> ([{target}])")
        self.assertEqual(right.status, 204)
        self.assertEqual(self.cloud.request("GET", "target").body, b"one")

    def test_ranges(self) -> None:
        etag = self.cloud.request("PUT", "digits", "0123456789").etag
        part = self.cloud.request("GET", "digits", Range="bytes=2-4")
        self.assertEqual((part.status, part.headers["Content-Range"], part.body), (206, "bytes 2-4/10", b"234"))
        self.assertEqual(self.cloud.request("GET", "digits", Range="bytes=-3").body, b"789")
        self.assertEqual(self.cloud.request("GET", "digits", Range="bytes=10-").status, 416)
        self.assertEqual(self.cloud.request("GET", "digits", Range="bytes=1-1", If_Range=etag).status, 206)
        self.assertEqual(self.cloud.request("GET", "digits", Range="bytes=1-1", If_Range='"other"').status, 200)
        self.assertEqual(self.cloud.request("PUT", "digits", "x", Content_Range="bytes 0-0/10").status, 501)

    def test_names_are_normalized_and_checked(self) -> None:
        decomposed = unicodedata.normalize("NFD", "Zoë.txt")
        self.assertEqual(self.cloud.request("PUT", decomposed, "x").status, 201)
        self.assertEqual(
            self.cloud.control("show", user="alice", path="")["names"], [unicodedata.normalize("NFC", "Zoë.txt")]
        )
        self.assertEqual(self.cloud.request("GET", decomposed).status, 200)
        for name in ("back\\slash", "control\x01", ".htaccess", "file.part", "x" * 251, "   "):
            with self.subTest(name=name):
                self.assertEqual(self.cloud.request("PUT", name, "x").status, 400)
        for name in ("Case", "case", "a#b+c%d", "tab\u00a0", "trailing ", 'colon:?*|<>"'):
            with self.subTest(name=name):
                self.assertEqual(self.cloud.request("PUT", name, name).status, 201)
                self.assertEqual(self.cloud.request("GET", name).body, name.encode())
        listed = self.cloud.propfind("", "d:getetag", depth="1").entries()
        self.assertIn("/remote.php/dav/files/alice/a%23b%2bc%25d", listed)

    def test_quota_is_enforced(self) -> None:
        self.cloud.control("quota", user="alice", bytes=1000)
        self.assertEqual(self.cloud.request("PUT", "small", "x" * 600).status, 201)
        refused = self.cloud.request("PUT", "second", "x" * 600)
        self.assertEqual(refused.status, 507)
        self.assertIn(b"InsufficientStorage", refused.body)
        found = self.cloud.propfind("", "d:quota-available-bytes", "d:quota-used-bytes")
        self.assertEqual(found.property(D + "quota-available-bytes"), "400")
        self.assertEqual(self.cloud.request("PUT", "small", "y" * 900).status, 507, "what is replaced is not counted")
        self.assertEqual(self.cloud.request("PUT", "small", "y" * 300).status, 204)
        self.assertEqual(self.cloud.request("MKCOL", "folder").status, 507)

    def test_a_file_that_is_being_read_is_locked(self) -> None:
        self.cloud.control("write", user="alice", path="large", size=64 * MIB)
        address = urlsplit(self.cloud.url)
        reader = http.client.HTTPConnection(address.hostname or "", address.port)
        self.addCleanup(reader.close)
        reader.request("GET", "/remote.php/dav/files/alice/large", headers={"Authorization": "Basic YWxpY2U6c2VjcmV0"})
        response = reader.getresponse()
        response.read(1)
        refused = self.cloud.request("PUT", "large", "x")
        self.assertEqual(refused.status, 423)
        self.assertIn(b"FileLocked", refused.body)
        self.assertEqual(self.cloud.request("GET", "large", Range="bytes=0-1").status, 206)
        response.read()
        self.assertEqual(self.cloud.request("PUT", "large", "x").status, 204)

    def test_favourites_tags_and_stored_properties(self) -> None:
        number = self.cloud.control("write", user="alice", path="folder-less", text="x")["id"]
        change = f"<d:propertyupdate {DECLARED}><d:set><d:prop>%s</d:prop></d:set></d:propertyupdate>"
        self.cloud.request(
            "PROPPATCH", "folder-less", change % "<oc:favorite>1</oc:favorite><d:lastmodified>99</d:lastmodified>"
        )
        query = (
            f"<oc:filter-files {DECLARED}><d:prop><oc:fileid/></d:prop>"
            "<oc:filter-rules>%s</oc:filter-rules></oc:filter-files>"
        )
        favourites = self.cloud.request("REPORT", "", query % "<oc:favorite>1</oc:favorite>")
        self.assertEqual(list(favourites.entries()), ["/remote.php/dav/files/alice/folder-less"])
        self.assertEqual(self.cloud.control("show", user="alice", path="folder-less")["mtime"], 99)
        tag = self.cloud.request(
            "POST", "/remote.php/dav/systemtags/", '{"name": "Urgent"}', Content_Type="application/json"
        )
        identifier = tag.headers["Content-Location"].rpartition("/")[2]
        relation = f"/remote.php/dav/systemtags-relations/files/{number}/{identifier}"
        self.assertEqual(self.cloud.request("PUT", relation).status, 201)
        tagged = self.cloud.request("REPORT", "", query % f"<oc:systemtag>{identifier}</oc:systemtag>")
        self.assertEqual(tagged.property(OC + "fileid"), str(number))
        found = self.cloud.propfind("folder-less", "nc:system-tags", "oc:favorite").entries().popitem()[1]
        self.assertEqual([each.text for each in found[NC + "system-tags"]], ["Urgent"])
        refused = self.cloud.request("PROPPATCH", "folder-less", change % "<d:getcontentlength>9</d:getcontentlength>")
        self.assertIn(b"403 Forbidden", refused.body)

    def test_depth_infinity_is_one_level(self) -> None:
        self.cloud.control("mkdir", user="alice", path="a/b/c")
        listed = self.cloud.propfind("", "d:resourcetype", depth="infinity").entries()
        self.assertEqual(sorted(listed), ["/remote.php/dav/files/alice/", "/remote.php/dav/files/alice/a/"])
        report = self.cloud.request("REPORT", "", '<d:sync-collection xmlns:d="DAV:"/>')
        self.assertEqual(report.status, 415)

    def test_search(self) -> None:
        self.cloud.control("mkdir", user="alice", path="deep/er")
        self.cloud.control("write", user="alice", path="deep/er/Holiday.JPG", text="x")
        self.cloud.control("write", user="alice", path="deep/other.txt", text="x")
        body = (
            f"<d:searchrequest {DECLARED}><d:basicsearch><d:select><d:prop><oc:fileid/></d:prop></d:select>"
            "<d:from><d:scope><d:href>/files/alice</d:href><d:depth>infinity</d:depth></d:scope></d:from>"
            "<d:where><d:like><d:prop><d:displayname/></d:prop><d:literal>%holi%</d:literal></d:like></d:where>"
            "<d:limit><d:nresults>5</d:nresults></d:limit></d:basicsearch></d:searchrequest>"
        )
        found = self.cloud.request("SEARCH", "/remote.php/dav/", body, Content_Type="text/xml")
        self.assertEqual(list(found.entries()), ["/remote.php/dav/files/alice/deep/er/Holiday.JPG"])

    def test_previews_and_archives(self) -> None:
        self.cloud.control("mkdir", user="alice", path="folder")
        number = self.cloud.control("write", user="alice", path="folder/picture.png", text="x")["id"]
        other = self.cloud.control("write", user="alice", path="folder/data.bin", text="y")["id"]
        preview = self.cloud.request("GET", f"/index.php/core/preview?fileId={number}&x=64&y=64&a=1&forceIcon=0")
        self.assertEqual((preview.status, preview.body[1:4]), (200, b"PNG"))
        self.assertEqual(self.cloud.request("GET", f"/index.php/core/preview?fileId={other}&x=64&y=64").status, 404)
        archive = self.cloud.request("GET", "folder", Accept="application/zip")
        with zipfile.ZipFile(io.BytesIO(archive.body)) as files:
            self.assertEqual(files.read("folder/data.bin"), b"y")
        self.assertIn(b"This is the WebDAV interface", self.cloud.request("GET", "folder").body)

    def test_parallel_writers_lose_nothing(self) -> None:
        first = self.cloud.request("PUT", "file", "start").etag
        statuses: list[int] = []

        def write(index: int) -> None:
            statuses.append(self.cloud.request("PUT", "file", f"of {index}" * 1000, If_Match=first).status)

        threads = [threading.Thread(target=write, args=(index,)) for index in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertLessEqual(statuses.count(204), 1)
        self.assertLessEqual(set(statuses), {204, 412, 423})

    def test_escapes_of_addresses(self) -> None:
        self.cloud.request("PUT", "ü", "x")
        raw = self.cloud.request("GET", "/remote.php/dav/files/alice/" + quote("ü".encode("latin-1")))
        self.assertEqual(raw.status, 200, "bytes that are no UTF-8 count as Latin 1")
        self.assertEqual(self.cloud.request("GET", "/remote.php/webdav/%C3%BC").status, 200)
