"""The trash of a user, at /remote.php/dav/trashbin/USER."""

from __future__ import annotations

from . import moving
from .cloud import Cloud
from .davxml import DAV, NC, OC, Multistatus, encoded, parse, text, wanted
from .message import Request, Response, forbidden, insufficient, not_found
from .nodes import Node, Place
from .properties import Lookup
from .transfers import get

# Bytes that must remain free after something was restored.
RESTORE_MARGIN = 65536


class Trash:
    """Removed files and folders, each once, named with its time of removal."""

    def __init__(self, cloud: Cloud, user: str) -> None:
        self.cloud = cloud
        self.user = user
        self.base = f"/remote.php/dav/trashbin/{encoded(user)}"

    def handle(self, request: Request, path: str) -> Response:
        parts = tuple(part for part in path.split("/") if part)
        if request.method == "OPTIONS":
            return Response(200, {"DAV": "1, 3, extended-mkcol", "Allow": "OPTIONS, GET, MOVE, DELETE, PROPFIND"})
        if not parts and request.method == "PROPFIND":
            return self.overview(request)
        if parts[:1] == ("trash",):
            if request.method == "PROPFIND":
                return self.list(request, parts[1:])
            if request.method == "DELETE" and len(parts) < 3:
                return self.remove(parts[1:])
            if request.method == "MOVE" and len(parts) == 2:
                return self.restore(request, parts[1])
            if request.method in ("GET", "HEAD") and len(parts) > 1:
                return get(self.cloud, request, self.place(parts[1:]))
        if parts == ("restore",) and request.method == "PROPFIND":
            return self.overview(request)
        raise forbidden("Permission denied in the trash")

    def place(self, names: tuple[str, ...]) -> Place:
        tree = self.cloud.tree
        place = Place(self.user, (), [tree.root("trash:" + self.user)])
        for name in names:
            found = tree.find(place, name)
            if not found:
                raise not_found("/".join(names))
            place = place.child(*found)
        return place

    def overview(self, request: Request) -> Response:
        parse(request)
        status = Multistatus()
        for name in ("", "restore/", "trash/"):
            status.add(f"{self.base}/{name}", [(f"{{{DAV}}}resourcetype", "<d:collection/>")])
        return status.response()

    def list(self, request: Request, names: tuple[str, ...]) -> Response:
        properties = wanted(parse(request))
        place, status, lookup = self.place(names), Multistatus(), Lookup(self.cloud, self.user)
        children = self.cloud.tree.children(place) if request.header("depth") != "0" else []
        for each in [place, *children]:
            assert each.node
            have, lack = lookup.found(each, properties)
            extra = self.extra(each.node)
            have = [(tag, extra.get(tag, value)) for tag, value in have]
            have += [(tag, extra[tag]) for tag in lack if tag in extra]
            folder = "/" if each.node.folder else ""
            href = "/".join([self.base, "trash", *(encoded(name) for name in each.names)]) + folder
            status.add(href, have, [tag for tag in lack if tag not in extra])
        return status.response()

    def extra(self, node: Node) -> dict[str, str]:
        """Returns the properties that only what was removed has."""
        row = self.cloud.database.row("SELECT name, location, deleted FROM trash WHERE node = ?", node.id)
        name, location, deleted = row or (node.name, node.name, 0)
        return {
            f"{{{DAV}}}displayname": text(name),
            f"{{{DAV}}}getetag": str(node.mtime),
            f"{{{OC}}}permissions": "GD",
            f"{{{OC}}}id": str(node.id),
            f"{{{NC}}}trashbin-filename": text(name),
            f"{{{NC}}}trashbin-original-location": text(location),
            f"{{{NC}}}trashbin-deletion-time": str(deleted),
            f"{{{NC}}}trashbin-title": text(location),
            f"{{{NC}}}trashbin-deleted-by-id": text(self.user),
            f"{{{NC}}}trashbin-deleted-by-display-name": text(self.user),
        }

    def remove(self, names: tuple[str, ...]) -> Response:
        place = self.place(names)
        removed = [place] if names else self.cloud.tree.children(place)
        for each in removed:
            if each.node:
                moving.purge(self.cloud.tree, each.node.id)
        return Response(204)

    def restore(self, request: Request, name: str) -> Response:
        """Brings back what was removed. The destination's name does not matter: it goes where it was."""
        if f"/trashbin/{self.user}/restore/" not in request.header("destination"):
            raise forbidden("What was removed can only be moved to restore")
        node = self.place((name,)).node
        assert node
        free = self.cloud.free(self.user)
        if 0 <= free < node.size + RESTORE_MARGIN:
            raise insufficient(node.size, free)
        moving.restore(self.cloud.tree, self.user, node)
        return Response(201)
