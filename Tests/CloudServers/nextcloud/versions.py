"""Former contents of files, at /remote.php/dav/versions/USER."""

from __future__ import annotations

from .cloud import Cloud
from .davxml import DAV, NC, Multistatus, encoded, parse, stored_xml, text, wanted
from .message import FileSlice, Request, Response, forbidden, not_found
from .nodes import UPDATE, Node, Place
from .properties import http_date
from .tree import mime_of


class Versions:
    """The versions of one user's files, named by the seconds of their modification; the current one is among them."""

    def __init__(self, cloud: Cloud, user: str) -> None:
        self.cloud = cloud
        self.user = user
        self.base = f"/remote.php/dav/versions/{encoded(user)}/versions"

    def handle(self, request: Request, path: str) -> Response:
        parts = [part for part in path.split("/") if part]
        if len(parts) < 2 or parts[0] != "versions" or not parts[1].isdigit():
            raise not_found(path)
        place = self.cloud.tree.place_of(self.user, int(parts[1]))
        if not place or not place.node or place.node.folder:
            raise not_found(path)
        if len(parts) == 2 and request.method == "PROPFIND":
            return self.list(request, place.node)
        if len(parts) == 3:
            handler = {
                "PROPFIND": self.list_one,
                "GET": self.get,
                "HEAD": self.get,
                "MOVE": self.restore,
                "DELETE": self.remove,
                "PROPPATCH": self.label,
            }.get(request.method)
            if handler:
                return handler(request, place, parts[2])
        raise forbidden("Permission denied in versions")

    def all(self, node: Node) -> list[tuple[int, int, str, str, str]]:
        """Returns stamp, size, blob, ETag and label of each version, the current one first."""
        rows = self.cloud.database.rows(
            "SELECT stamp, size, blob, etag, COALESCE(label, '') FROM versions WHERE node = ? ORDER BY stamp DESC",
            node.id,
        )
        return [(node.mtime, node.size, node.blob or "", node.etag, ""), *(row for row in rows if row[0] != node.mtime)]

    def find(self, node: Node, stamp: str) -> tuple[int, int, str, str, str]:
        for row in self.all(node):
            if str(row[0]) == stamp:
                return row
        raise not_found(stamp)

    def add(
        self, status: Multistatus, node: Node, row: tuple[int, int, str, str, str], properties: list[str] | None
    ) -> None:
        stamp, size, _, _, label = row
        values = {
            f"{{{DAV}}}getcontentlength": str(size),
            f"{{{DAV}}}getlastmodified": http_date(stamp),
            f"{{{DAV}}}getcontenttype": mime_of(node.name),
            f"{{{DAV}}}getetag": f"&quot;{stamp}&quot;",
            f"{{{DAV}}}resourcetype": "",
            f"{{{NC}}}version-label": text(label),
            f"{{{NC}}}has-preview": "false",
            f"{{{NC}}}version-author": text(node.owner),
        }
        tags = list(values) if properties is None else properties
        status.add(
            f"{self.base}/{node.id}/{stamp}",
            [(tag, values[tag]) for tag in tags if tag in values],
            [tag for tag in tags if tag not in values],
        )

    def list(self, request: Request, node: Node) -> Response:
        properties, status = wanted(parse(request)), Multistatus()
        status.add(f"{self.base}/{node.id}/", [(f"{{{DAV}}}resourcetype", "<d:collection/>")])
        if request.header("depth") != "0":
            for row in self.all(node):
                self.add(status, node, row, properties)
        return status.response()

    def list_one(self, request: Request, place: Place, stamp: str) -> Response:
        assert place.node
        status = Multistatus()
        self.add(status, place.node, self.find(place.node, stamp), wanted(parse(request)))
        return status.response()

    def get(self, request: Request, place: Place, stamp: str) -> Response:
        assert place.node
        _, size, blob, _, _ = self.find(place.node, stamp)
        file = self.cloud.database.blobs.path(blob).open("rb")
        headers = {"Content-Type": mime_of(place.node.name), "Content-Disposition": "attachment"}
        return Response(200, headers, FileSlice(file, 0, size))

    def restore(self, request: Request, place: Place, stamp: str) -> Response:
        """Makes a version current. The contents that it replaces become a version themselves."""
        if f"/versions/{self.user}/restore" not in request.header("destination"):
            raise forbidden("Versions can only be moved to restore")
        assert place.node
        if not place.rights & UPDATE:
            raise forbidden("No permission to write to the file")
        _, size, blob, _, _ = self.find(place.node, stamp)
        with self.cloud.locks.changing(place):
            copy = self.cloud.database.blobs.copy(blob)
            self.cloud.tree.contents(place, copy, size, int(self.cloud.clock.now()), None)
        return Response(201)

    def remove(self, request: Request, place: Place, stamp: str) -> Response:
        assert place.node
        _, _, blob, _, _ = self.find(place.node, stamp)
        if blob == place.node.blob:
            raise forbidden("The current version cannot be deleted")
        self.cloud.database.execute("DELETE FROM versions WHERE node = ? AND stamp = ?", place.node.id, int(stamp))
        self.cloud.database.blobs.remove([blob])
        return Response(204)

    def label(self, request: Request, place: Place, stamp: str) -> Response:
        """Sets a version's label."""
        assert place.node
        self.find(place.node, stamp)
        root, tag = parse(request), f"{{{NC}}}version-label"
        found = root.find(f".//{tag}") if root is not None else None
        if found is None:
            raise forbidden("Only the label of a version can be changed")
        self.cloud.database.execute(
            "UPDATE versions SET label = ? WHERE node = ? AND stamp = ?", stored_xml(found), place.node.id, int(stamp)
        )
        status = Multistatus()
        status.add_groups(f"{self.base}/{place.node.id}/{stamp}", {200: [tag]})
        return status.response()
