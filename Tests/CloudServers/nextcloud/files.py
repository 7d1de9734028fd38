"""The methods of WebDAV on a user's files."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from urllib.parse import urlsplit

from . import archive, moving, names, preconditions, transfers
from .cloud import Cloud
from .davxml import DAV, Multistatus, parse, split_tag, wanted
from .message import (
    DavError,
    FileSlice,
    Request,
    Response,
    bad_request,
    conflict,
    decoded,
    forbidden,
    not_found,
    precondition_failed,
)
from .nodes import CREATE, DELETE, UPDATE, Place
from .properties import Lookup
from .proppatch import proppatch
from .reports import report
from .search import search

CLASSES = (
    "1, 3, extended-mkcol, access-control, calendarserver-principal-property-search, nextcloud-checksum-update, "
    "nc-calendar-search, nc-enable-birthday-calendar"
)
# Bytes that must be free for a new folder.
FOLDER_SIZE = 4096
METHODS = "OPTIONS, GET, HEAD, DELETE, PROPFIND, PUT, PROPPATCH, COPY, MOVE, REPORT, SEARCH"


class Files:
    """One user's files beneath a base address, which ends with a slash."""

    def __init__(self, cloud: Cloud, base: str, user: str) -> None:
        self.cloud = cloud
        self.base = base
        self.user = user

    def handle(self, request: Request, path: str) -> Response:
        """Carries out a request on a path beneath the base address."""
        handlers: dict[str, Callable[[Request, Place], Response]] = {
            "OPTIONS": self.options,
            "GET": self.get,
            "HEAD": self.get,
            "PUT": self.put,
            "DELETE": self.delete,
            "MKCOL": self.mkcol,
            "MOVE": self.move,
            "COPY": self.copy,
            "PROPFIND": self.propfind,
            "PROPPATCH": self.proppatch,
            "REPORT": self.report,
            "SEARCH": self.search,
        }
        handler = handlers.get(request.method)
        if not handler:
            raise DavError(501, "NotImplemented", f'There was no handler found for this "{request.method}" method')
        place = self.cloud.tree.resolve(self.user, names.split(path))
        return handler(request, place)

    def options(self, request: Request, place: Place) -> Response:
        allowed = METHODS if place.node else "OPTIONS, MKCOL, PUT"
        return Response(200, {"DAV": CLASSES, "Allow": allowed, "MS-Author-Via": "DAV", "Accept-Ranges": "bytes"})

    def get(self, request: Request, place: Place) -> Response:
        if place.node and place.node.folder and archive.is_wanted(request):
            return archive.send(self.cloud, place)
        # The name is locked until all bytes but the last are sent.
        with ExitStack() as held:
            held.enter_context(self.cloud.locks.reading(place))
            response = transfers.get(self.cloud, request, place)
            if isinstance(response.body, FileSlice):
                response.body.ended = held.pop_all().close
        return response

    def put(self, request: Request, place: Place) -> Response:
        return transfers.put(self.cloud, request, place, self.base)

    def mkcol(self, request: Request, place: Place) -> Response:
        body = request.body.whole(1 << 20)
        if body and "xml" not in request.header("content-type"):
            raise DavError(
                415, "UnsupportedMediaType", "The request body for the MKCOL request must have an xml Content-Type"
            )
        if place.node:
            raise DavError(405, "MethodNotAllowed", "The resource you tried to create already exists")
        if not place.parent or not place.parent.folder:
            raise conflict("Parent node does not exist")
        self.may_create(place)
        self.cloud.check_room(place, FOLDER_SIZE)
        preconditions.check_if(request, place, self.cloud.tree, self.base)
        names.check(place.name)
        with self.cloud.locks.changing(place):
            node = self.cloud.tree.folder(place, transfers.time_header(request, "x-oc-mtime"))
        return Response(201, {"OC-FileId": self.cloud.long_id(node)})

    def may_create(self, place: Place) -> None:
        if place.encrypted:
            raise forbidden("Write access to end-to-end encrypted folder requires token - no token sent")
        if not place.rights & CREATE:
            raise forbidden("No permission to create files here")

    def delete(self, request: Request, place: Place) -> Response:
        if not place.node:
            raise not_found(place.path)
        preconditions.check(request, place)
        preconditions.check_if(request, place, self.cloud.tree, self.base)
        if not place.may(DELETE):
            raise forbidden("No permission to delete this")
        if place.encrypted and not place.node.encrypted:
            raise forbidden("Write access to end-to-end encrypted folder requires token - no token sent")
        with self.cloud.locks.changing(place):
            moving.remove(self.cloud.tree, place, request.header("x-nc-skip-trashbin") != "true")
        return Response(204)

    def destination(self, request: Request) -> Place:
        """Returns the place that the Destination header names."""
        value = request.header("destination")
        if not value:
            raise bad_request("The destination header was not supplied")
        path = decoded(urlsplit(value).path)
        for base in (self.base, f"/remote.php/dav/files/{self.user}/", "/remote.php/webdav/"):
            if path.startswith(base):
                return self.cloud.tree.resolve(self.user, names.split(path[len(base) :]))
        raise forbidden(f"Requested uri ({path}) is out of base uri ({self.base})")

    def pair(self, request: Request, place: Place) -> tuple[Place, bool]:
        """Returns the target of a MOVE or COPY, and whether something lies there that is overwritten."""
        if not place.node:
            raise not_found(place.path)
        preconditions.check(request, place)
        target = self.destination(request)
        preconditions.check_if(request, target, self.cloud.tree, self.base)
        overwrite = request.header("overwrite", "T").upper()
        if overwrite not in ("T", "F"):
            raise bad_request("The HTTP Overwrite header should be either T or F")
        if not target.parent or not target.parent.folder:
            raise conflict("The destination node is not found")
        if target.names == place.names:
            raise forbidden("Source and destination uri are identical.")
        if target.names[: len(place.names)] == place.names:
            raise conflict("The destination may not be part of the same subtree as the source path.")
        if place.names[: len(target.names)] == target.names:
            raise forbidden(f"{place.path} cannot be moved to it's parent")
        if target.node and overwrite == "F":
            raise precondition_failed(
                "The destination node already exists, and the overwrite header is set to false", "Overwrite"
            )
        self.may_create(target)
        if target.node and not target.may(DELETE):
            raise forbidden("No permission to replace what lies at the destination")
        names.check(target.name)
        return target, target.node is not None

    def move(self, request: Request, place: Place) -> Response:
        target, replaces = self.pair(request, place)
        renamed = place.names[:-1] == target.names[:-1]
        if not place.may(UPDATE if renamed else DELETE) or place.encrypted:
            raise forbidden("No permission to move this")
        tree = self.cloud.tree
        with self.cloud.locks.changing(place, target), tree.edit():
            if replaces:
                moving.remove(tree, target)
            # The target may have lain within the source, or have gone.
            moving.move(tree, tree.resolve(self.user, place.names), tree.resolve(self.user, target.names))
            node = tree.resolve(self.user, target.names).node
        headers = transfers.written_headers(self.cloud, node) if node else {}
        return Response(204 if replaces else 201, headers)

    def copy(self, request: Request, place: Place) -> Response:
        target, replaces = self.pair(request, place)
        depth = request.header("depth", "infinity").lower()
        if depth not in ("0", "infinity"):
            raise bad_request("The HTTP Depth header must be 0 or infinity")
        assert place.node
        tree = self.cloud.tree
        self.cloud.check_room(target, place.node.size)
        with self.cloud.locks.reading(place), self.cloud.locks.changing(target), tree.edit():
            if replaces:
                moving.remove(tree, target)
            node = moving.copy(tree, place, tree.resolve(self.user, target.names), depth != "0")
        return Response(204 if replaces else 201, transfers.written_headers(self.cloud, node))

    def propfind(self, request: Request, place: Place) -> Response:
        if not place.node:
            raise not_found(place.path)
        root = parse(request)
        if root is not None and split_tag(root.tag) != (DAV, "propfind"):
            raise bad_request("The body is no propfind element")
        properties = wanted(root)
        # Infinity is 1, as it is off in Nextcloud.
        deep = request.header("depth", "infinity") != "0"
        status = Multistatus()
        with self.cloud.database.lock:
            lookup = Lookup(self.cloud, self.user)
            for each in [place, *(self.cloud.tree.children(place) if deep else [])]:
                lookup.add(status, self.base, each, properties)
        return status.response()

    def proppatch(self, request: Request, place: Place) -> Response:
        return proppatch(self.cloud, request, place, self.base)

    def report(self, request: Request, place: Place) -> Response:
        return report(self.cloud, request, place, self.base)

    def search(self, request: Request, place: Place) -> Response:
        return search(self.cloud, request)
