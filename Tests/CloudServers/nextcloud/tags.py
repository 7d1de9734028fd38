"""System tags, at /remote.php/dav/systemtags and /remote.php/dav/systemtags-relations/files."""

from __future__ import annotations

import json

from .cloud import Cloud
from .davxml import DAV, OC, Multistatus, parse, text, wanted
from .message import DavError, Request, Response, bad_request, conflict, not_found

TAGS, RELATIONS = "/remote.php/dav/systemtags/", "/remote.php/dav/systemtags-relations/files/"
COLUMNS = "SELECT id, name, visible, assignable FROM tags"


class Tags:
    """The tags of the instance, and which files have them."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.database = cloud.database

    def handle_tags(self, request: Request, path: str) -> Response:
        name = path.strip("/")
        if request.method == "PROPFIND":
            rows = self.database.rows(COLUMNS + " WHERE ? IN ('', CAST(id AS TEXT)) ORDER BY id", name)
            return self.list(request, TAGS, rows, bool(name))
        if request.method == "POST" and not name:
            return self.create(request, TAGS)[1]
        if request.method == "DELETE" and name:
            if not self.database.execute("DELETE FROM tags WHERE id = ?", name):
                raise not_found(name)
            self.database.execute("DELETE FROM tagged WHERE tag = ?", name)
            return Response(204)
        raise DavError(405, "MethodNotAllowed", "Cannot do this with tags")

    def handle_relations(self, request: Request, path: str) -> Response:
        parts = [part for part in path.split("/") if part]
        if not parts or not parts[0].isdigit() or not self.cloud.tree.place_of(request.user, int(parts[0])):
            raise not_found(path)
        node, base = int(parts[0]), f"{RELATIONS}{parts[0]}/"
        if len(parts) == 1 and request.method == "PROPFIND":
            return self.list(
                request,
                base,
                self.database.rows(COLUMNS + " WHERE id IN (SELECT tag FROM tagged WHERE node = ?) ORDER BY id", node),
                False,
            )
        if len(parts) == 1 and request.method == "POST":
            tag, response = self.create(request, base)
            self.assign(node, tag)
            return response
        if len(parts) == 2 and request.method == "PUT":
            if not self.database.row("SELECT 1 FROM tags WHERE id = ?", parts[1]):
                raise DavError(412, "PreconditionFailed", "Cannot assign non-existing tag")
            if not self.assign(node, int(parts[1])):
                raise conflict(f"Tag {parts[1]} is already assigned")
            return Response(201)
        if len(parts) == 2 and request.method == "DELETE":
            if not self.database.execute("DELETE FROM tagged WHERE tag = ? AND node = ?", parts[1], node):
                raise not_found(path)
            return Response(204)
        raise DavError(405, "MethodNotAllowed", "Cannot do this with tags")

    def create(self, request: Request, base: str) -> tuple[int, Response]:
        try:
            fields = json.loads(request.body.whole(1 << 16))
            name = str(fields["name"])
        except (ValueError, KeyError, TypeError):
            raise bad_request('Missing "name" attribute') from None
        visible, assignable = int(fields.get("userVisible", True)), int(fields.get("userAssignable", True))
        if self.database.row(
            "SELECT 1 FROM tags WHERE name = ? AND visible = ? AND assignable = ?", name, visible, assignable
        ):
            raise conflict("Tag already exists")
        tag = self.database.insert(
            "INSERT INTO tags (name, visible, assignable) VALUES (?, ?, ?)", name, visible, assignable
        )
        return tag, Response(201, {"Content-Location": f"{base}{tag}"})

    def assign(self, node: int, tag: int) -> bool:
        """Tags a file, whose ETag stays. Returns whether it had no such tag."""
        return self.database.execute("INSERT OR IGNORE INTO tagged VALUES (?, ?)", tag, node) > 0

    def list(self, request: Request, base: str, rows: list[tuple], only: bool) -> Response:
        """Lists tags; with `only`, the one that was named, without the collection."""
        properties = wanted(parse(request))
        status = Multistatus()
        if not only:
            status.add(base, [(f"{{{DAV}}}resourcetype", "<d:collection/>")])
        elif not rows:
            raise not_found(request.path)
        for tag, name, visible, assignable in rows if only or request.header("depth") != "0" else []:
            values = {
                f"{{{OC}}}id": str(tag),
                f"{{{OC}}}display-name": text(name),
                f"{{{OC}}}user-visible": json.dumps(bool(visible)),
                f"{{{OC}}}can-assign": json.dumps(bool(assignable)),
                f"{{{OC}}}user-assignable": json.dumps(bool(assignable)),
            }
            tags = list(values) if properties is None else properties
            status.add(
                f"{base}{tag}",
                [(each, values[each]) for each in tags if each in values],
                [each for each in tags if each not in values],
            )
        return status.response()
