"""Uploads in chunks: a folder of chunks per upload, and a MOVE that assembles them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from urllib.parse import urlsplit

from . import names, preconditions, transfers
from .cloud import Cloud
from .davxml import DAV, Multistatus, encoded, parse, wanted
from .message import (
    DavError,
    Request,
    Response,
    bad_request,
    decoded,
    forbidden,
    insufficient,
    locked,
    not_found,
    precondition_failed,
)
from .nodes import Place
from .properties import http_date

# Seconds without activity after which an upload is gone.
LIFETIME = 24 * 3600
LARGEST_NUMBER = 10000
LARGEST_CHUNK = 5 << 30
NUMBER = re.compile(r"\d+\Z")


class Uploads:
    """The uploads of one user, at /remote.php/dav/uploads/USER.

    An upload that was begun with a Destination follows the rules of version 2: each request names the destination, and
    chunks are numbers. One without follows version 1, which other clients still use.
    """

    def __init__(self, cloud: Cloud, user: str) -> None:
        self.cloud = cloud
        self.database = cloud.database
        self.user = user
        self.base = f"/remote.php/dav/uploads/{encoded(user)}"

    def handle(self, request: Request, path: str) -> Response:
        parts = [part for part in path.split("/") if part]
        self.expire()
        if request.method == "OPTIONS":
            return Response(
                200, {"DAV": "1, 3, extended-mkcol", "Allow": "OPTIONS, MKCOL, PUT, MOVE, DELETE, PROPFIND"}
            )
        if not parts and request.method == "PROPFIND":
            return self.list_uploads(request)
        if len(parts) == 1 and request.method in ("MKCOL", "PROPFIND", "DELETE"):
            return {"MKCOL": self.begin, "PROPFIND": self.list_chunks, "DELETE": self.abort}[request.method](
                request, parts[0]
            )
        if len(parts) == 2 and request.method in ("PUT", "MOVE", "DELETE"):
            return {"PUT": self.put, "MOVE": self.move, "DELETE": self.drop}[request.method](request, *parts)
        raise forbidden("Permission denied to create or read here")

    def expire(self) -> None:
        """Removes uploads that were left alone for a day."""
        limit = self.cloud.clock.now() - LIFETIME
        for uid, name in self.database.rows(
            "SELECT uid, name FROM uploads WHERE touched < ? AND NOT assembling", limit
        ):
            self.forget(uid, name)

    def forget(self, uid: str, name: str) -> None:
        blobs = [
            row[0] for row in self.database.rows("SELECT blob FROM chunks WHERE uid = ? AND upload = ?", uid, name)
        ]
        with self.database.transaction():
            self.database.execute("DELETE FROM chunks WHERE uid = ? AND upload = ?", uid, name)
            self.database.execute("DELETE FROM uploads WHERE uid = ? AND name = ?", uid, name)
        self.database.blobs.remove(blobs)

    def find(self, name: str, request: Request) -> tuple[str, bool]:
        """Returns the destination of an upload, and whether it is being assembled; raises 404."""
        row = self.database.row(
            "SELECT destination, assembling FROM uploads WHERE uid = ? AND name = ?", self.user, name
        )
        if not row:
            raise not_found(name)
        if row[0] and request.method in ("PUT", "MOVE") and not request.header("destination"):
            raise bad_request("Missing Destination header")
        self.database.execute(
            "UPDATE uploads SET touched = ? WHERE uid = ? AND name = ?", self.cloud.clock.now(), self.user, name
        )
        return row[0], bool(row[1])

    def chunks(self, name: str) -> list[tuple[str, int, str]]:
        """Returns the names, sizes and blobs of an upload's chunks in the order of assembling."""
        rows = self.database.rows("SELECT name, size, blob FROM chunks WHERE uid = ? AND upload = ?", self.user, name)
        return sorted(
            rows, key=lambda row: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", row[0])]
        )

    def destination(self, request: Request) -> Place:
        path = decoded(urlsplit(request.header("destination")).path)
        for base in (f"/remote.php/dav/files/{self.user}/", "/remote.php/webdav/"):
            if path.startswith(base):
                return self.cloud.tree.resolve(self.user, names.split(path[len(base) :]))
        raise bad_request("The destination is not among the user's files")

    # Methods

    def begin(self, request: Request, name: str) -> Response:
        if self.database.row("SELECT 1 FROM uploads WHERE uid = ? AND name = ?", self.user, name):
            raise DavError(405, "MethodNotAllowed", "The resource you tried to create already exists")
        destination = request.header("destination")
        if destination:
            place = self.destination(request)
            transfers.check_writable(place, create=True)
            total = request.header("oc-total-length")
            if total.isdigit():
                self.cloud.check_room(place, int(total))
        self.database.execute(
            "INSERT INTO uploads VALUES (?, ?, ?, ?, 0)", self.user, name, destination, self.cloud.clock.now()
        )
        return Response(201)

    def put(self, request: Request, name: str, chunk: str) -> Response:
        destination, assembling = self.find(name, request)
        if assembling:
            raise locked(name)
        if destination and not (NUMBER.match(chunk) and 1 <= int(chunk) <= LARGEST_NUMBER):
            raise bad_request("Invalid chunk name, must be numeric between 1 and 10000")
        total = request.header("oc-total-length") or request.header("content-length")
        free = self.cloud.free(self.user)
        if free >= 0 and total.isdigit() and int(total) > free:
            raise insufficient(int(total), free)
        blob, size = self.database.blobs.write(request.body.pieces())
        if size > LARGEST_CHUNK or not self.database.row(
            "SELECT 1 FROM uploads WHERE uid = ? AND name = ?", self.user, name
        ):
            self.database.blobs.remove([blob])
            raise not_found(name)
        old = self.database.row(
            "SELECT blob FROM chunks WHERE uid = ? AND upload = ? AND name = ?", self.user, name, chunk
        )
        self.database.execute(
            "INSERT OR REPLACE INTO chunks VALUES (?, ?, ?, ?, ?)", self.user, name, chunk, size, blob
        )
        self.database.blobs.remove([old[0]] if old else [])
        return Response(204 if old else 201, {"ETag": f'"{blob}"', "OC-ETag": f'"{blob}"'})

    def drop(self, request: Request, name: str, chunk: str) -> Response:
        self.find(name, request)
        row = self.database.row(
            "SELECT blob FROM chunks WHERE uid = ? AND upload = ? AND name = ?", self.user, name, chunk
        )
        if not row:
            raise not_found(chunk)
        self.database.execute("DELETE FROM chunks WHERE uid = ? AND upload = ? AND name = ?", self.user, name, chunk)
        self.database.blobs.remove([row[0]])
        return Response(204)

    def abort(self, request: Request, name: str) -> Response:
        if self.find(name, request)[1]:
            raise locked(name)
        self.forget(self.user, name)
        return Response(204)

    def list_uploads(self, request: Request) -> Response:
        parse(request)
        status = Multistatus()
        status.add(self.base + "/", [(f"{{{DAV}}}resourcetype", "<d:collection/>")])
        for row in self.database.rows("SELECT name FROM uploads WHERE uid = ?", self.user):
            status.add(f"{self.base}/{encoded(row[0])}/", [(f"{{{DAV}}}resourcetype", "<d:collection/>")])
        return status.response()

    def list_chunks(self, request: Request, name: str) -> Response:
        properties = wanted(parse(request))
        self.find(name, request)
        chunks = self.chunks(name)
        status = Multistatus()
        add(status, f"{self.base}/{encoded(name)}/", properties, None, self.cloud.clock.now())
        if request.header("depth") != "0":
            for chunk, size, _ in chunks:
                add(status, f"{self.base}/{encoded(name)}/{encoded(chunk)}", properties, size, self.cloud.clock.now())
            whole = sum(size for _, size, _ in chunks)
            add(status, f"{self.base}/{encoded(name)}/.file", properties, whole, self.cloud.clock.now())
        return status.response()

    def move(self, request: Request, name: str, last: str) -> Response:
        """Assembles an upload at its destination; replies 504 and goes on where that takes too long."""
        _, assembling = self.find(name, request)
        if last != ".file":
            raise forbidden("Only .file can be moved")
        if assembling:
            raise locked(name)
        place = self.destination(request)
        preconditions.check(request, place)
        preconditions.check_if(request, place, self.cloud.tree, f"/remote.php/dav/files/{self.user}/")
        if place.node and request.header("overwrite", "T").upper() == "F":
            raise precondition_failed(
                "The destination node already exists, and the overwrite header is set to false", "Overwrite"
            )
        transfers.check_writable(place, create=True)
        size = sum(size for _, size, _ in self.chunks(name))
        total = request.header("oc-total-length")
        if total.isdigit() and int(total) != size:
            raise bad_request(f"Chunks on server do not sum up to {total} but to {size} bytes")
        self.cloud.check_room(place, size)
        if not self.database.execute(
            "UPDATE uploads SET assembling = 1 WHERE uid = ? AND name = ? AND NOT assembling", self.user, name
        ):
            raise locked(name)
        outcome: list[Response | DavError] = []
        thread = threading.Thread(target=self.assemble, args=(request, name, place, outcome), daemon=True)
        thread.start()
        thread.join(self.cloud.number("assembly-timeout", 3600))
        if not outcome:
            raise DavError(504, "OCP\\AppFramework\\Http\\GatewayTimeout", "Gateway Timeout")
        if isinstance(outcome[0], DavError):
            raise outcome[0]
        return outcome[0]

    def assemble(self, request: Request, name: str, place: Place, outcome: list[Response | DavError]) -> None:
        try:
            with self.cloud.locks.changing(place):
                blob, size = self.database.blobs.write(self.joined(name))
                time.sleep(self.cloud.number("assembly-delay", 0))
                while self.cloud.setting("assembly-hold", False):
                    time.sleep(0.05)
            response = transfers.finish(
                self.cloud, request, place, blob, size, f"/remote.php/dav/files/{self.user}/", held=False
            )
            self.forget(self.user, name)
            outcome.append(response)
        except DavError as failure:
            self.database.execute("UPDATE uploads SET assembling = 0 WHERE uid = ? AND name = ?", self.user, name)
            outcome.append(failure)

    def joined(self, name: str) -> Iterator[bytes]:
        for _, _, blob in self.chunks(name):
            yield from self.database.blobs.pieces(blob)


def add(status: Multistatus, href: str, properties: list[str] | None, size: int | None, now: float) -> None:
    """Adds an upload's folder, or one of its files when it has a size."""
    values = {
        f"{{{DAV}}}resourcetype": "" if size is not None else "<d:collection/>",
        f"{{{DAV}}}getlastmodified": http_date(int(now)),
    }
    if size is not None:
        values[f"{{{DAV}}}getcontentlength"] = str(size)
    tags = list(values) if properties is None else properties
    status.add(href, [(tag, values[tag]) for tag in tags if tag in values], [tag for tag in tags if tag not in values])
