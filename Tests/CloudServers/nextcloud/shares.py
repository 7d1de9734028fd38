"""Shares: links, and shares with other users, which appear as mounts among their files."""

from __future__ import annotations

import secrets

from . import names
from .cloud import Cloud
from .message import Request
from .nodes import ALL, READ, SHARE, Place
from .tree import mime_of

USER, LINK = 0, 3
ALPHABET = "abcdefghijkmnopqrstwxyzABCDEFGHJKLMNPQRSTWXYZ23456789"
COLUMNS = "id, uid, node, kind, recipient, token, rights, password, expires, label, created"


class OCSError(Exception):
    """A failure of an OCS call."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


class Shares:
    """The calls about shares, for one request."""

    def __init__(self, cloud: Cloud, request: Request) -> None:
        self.cloud = cloud
        self.database = cloud.database
        self.request = request
        self.user = request.user

    def handle(self, number: str) -> object:
        """Carries out the call on all shares, or on the one with a number."""
        method = self.request.method
        if not number:
            if method == "GET":
                return self.list()
            if method == "POST":
                return self.create(self.request.form() | self.request.query)
        elif number.isdigit():
            row = self.database.row(
                f"SELECT {COLUMNS} FROM shares WHERE id = ? AND (uid = ? OR recipient = ?)",
                int(number),
                self.user,
                self.user,
            )
            if not row:
                raise OCSError(404, "Wrong share ID, share does not exist")
            if method == "GET":
                return [self.describe(row)]
            if method == "DELETE":
                return self.remove(int(number))
            if method == "PUT":
                return self.change(int(number), self.request.form())
        raise OCSError(998, "Invalid query")

    def list(self) -> object:
        query = self.request.query
        if query.get("shared_with_me") == "true":
            rows = self.database.rows(f"SELECT {COLUMNS} FROM shares WHERE recipient = ? AND kind = 0", self.user)
        else:
            rows = self.database.rows(f"SELECT {COLUMNS} FROM shares WHERE uid = ?", self.user)
        if "path" in query:
            place = self.place(query["path"])
            assert place.node
            wanted = {place.node.id}
            if query.get("subfiles") == "true":
                wanted = {child.node.id for child in self.cloud.tree.children(place) if child.node}
            rows = [row for row in rows if row[2] in wanted]
        return [self.describe(row) for row in rows]

    def place(self, path: str) -> Place:
        place = self.cloud.tree.resolve(self.user, names.split(path))
        if not place.node or not place.names:
            raise OCSError(404, "Wrong path, file/folder does not exist")
        return place

    def create(self, fields: dict[str, str]) -> object:
        place = self.place(fields.get("path", ""))
        node = place.node
        assert node
        if not place.rights & SHARE:
            raise OCSError(404, "You are not allowed to share " + place.name)
        kind = int(fields.get("shareType") or -1)
        rights = int(fields.get("permissions") or (READ if kind == LINK else ALL)) & place.rights
        if not node.folder:
            rights &= ~(4 | 8)
        recipient, token = "", None
        if kind == LINK:
            token = "".join(secrets.choice(ALPHABET) for _ in range(15))
        elif kind == USER:
            recipient = fields.get("shareWith", "")
            if recipient == self.user or not self.cloud.accounts.user(recipient):
                raise OCSError(404, "Please specify a valid account to share with")
            if self.database.row("SELECT 1 FROM shares WHERE node = ? AND recipient = ?", node.id, recipient):
                raise OCSError(403, f"Path is already shared with {recipient}")
        else:
            raise OCSError(400, "Unknown share type")
        with self.cloud.tree.edit():
            number = self.database.insert(
                "INSERT INTO shares (uid, node, kind, recipient, token, rights, password, expires, label, created) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                self.user,
                node.id,
                kind,
                recipient,
                token,
                rights,
                fields.get("password") or None,
                fields.get("expireDate") or None,
                fields.get("label", ""),
                int(self.cloud.clock.now()),
            )
            if recipient:
                self.mount(recipient, place.name, node.id, rights, number)
        return self.describe(self.database.row(f"SELECT {COLUMNS} FROM shares WHERE id = ?", number) or ())

    def mount(self, recipient: str, name: str, node: int, rights: int, share: int) -> None:
        """Makes a share appear in the recipient's root, under a name that is free there."""
        tree = self.cloud.tree
        stem, dot, extension = name.rpartition(".")
        candidate, count = name, 1
        while tree.resolve(recipient, (candidate,)).node:
            count += 1
            candidate = f"{stem} ({count}){dot}{extension}" if stem else f"{name} ({count})"
        root = tree.root(recipient)
        self.database.execute(
            "INSERT INTO mounts (uid, parent, name, target, kind, rights, share) VALUES (?, ?, ?, ?, ?, ?, ?)",
            recipient,
            root.id,
            candidate,
            node,
            "shared",
            rights,
            share,
        )
        tree.touch(root.id)
        # Nothing says which files a new share brings.
        tree.noted(0)

    def remove(self, number: int) -> object:
        with self.cloud.tree.edit():
            for parent in self.database.rows("SELECT parent FROM mounts WHERE share = ?", number):
                self.cloud.tree.touch(parent[0])
                self.cloud.tree.noted(parent[0])
            self.database.execute("DELETE FROM mounts WHERE share = ?", number)
            self.database.execute("DELETE FROM shares WHERE id = ?", number)
        return []

    def change(self, number: int, fields: dict[str, str]) -> object:
        columns = {"permissions": "rights", "password": "password", "expireDate": "expires", "label": "label"}
        with self.cloud.tree.edit():
            for field, column in columns.items():
                if field in fields:
                    self.database.execute(f"UPDATE shares SET {column} = ? WHERE id = ?", fields[field] or None, number)
            if "permissions" in fields:
                self.database.execute(
                    "UPDATE mounts SET rights = ? WHERE share = ?", int(fields["permissions"]), number
                )
                for parent in self.database.rows("SELECT parent FROM mounts WHERE share = ?", number):
                    self.cloud.tree.touch(parent[0])
        return self.describe(self.database.row(f"SELECT {COLUMNS} FROM shares WHERE id = ?", number) or ())

    def describe(self, row: tuple) -> dict[str, object]:
        number, uid, node, kind, recipient, token, rights, password, expires, label, created = row
        place = self.cloud.tree.place_of(self.user, node) or self.cloud.tree.place_of(uid, node)
        path = "/" + place.path if place else ""
        folder = bool(place and place.node and place.node.folder)
        found: dict[str, object] = {
            "id": str(number),
            "share_type": kind,
            "uid_owner": uid,
            "displayname_owner": uid,
            "permissions": rights,
            "can_edit": uid == self.user,
            "can_delete": True,
            "stime": created,
            "parent": None,
            "expiration": expires,
            "token": token,
            "uid_file_owner": uid,
            "note": "",
            "label": label or "",
            "displayname_file_owner": uid,
            "path": path,
            "item_type": "folder" if folder else "file",
            "item_permissions": rights,
            "mimetype": "httpd/unix-directory" if folder else mime_of(path),
            "has_preview": False,
            "storage_id": "home::" + uid,
            "storage": 1,
            "item_source": node,
            "file_source": node,
            "file_parent": place.parent.id if place and place.parent else 0,
            "file_target": path,
            "item_size": place.node.size if place and place.node else 0,
            "mail_send": 0,
            "hide_download": 0,
            "attributes": None,
        }
        if kind == LINK:
            return found | {
                "share_with": password,
                "share_with_displayname": "(Shared link)",
                "password": password,
                "send_password_by_talk": False,
                "url": f"{self.request.origin}/index.php/s/{token}",
            }
        return found | {"share_with": recipient, "share_with_displayname": recipient}
