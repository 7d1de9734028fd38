"""The trash, and versions."""

from __future__ import annotations

from .support import NC, CloudCase, D

TRASH = "/remote.php/dav/trashbin/alice/trash"
RESTORE = "/remote.php/dav/trashbin/alice/restore/"


class TrashTests(CloudCase):
    def listed(self) -> dict[str, dict[str, str | None]]:
        reply = self.cloud.propfind(
            TRASH, "nc:trashbin-filename", "nc:trashbin-original-location", "nc:trashbin-deletion-time", depth="1"
        )
        return {
            path: {tag.removeprefix(NC): each.text for tag, each in values.items()}
            for path, values in list(reply.entries().items())[1:]
        }

    def test_what_is_removed_can_be_restored(self) -> None:
        made = self.cloud.control("mkdir", user="alice", path="a/b")
        self.cloud.control("write", user="alice", path="a/b/file", text="kept")
        self.assertEqual(self.cloud.request("DELETE", "a/b").status, 204)
        (path, values), *rest = self.listed().items()
        self.assertEqual(rest, [])
        self.assertEqual(values["trashbin-filename"], "b")
        self.assertEqual(values["trashbin-original-location"], "a/b")
        self.assertTrue(path.startswith(f"{TRASH}/b.d"))
        self.assertEqual(self.cloud.request("GET", path + "file").body, b"kept")
        self.assertEqual(self.cloud.request("MOVE", path, Destination=self.cloud.url + RESTORE + "b").status, 201)
        self.assertEqual(self.cloud.control("show", user="alice", path="a/b")["id"], made["id"])
        self.assertEqual(self.listed(), {})

    def test_restoring_replaces_nothing(self) -> None:
        self.cloud.request("PUT", "file.txt", "old")
        self.cloud.request("DELETE", "file.txt")
        self.cloud.request("PUT", "file.txt", "new")
        path = next(iter(self.listed()))
        self.cloud.request("MOVE", path, Destination=self.cloud.url + RESTORE + "file.txt")
        self.assertEqual(self.cloud.request("GET", "file.txt").body, b"new")
        self.assertEqual(self.cloud.request("GET", "file (restored).txt").body, b"old")

    def test_emptying(self) -> None:
        for name in ("one", "two", "three"):
            self.cloud.request("PUT", name, "x")
            self.cloud.request("DELETE", name)
        self.assertEqual(self.cloud.request("DELETE", next(iter(self.listed()))).status, 204)
        self.assertEqual(len(self.listed()), 2)
        self.assertEqual(self.cloud.request("DELETE", TRASH).status, 204)
        self.assertEqual(self.listed(), {})
        blobs = [path for path in (self.cloud.directory / "blobs").rglob("*") if path.is_file()]
        self.assertEqual(blobs, [])

    def test_what_a_move_replaces_goes_to_the_trash(self) -> None:
        self.cloud.request("PUT", "source", "new")
        self.cloud.request("PUT", "target", "old")
        self.cloud.request("MOVE", "source", Destination=self.cloud.address("target"))
        self.assertEqual(self.cloud.request("GET", next(iter(self.listed()))).body, b"old")


class VersionTests(CloudCase):
    def test_former_contents_come_back(self) -> None:
        for index, text in enumerate(("first", "second", "third")):
            self.cloud.request("PUT", "file", text, X_OC_MTime=str(1000 + index))
        number = self.cloud.control("show", user="alice", path="file")["id"]
        base = f"/remote.php/dav/versions/alice/versions/{number}"
        listed = self.cloud.propfind(base, "d:getcontentlength", depth="1").entries()
        sizes = {path.rpartition("/")[2]: each[D + "getcontentlength"].text for path, each in list(listed.items())[1:]}
        self.assertEqual(sizes, {"1002": "5", "1001": "6", "1000": "5"})
        self.assertEqual(self.cloud.request("GET", base + "/1001").body, b"second")
        there = self.cloud.url + "/remote.php/dav/versions/alice/restore/target"
        self.assertEqual(self.cloud.request("MOVE", base + "/1000", Destination=there).status, 201)
        self.assertEqual(self.cloud.request("GET", "file").body, b"first")
        self.assertEqual(self.cloud.control("show", user="alice", path="file")["id"], number)
        self.assertEqual(self.cloud.request("GET", base + "/1002").body, b"third")
        self.assertEqual(self.cloud.request("DELETE", base + "/1002").status, 204)
        self.assertEqual(self.cloud.request("GET", base + "/1002").status, 404)
