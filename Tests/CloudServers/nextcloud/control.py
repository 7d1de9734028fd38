"""The address for tests, /-/ACTION: orders faults, counts requests, acts as another client, moves the clock.

Each action takes a JSON object by POST and returns one. README.md lists them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import moving, names
from .cloud import Cloud
from .message import DavError, Request, Response
from .nodes import ALL, READ, Place
from .properties import Lookup

if TYPE_CHECKING:
    from .router import Router

Values = dict[str, Any]


class Control:
    """The actions of tests on one server."""

    def __init__(self, router: Router) -> None:
        self.router = router
        self.cloud: Cloud = router.cloud
        self.actions: dict[str, Callable[[Values], object]] = {
            "fault": self.fault,
            "clear-faults": self.clear_faults,
            "requests": self.requests,
            "count": self.count,
            "waiting": self.waiting,
            "write": self.write,
            "mkdir": self.mkdir,
            "remove": self.remove,
            "move": self.move,
            "show": self.show,
            "mount": self.mount,
            "encrypt": self.encrypt,
            "user": self.user,
            "quota": self.quota,
            "expire": self.expire,
            "unthrottle": self.unthrottle,
            "clock": self.clock,
            "set": self.set,
            "backup": self.backup,
            "restore": self.restore,
            "close-push": self.close_push,
            "expire-uploads": self.expire_uploads,
        }

    def handle(self, request: Request) -> Response:
        action = self.actions.get(request.path.removeprefix("/-/"))
        if not action:
            return Response.json(404, {"error": f"no such action; there are {', '.join(self.actions)}"})
        try:
            return Response.json(200, action(json.loads(request.body.whole(1 << 30) or b"{}")))
        except DavError as failure:
            return Response.json(failure.status, {"error": str(failure)})
        except (KeyError, TypeError, ValueError) as failure:
            return Response.json(400, {"error": f"{type(failure).__name__}: {failure}"})

    # Faults and counts

    def fault(self, values: Values) -> object:
        self.cloud.faults.add(values)
        return {}

    def clear_faults(self, values: Values) -> object:
        self.cloud.faults.clear()
        return {}

    def requests(self, values: Values) -> object:
        return {"requests": self.cloud.faults.taken(bool(values.get("forget")))}

    def count(self, values: Values) -> object:
        """Returns the number of requests by method and status, and the bytes of their bodies."""
        taken = self.cloud.faults.taken(bool(values.get("forget")))
        return {
            "methods": Counter(each["method"] for each in taken),
            "statuses": Counter(str(each["status"]) for each in taken),
            "received": sum(each["received"] for each in taken),
            "sent": sum(max(0, each["sent"]) for each in taken),
        }

    def waiting(self, values: Values) -> object:
        """Returns the number of requests that a fault delays at the moment, by method."""
        with self.cloud.faults.lock:
            return dict(self.cloud.faults.delayed)

    # Another client

    def place(self, values: Values, field: str = "path") -> Place:
        return self.cloud.tree.resolve(values["user"], names.split(values[field]))

    def existing(self, values: Values) -> Place:
        place = self.place(values)
        if not place.node:
            raise DavError(404, "NotFound", f"nothing lies at {values['path']}")
        return place

    def describe(self, place: Place) -> object:
        node = place.node
        if not node:
            return {"exists": False}
        return {
            "exists": True,
            "id": node.id,
            "etag": node.etag,
            "size": node.size,
            "mtime": node.mtime,
            "folder": bool(node.folder),
            "permissions": place.letters,
            "checksum": node.checksum,
        }

    def write(self, values: Values) -> object:
        """Writes `text`, or `size` bytes of `fill`, to a file, with its `mtime`."""
        place = self.place(values)
        data = (
            values["text"].encode()
            if "text" in values
            else values.get("fill", "x").encode() * int(values.get("size", 0))
        )
        with self.cloud.locks.changing(place):
            blob, size = self.cloud.database.blobs.write([data])
            self.cloud.tree.contents(place, blob, size, int(values.get("mtime", self.cloud.clock.now())), None)
        return self.describe(self.place(values))

    def mkdir(self, values: Values) -> object:
        """Creates a folder, and those above it."""
        parts = names.split(values["path"])
        for depth in range(1, len(parts) + 1):
            place = self.cloud.tree.resolve(values["user"], parts[:depth])
            if not place.node:
                self.cloud.tree.folder(place)
        return self.describe(self.place(values))

    def remove(self, values: Values) -> object:
        moving.remove(self.cloud.tree, self.existing(values))
        return {}

    def move(self, values: Values) -> object:
        moving.move(self.cloud.tree, self.existing(values), self.place(values, "to"))
        return self.describe(self.place(values, "to"))

    def show(self, values: Values) -> object:
        """Returns what lies at a path, with the contents of a file of at most 16 MiB, and the names within a folder."""
        place = self.place(values)
        found = dict(self.describe(place))  # type: ignore[call-overload]
        if place.node and place.node.blob and place.node.size <= 16 << 20:
            found["text"] = b"".join(self.cloud.database.blobs.pieces(place.node.blob)).decode("latin-1")
        if place.node and place.node.folder:
            found["names"] = [child.name for child in self.cloud.tree.children(place)]
        if place.node:
            found["favourite"] = place.node.id in Lookup(self.cloud, place.user).favourites
        return found

    # State that administrators and other programs change

    def mount(self, values: Values) -> object:
        """Mounts a storage of its own at a path: `kind` is "group" or "external", `rights` the bits of permissions."""
        tree, place = self.cloud.tree, self.place(values)
        with tree.edit():
            parent, target = tree.parent_of(place), tree.root("storage:" + values.get("storage", place.name))
            self.cloud.database.execute(
                "INSERT INTO mounts (uid, parent, name, target, kind, rights) VALUES (?, ?, ?, ?, ?, ?)",
                values["user"],
                parent.id,
                place.name,
                target.id,
                values.get("kind", "group"),
                int(values.get("rights", ALL)) | READ,
            )
            tree.touch(parent.id)
            tree.noted(parent.id)
        return self.describe(self.place(values))

    def encrypt(self, values: Values) -> object:
        """Marks a folder as end-to-end encrypted."""
        place = self.existing(values)
        assert place.node
        with self.cloud.tree.edit():
            self.cloud.database.execute("UPDATE nodes SET encrypted = 1 WHERE id = ?", place.node.id)
            self.cloud.tree.touch(place.node.id)
            self.cloud.tree.noted(place.node.id)
        return self.describe(self.existing(values))

    def user(self, values: Values) -> object:
        self.cloud.accounts.add(
            values["user"],
            values["password"],
            values.get("login", ""),
            values.get("display", ""),
            int(values.get("quota", -3)),
        )
        return {"password": self.cloud.accounts.issue(values["user"], "test")}

    def quota(self, values: Values) -> object:
        self.cloud.database.execute("UPDATE users SET quota = ? WHERE uid = ?", int(values["bytes"]), values["user"])
        return {}

    def expire(self, values: Values) -> object:
        self.cloud.accounts.expire(values["user"])
        return {}

    def unthrottle(self, values: Values) -> object:
        self.cloud.accounts.failures.clear()
        return {}

    def clock(self, values: Values) -> object:
        """Moves the clock by `jump` seconds."""
        self.cloud.clock.jump(float(values.get("jump", 0)))
        return {"now": self.cloud.clock.now()}

    def set(self, values: Values) -> object:
        """Changes settings: maintenance, assembly-delay, assembly-hold, assembly-timeout, push-quiet, push-pause,
        push-ping, push-two-messages, largest-chunk, capabilities, data-fingerprint, version."""
        for name, value in values.items():
            self.cloud.database.set(name, value)
        return {}

    def backup(self, values: Values) -> object:
        self.cloud.database.back_up(values.get("name", "backup"))
        return {}

    def restore(self, values: Values) -> object:
        """Brings back a backup, and changes the data fingerprint."""
        self.cloud.database.restore(values.get("name", "backup"))
        return {"fingerprint": self.cloud.setting("data-fingerprint", "")}

    def close_push(self, values: Values) -> object:
        self.router.push.close_all()
        return {}

    def expire_uploads(self, values: Values) -> object:
        """Makes all uploads a day older."""
        self.cloud.database.execute("UPDATE uploads SET touched = touched - 86401")
        return {}
