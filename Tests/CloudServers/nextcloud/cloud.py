"""One server's parts, which the handlers of requests share."""

from __future__ import annotations

import secrets
from pathlib import Path

from .accounts import UNLIMITED, Accounts
from .clock import Clock
from .database import Database
from .faults import Faults
from .locks import FileLocks
from .message import insufficient
from .nodes import Node, Place
from .tree import Tree

VERSION = "31.0.5"


class Cloud:
    """The state of a server: its database, and what lives only as long as the process."""

    def __init__(self, directory: Path) -> None:
        self.database = Database(directory)
        self.clock = Clock(self.database)
        self.accounts = Accounts(self.database, self.clock)
        self.tree = Tree(self.database, self.clock)
        self.locks = FileLocks()
        self.faults = Faults()
        self.instance = str(self.database.setting("instance", ""))
        if not self.instance:
            self.instance = "oc" + "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(10))
            self.database.set("instance", self.instance)

    def setting(self, name: str, default: object) -> object:
        """Returns a setting that tests change over the control address."""
        return self.database.setting(name, default)

    @property
    def version(self) -> str:
        """The version that the server claims; some behaviour depends on it."""
        return str(self.setting("version", VERSION))

    @property
    def major(self) -> int:
        return int(self.version.split(".")[0])

    def number(self, name: str, default: float) -> float:
        value = self.setting(name, default)
        return float(value) if isinstance(value, (int, float)) else default

    def long_id(self, node: Node) -> str:
        """Returns the file id that is unique beyond this instance, oc:id."""
        return f"{node.id:08}{self.instance}"

    def free(self, user: str) -> int:
        """Returns the bytes that are left of a user's quota, negative for "unlimited"."""
        account = self.accounts.user(user)
        if not account or account.quota < 0:
            return UNLIMITED
        return max(0, account.quota - self.tree.root(user).size)

    def check_room(self, place: Place, size: int) -> None:
        """Raises 507 where a file of this size does not fit at a place."""
        free = self.free(place.parent.owner if place.parent else place.user)
        # What the file replaces is not counted, as in Nextcloud.
        if size and 0 <= free < size:
            raise insufficient(size, free)
