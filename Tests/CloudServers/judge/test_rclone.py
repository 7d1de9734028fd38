"""rclone with vendor nextcloud: the old one of Debian, and the current one, which uploads in chunks."""

from __future__ import annotations

import os
from pathlib import Path

from .support import PROGRAMS, CloudCase, contents, program

MIB = 1 << 20


class RcloneTests(CloudCase):
    """Runs with Debian's rclone."""

    name = "/usr/bin/rclone"

    def rclone(self, *arguments: str | Path) -> str:
        client = program(self, self.name)
        hidden = self.run_client(client, "obscure", "secret").strip()
        options = {
            "TYPE": "webdav",
            "URL": self.cloud.address("").rstrip("/"),
            "VENDOR": "nextcloud",
            "USER": "alice",
            "PASS": hidden,
        }
        environment = {f"RCLONE_CONFIG_NC_{key}": value for key, value in options.items()}
        return self.run_client(client, "--config", "/dev/null", "--retries", "1", *arguments, environment=environment)

    def tree(self) -> Path:
        folder = self.folder("tree")
        (folder / "a b/ü").mkdir(parents=True)
        (folder / "a b/ü/file#1").write_text("one")
        (folder / "zero").touch()
        (folder / "large").write_bytes(os.urandom(24 * MIB))
        for index in range(40):
            (folder / f"f{index}").write_text(str(index))
        os.utime(folder / "f1", (1_400_000_000, 1_400_000_000))
        return folder

    def test_tree_goes_up_and_down(self) -> None:
        folder = self.tree()
        self.rclone("copy", folder, "nc:up")
        self.rclone("copy", "nc:up", self.folder("down"))
        self.assertEqual(contents(folder), contents(self.folder("down")))
        self.assertEqual((self.folder("down") / "f1").stat().st_mtime, 1_400_000_000)

    def test_check_finds_checksums(self) -> None:
        folder = self.tree()
        self.rclone("copy", folder, "nc:up")
        output = self.rclone("check", folder, "nc:up")
        self.assertIn("0 differences found", output)
        self.assertIn("43 matching files", output)
        self.assertNotIn("hashes could not be checked", output)

    def test_second_sync_sends_nothing(self) -> None:
        folder = self.tree()
        self.rclone("sync", folder, "nc:up")
        self.requests()
        self.rclone("sync", folder, "nc:up")
        self.assertEqual([each for each in self.requests() if each["method"] in ("PUT", "MKCOL", "DELETE", "MOVE")], [])

    def test_moves_and_removals(self) -> None:
        self.rclone("copy", self.tree(), "nc:up")
        self.rclone("moveto", "nc:up/f2", "nc:up/a b/moved")
        self.rclone("move", "nc:up/a b", "nc:elsewhere")
        self.rclone("copyto", "nc:up/f3", "nc:copied")
        self.rclone("purge", "nc:up")
        listed = self.rclone("lsf", "-R", "nc:").split("\n")
        self.assertEqual(
            sorted(filter(None, listed)),
            ["copied", "elsewhere/", "elsewhere/moved", "elsewhere/ü/", "elsewhere/ü/file#1"],
        )

    def test_ranges(self) -> None:
        self.cloud.control("write", user="alice", path="digits", text="0123456789")
        self.assertEqual(self.rclone("cat", "--offset", "3", "--count", "4", "nc:digits"), "3456")

    def test_quota(self) -> None:
        self.cloud.control("quota", user="alice", bytes=10 * MIB)
        self.assertIn("10Mi", self.rclone("about", "nc:").replace(" ", ""))


class CurrentRcloneTests(RcloneTests):
    """Runs with the rclone of the Python package."""

    name = str(PROGRAMS / "rclone")

    def test_large_file_goes_in_chunks(self) -> None:
        folder = self.tree()
        self.rclone("copy", "--webdav-nextcloud-chunk-size", "5Mi", folder, "nc:up")
        chunks = [each for each in self.requests() if each["method"] == "PUT" and "/uploads/" in each["path"]]
        self.assertEqual(len(chunks), 5)
        self.rclone("copy", "nc:up", self.folder("down"))
        self.assertEqual(contents(folder), contents(self.folder("down")))

    def test_slow_assembly_is_awaited(self) -> None:
        folder = self.tree()
        self.cloud.control("set", **{"assembly-delay": 3, "assembly-timeout": 1})
        self.rclone("copy", "--webdav-nextcloud-chunk-size", "5Mi", folder / "large", "nc:")
        self.rclone("copy", "nc:large", self.folder("down"))
        self.assertEqual((folder / "large").read_bytes(), (self.folder("down") / "large").read_bytes())
