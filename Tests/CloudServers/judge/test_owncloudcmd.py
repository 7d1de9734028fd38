"""owncloudcmd: ownCloud's client, whose protocol Nextcloud still serves."""

from __future__ import annotations

from pathlib import Path

from .support import program
from .sync import SyncCase


class OwncloudClientTests(SyncCase):
    def command(self, folder: Path) -> list[str | Path]:
        client = program(self, "owncloudcmd")
        # Debian's package of the command lacks the list of names to leave out.
        excluded = self.scratch / "excluded"
        excluded.write_text("*~\n")
        return [
            client,
            "--non-interactive",
            "-h",
            "--exclude",
            excluded,
            "-u",
            "alice",
            "-p",
            "secret",
            folder,
            self.cloud.url,
        ]

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
