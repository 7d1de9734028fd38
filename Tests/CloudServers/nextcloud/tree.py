"""The trees of files: resolving paths, listing, and the edits, each of which changes the ETags up to the root."""

from __future__ import annotations

import mimetypes
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .clock import Clock
from .database import Database
from .message import conflict
from .nodes import COLUMNS, Mount, Node, Place

FOLDER = "httpd/unix-directory"
QUALIFIED = ", ".join("n." + column for column in COLUMNS.split(", "))
BELOW = "WITH RECURSIVE below (id) AS (VALUES (?) UNION ALL SELECT n.id FROM nodes n JOIN below b ON n.parent = b.id) "


def new_etag() -> str:
    return secrets.token_hex(16)


def mime_of(name: str) -> str:
    return mimetypes.guess_type(name)[0] or "application/octet-stream"


class Tree:
    """All users' files. Edits run in one transaction each; listeners are called after it."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        # Called with the users and file ids that an edit concerned.
        self.listeners: list[Callable[[set[str], set[int]], None]] = []
        self.users: set[str] = set()
        self.ids: set[int] = set()
        self.level = threading.local()

    @contextmanager
    def edit(self) -> Iterator[None]:
        """Holds a transaction, and informs the listeners when it has ended."""
        depth = getattr(self.level, "depth", 0)
        users: set[str] = set()
        with self.database.transaction():
            self.level.depth = depth + 1
            try:
                yield
            except BaseException:
                self.users, self.ids = set(), set()
                raise
            finally:
                self.level.depth = depth
            if depth == 0:
                users, ids, self.users, self.ids = self.users, self.ids, set(), set()
        if users:
            for listener in self.listeners:
                listener(users, ids)

    # Reading

    def get(self, number: int) -> Node | None:
        found = self.database.row(f"SELECT {COLUMNS} FROM nodes WHERE id = ?", number)
        return Node(*found) if found else None

    def root(self, owner: str) -> Node:
        """Returns the top folder of a user, of a trash ("trash:UID"), or of a storage; creates it at first use."""
        found = self.database.row(f"SELECT {COLUMNS} FROM nodes WHERE parent = 0 AND name = ?", owner)
        return Node(*found) if found else self.insert(0, owner, owner, None, 0, int(self.clock.now()))

    def mounts(self, user: str, parent: int) -> list[Mount]:
        return [
            Mount(*row)
            for row in self.database.rows(
                "SELECT id, uid, parent, name, target, kind, rights, share FROM mounts WHERE uid = ? AND parent = ?",
                user,
                parent,
            )
        ]

    def resolve(self, user: str, names: tuple[str, ...]) -> Place:
        """Returns the place of a path, with nothing in it where a folder on the way is missing."""
        place = Place(user, (), [self.root(user)])
        for index, name in enumerate(names):
            above = place.node
            found = self.find(place, name) if above and above.folder else None
            if found:
                place = place.child(*found)
                continue
            missing = names[index:]
            chain = [*place.chain, *([None] * len(missing))]
            return Place(user, names, chain, None, place.within, place.rights, place.encrypted)
        return place

    def find(self, place: Place, name: str) -> tuple[Node, Mount | None] | None:
        assert place.node
        found = self.database.row(f"SELECT {COLUMNS} FROM nodes WHERE parent = ? AND name = ?", place.node.id, name)
        if found:
            return Node(*found), None
        for mount in self.mounts(place.user, place.node.id):
            if mount.name == name and (node := self.get(mount.target)):
                return node, mount
        return None

    def children(self, place: Place) -> list[Place]:
        """Returns the places within a folder, by name."""
        if not place.node or not place.node.folder:
            return []
        rows = self.database.rows(f"SELECT {COLUMNS} FROM nodes WHERE parent = ? ORDER BY name", place.node.id)
        places = [place.child(Node(*row), None) for row in rows]
        for mount in self.mounts(place.user, place.node.id):
            if node := self.get(mount.target):
                places.append(place.child(node, mount))
        return places

    def place_of(self, user: str, number: int) -> Place | None:
        """Returns where a file id lies among a user's files, if it does."""
        names: list[str] = []
        node = self.get(number)
        while node:
            mounted = self.database.row("SELECT name, parent FROM mounts WHERE uid = ? AND target = ?", user, node.id)
            name, parent = mounted or (node.name, node.parent)
            if not parent:
                place = self.resolve(user, tuple(reversed(names)))
                return place if node.name == user and place.node and place.node.id == number else None
            names.append(name)
            node = self.get(parent)
        return None

    def below(self, number: int) -> list[Node]:
        """Returns a node and everything within it, without what is mounted there."""
        return [
            Node(*row)
            for row in self.database.rows(
                BELOW + f"SELECT {QUALIFIED} FROM nodes n JOIN below b ON n.id = b.id", number
            )
        ]

    # Editing

    def insert(
        self,
        parent: int,
        name: str,
        owner: str,
        blob: str | None,
        size: int,
        mtime: int,
        checksum: str | None = None,
        created: int = 0,
    ) -> Node:
        now = int(self.clock.now())
        folder = blob is None
        number = self.database.insert(
            "INSERT INTO nodes (parent, name, folder, size, mtime, etag, mime, checksum, blob, created, uploaded, "
            "owner) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            parent,
            name,
            int(folder),
            size,
            mtime,
            new_etag(),
            FOLDER if folder else mime_of(name),
            checksum,
            blob,
            created,
            now,
            owner,
        )
        node = self.get(number)
        assert node
        return node

    def touch(self, number: int, growth: int = 0, mtime: int | None = None) -> None:
        """Gives a node and all above it new ETags, adds to their sizes, and notes which users see it."""
        now = int(self.clock.now()) if mtime is None else mtime
        while number:
            row = self.database.row("SELECT parent, name, folder FROM nodes WHERE id = ?", number)
            if not row:
                return
            self.database.execute(
                "UPDATE nodes SET etag = ?, size = size + ?, mtime = CASE WHEN folder THEN MAX(mtime, ?) ELSE mtime "
                "END WHERE id = ?",
                new_etag(),
                growth,
                now,
                number,
            )
            for uid, parent, kind in self.database.rows(
                "SELECT uid, parent, kind FROM mounts WHERE target = ?", number
            ):
                self.users.add(uid)
                # External storages do not change the ETags above them.
                if kind != "external":
                    self.touch(parent)
            if not row[0]:
                self.users.add(row[1])
            number = row[0]

    def noted(self, *numbers: int) -> None:
        """Notes file ids for the listeners."""
        self.ids.update(numbers)

    def folder(self, place: Place, mtime: int | None = None) -> Node:
        """Creates a folder; raises 409 without a parent."""
        with self.edit():
            parent = self.parent_of(place)
            node = self.insert(parent.id, place.name, parent.owner, None, 0, mtime or int(self.clock.now()))
            self.touch(parent.id)
            self.noted(node.id, parent.id)
            return node

    def parent_of(self, place: Place) -> Node:
        if not place.parent or not place.parent.folder:
            raise conflict(
                "Parent node does not exist"
                if not place.parent
                else "Files cannot be created in non-existent collections"
            )
        return place.parent

    def contents(self, place: Place, blob: str, size: int, mtime: int, checksum: str | None, created: int = 0) -> Node:
        """Creates a file, or gives the one at the place new contents; the former ones become a version."""
        with self.edit():
            old = place.node
            if not old:
                parent = self.parent_of(place)
                node = self.insert(parent.id, place.name, parent.owner, blob, size, mtime, checksum, created)
                self.touch(parent.id, size)
                self.noted(node.id, parent.id)
                return node
            self.keep_version(old)
            self.database.execute(
                "UPDATE nodes SET blob = ?, size = ?, mtime = ?, checksum = ?, uploaded = ?, etag = ?, "
                "created = CASE WHEN ? THEN ? ELSE created END WHERE id = ?",
                blob,
                size,
                mtime,
                checksum,
                int(self.clock.now()),
                new_etag(),
                created,
                created,
                old.id,
            )
            self.noted_above(old.id, size - old.size)
            self.noted(old.id)
            written = self.get(old.id)
            assert written
            return written

    def noted_above(self, number: int, growth: int = 0) -> None:
        """Changes the ETags above a node whose own was changed."""
        node = self.get(number)
        for uid, parent in self.database.rows("SELECT uid, parent FROM mounts WHERE target = ?", number):
            self.users.add(uid)
            self.touch(parent)
        if node and node.parent:
            self.touch(node.parent, growth)

    def keep_version(self, node: Node) -> None:
        if node.size:
            self.database.execute(
                "INSERT OR REPLACE INTO versions (node, stamp, size, blob, etag) VALUES (?, ?, ?, ?, ?)",
                node.id,
                node.mtime,
                node.size,
                node.blob,
                node.etag,
            )
