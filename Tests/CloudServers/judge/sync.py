"""Scenarios for the clients that synchronize."""

from __future__ import annotations

import os
import random
from pathlib import Path

from .support import CloudCase, contents

MIB = 1 << 20


class SyncCase(CloudCase):
    """Scenarios with two copies of a user's files; a subclass names the client."""

    sends_empty_files = True

    def command(self, folder: Path) -> list[str | Path]:
        raise NotImplementedError

    def sync(self, folder: Path) -> str:
        return self.run_client(*self.command(folder))

    def both(self) -> tuple[Path, Path]:
        return self.folder("one"), self.folder("two")

    def assert_equal(self, one: Path, two: Path) -> None:
        left, right = contents(one), contents(two)
        self.assertEqual(sorted(left), sorted(right))
        self.assertEqual([name for name in left if left[name] != right[name]], [])

    def fill(self, folder: Path) -> None:
        """Writes a tree with names and sizes that matter."""
        (folder / "Documents/Empty").mkdir(parents=True)
        names = [
            "plain.txt",
            "with space",
            "hash#plus+percent%25",
            "ü-é-日本語",
            "quote'",
            "semi;colon&amp",
            "[brackets]",
        ]
        for name in names:
            (folder / "Documents" / name).write_text(f"This is {name}.")
        if self.sends_empty_files:
            (folder / "zero").touch()
        for index in range(60):
            (folder / f"small-{index}").write_bytes(os.urandom(random.Random(index).randrange(1, 4000)))
        (folder / "large.bin").write_bytes(os.urandom(25 * MIB))

    def check_tree_arrives(self) -> None:
        one, two = self.both()
        self.fill(one)
        os.utime(one / "Documents/plain.txt", (1_500_000_000, 1_500_000_000))
        self.sync(one)
        self.sync(two)
        self.assert_equal(one, two)
        self.assertEqual((two / "Documents/plain.txt").stat().st_mtime, 1_500_000_000)

    def check_changes_travel(self) -> None:
        one, two = self.both()
        self.fill(one)
        self.sync(one)
        self.sync(two)
        before = self.cloud.control("show", user="alice", path="small-1")
        (two / "small-0").write_text("changed")
        (two / "small-1").rename(two / "Documents/moved")
        (two / "Documents/plain.txt").unlink()
        (two / "Documents/Empty").rmdir()
        (two / "New/Nested").mkdir(parents=True)
        (two / "New/Nested/file").write_text("new")
        (two / "large.bin").write_bytes(os.urandom(31 * MIB))
        self.sync(two)
        self.sync(one)
        self.assert_equal(one, two)
        self.assertEqual((one / "small-0").read_text(), "changed")
        after = self.cloud.control("show", user="alice", path="Documents/moved")
        self.assertEqual(after["id"], before["id"], "the file id stays when a file is moved")

    def check_nothing_is_sent_without_changes(self) -> None:
        one, _ = self.both()
        self.fill(one)
        self.sync(one)
        self.sync(one)
        self.requests()
        self.sync(one)
        methods = {each["method"] for each in self.requests()}
        self.assertLessEqual(methods, {"GET", "PROPFIND"})

    def check_changes_of_the_server_arrive(self) -> None:
        one, _ = self.both()
        self.fill(one)
        self.sync(one)
        self.cloud.control("write", user="alice", path="Documents/by-server", text="from elsewhere")
        self.cloud.control("write", user="alice", path="small-2", text="other contents")
        self.cloud.control("move", user="alice", path="small-3", to="Documents/renamed")
        self.cloud.control("remove", user="alice", path="small-4")
        moved = (one / "small-3").read_bytes()
        self.sync(one)
        self.assertEqual((one / "Documents/by-server").read_text(), "from elsewhere")
        self.assertEqual((one / "small-2").read_text(), "other contents")
        self.assertEqual((one / "Documents/renamed").read_bytes(), moved)
        self.assertFalse((one / "small-3").exists() or (one / "small-4").exists())

    def check_a_conflict_keeps_both(self) -> None:
        one, two = self.both()
        (one / "file").write_text("first")
        self.sync(one)
        self.sync(two)
        (one / "file").write_text("of one, longer")
        (two / "file").write_text("of two")
        self.sync(one)
        self.sync(two)
        found = {path.read_text() for path in two.iterdir() if "file" in path.name}
        self.assertEqual(found, {"of one, longer", "of two"})
        self.assertEqual(self.cloud.control("show", user="alice", path="file")["text"], "of one, longer")

    def check_a_busy_server_is_tried_again(self) -> None:
        one, two = self.both()
        self.fill(one)
        self.cloud.control("fault", method="PUT", status=503, retry_after=1, times=1)
        self.cloud.control("fault", method="PUT|POST", status=423, times=1)
        for _ in range(3):
            try:
                self.sync(one)
            except AssertionError:
                continue
        self.sync(one)
        self.sync(two)
        self.assert_equal(one, two)
