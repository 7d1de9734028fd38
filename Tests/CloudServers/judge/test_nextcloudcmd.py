"""nextcloudcmd: Nextcloud's own client, without its windows."""

from __future__ import annotations

from pathlib import Path

from .support import program
from .sync import MIB, SyncCase


class NextcloudClientTests(SyncCase):
    # Debian's version 3.7 fails to put empty files into a bulk upload (nextcloud/desktop#5871).
    sends_empty_files = False

    def command(self, folder: Path) -> list[str | Path]:
        client = program(self, "nextcloudcmd")
        return [client, "--non-interactive", "-h", "-u", "alice", "-p", "secret", folder, self.cloud.url]

    def test_tree_arrives(self) -> None:
        self.check_tree_arrives()

    def test_changes_travel(self) -> None:
        self.check_changes_travel()

    def test_nothing_is_sent_without_changes(self) -> None:
        self.check_nothing_is_sent_without_changes()

    def test_changes_of_the_server_arrive(self) -> None:
        self.check_changes_of_the_server_arrive()

    def test_conflict_keeps_both(self) -> None:
        self.check_a_conflict_keeps_both()

    def test_busy_server_is_tried_again(self) -> None:
        self.check_a_busy_server_is_tried_again()

    def test_small_files_go_in_bulk(self) -> None:
        one, _ = self.both()
        self.fill(one)
        self.sync(one)
        requests = self.requests()
        bulk = [each for each in requests if each["path"] == "/remote.php/dav/bulk"]
        single = [each for each in requests if each["method"] == "PUT" and "/files/" in each["path"]]
        self.assertTrue(bulk)
        self.assertLess(len(bulk) + len(single), 60)

    def test_large_file_goes_in_chunks(self) -> None:
        one, two = self.both()
        (one / "large").write_bytes(bytes(range(256)) * (40 * MIB // 256))
        self.sync(one)
        chunks = [each for each in self.requests() if each["method"] == "PUT" and "/uploads/" in each["path"]]
        self.assertGreater(len(chunks), 1)
        self.sync(two)
        self.assert_equal(one, two)

    def test_read_only_share_is_left_alone(self) -> None:
        self.cloud.control("user", user="bob", password="secret")
        self.cloud.control("mkdir", user="bob", path="Shared")
        self.cloud.control("write", user="bob", path="Shared/file", text="of bob")
        share = self.cloud.request(
            "POST",
            "/ocs/v2.php/apps/files_sharing/api/v1/shares?format=json",
            "path=/Shared&shareType=0&shareWith=alice&permissions=1",
            user="bob",
            OCS_APIRequest="true",
            Content_Type="application/x-www-form-urlencoded",
        )
        self.assertEqual(share.status, 200, share.body)
        one, _ = self.both()
        self.sync(one)
        self.assertEqual((one / "Shared/file").read_text(), "of bob")
        (one / "Shared/file").chmod(0o644)
        (one / "Shared/file").write_text("of alice, who may not")
        self.run_anyway(one)
        self.assertEqual(self.cloud.control("show", user="bob", path="Shared/file")["text"], "of bob")

    def test_restored_backup_deletes_nothing(self) -> None:
        one, _ = self.both()
        (one / "both").write_text("old")
        # Without a file that stays, the client waits for a decision of its user.
        (one / "kept").write_text("unchanged")
        self.sync(one)
        self.cloud.control("backup")
        (one / "later").write_text("after the backup")
        (one / "both").write_text("newer contents")
        self.sync(one)
        self.cloud.control("restore")
        self.sync(one)
        self.sync(one)
        self.assertEqual(self.cloud.control("show", user="alice", path="later")["text"], "after the backup")
        found = {path.read_text() for path in one.iterdir() if "both" in path.name}
        self.assertEqual(found, {"old", "newer contents"})

    def run_anyway(self, folder: Path) -> None:
        """Synchronizes where the client may end with an error."""
        try:
            self.sync(folder)
        except AssertionError:
            pass
