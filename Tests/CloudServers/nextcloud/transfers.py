"""Reading and writing the contents of files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from urllib.parse import quote

from . import names, preconditions
from .cloud import Cloud
from .message import DavError, FileSlice, Request, Response, bad_request, conflict, forbidden, not_found
from .nodes import CREATE, READ, UPDATE, Node, Place
from .properties import http_date

RANGE = re.compile(r"bytes=(\d*)-(\d*)\Z")
ALGORITHMS = {"md5": "md5", "sha1": "sha1", "sha256": "sha256"}


def file_headers(node: Node) -> dict[str, str]:
    headers = {
        "ETag": f'"{node.etag}"',
        "OC-ETag": f'"{node.etag}"',
        "Last-Modified": http_date(node.mtime),
        "Content-Type": node.mime,
        "Accept-Ranges": "bytes",
        "X-Accel-Buffering": "no",
        "Content-Disposition": f"attachment; filename*=UTF-8''{quote(node.name)}; filename=\"{quote(node.name)}\"",
    }
    if node.checksum:
        headers["OC-Checksum"] = node.checksum
    return headers


def byte_range(request: Request, node: Node) -> tuple[int, int] | None:
    """Returns the offset and length of the wanted range, nothing for the whole file; raises 416."""
    found = RANGE.match(request.header("range"))
    condition = request.header("if-range")
    if not found or (not found[1] and not found[2]):
        return None
    if condition and condition.strip('"') != node.etag and (preconditions.seconds(condition) or 0) < node.mtime:
        return None
    if not found[1]:
        length = min(int(found[2]), node.size)
        start, end = node.size - length, node.size
    else:
        start = int(found[1])
        end = min(int(found[2]) + 1, node.size) if found[2] else node.size
        length = end - start
    if start >= node.size or length <= 0:
        raise DavError(
            416,
            "RequestedRangeNotSatisfiable",
            "The start offset exceeded the size of the entity",
            {"Content-Range": f"bytes */{node.size}"},
        )
    return start, length


def get(cloud: Cloud, request: Request, place: Place) -> Response:
    """Sends a file, or a range of it."""
    node = place.node
    if not node:
        raise not_found(place.path)
    if not place.rights & READ:
        raise forbidden("No permission to read the file")
    if preconditions.check(request, place):
        return Response(304, {"ETag": f'"{node.etag}"'})
    if not node.blob:
        return Response.text(
            200,
            "This is the WebDAV interface. It can only be accessed by WebDAV clients such as the "
            "Nextcloud desktop sync client.",
        )
    part = byte_range(request, node)
    headers = file_headers(node)
    try:
        file = cloud.database.blobs.path(node.blob).open("rb")
    except FileNotFoundError:
        raise not_found(place.path) from None
    if part is None:
        return Response(200, headers, FileSlice(file, 0, node.size))
    headers["Content-Range"] = f"bytes {part[0]}-{part[0] + part[1] - 1}/{node.size}"
    return Response(206, headers, FileSlice(file, *part))


def time_header(request: Request, name: str) -> int | None:
    """Returns the seconds of X-OC-MTime or X-OC-CTime."""
    value = request.header(name)
    if not value:
        return None
    try:
        return max(0, int(float(value)))
    except (ValueError, OverflowError):
        raise bad_request(f"{name} header must be a valid integer (unix timestamp).") from None


def hashing(pieces: Iterator[bytes], sums: list) -> Iterator[bytes]:
    for piece in pieces:
        for each in sums:
            each.update(piece)
        yield piece


def check_writable(place: Place, *, create: bool) -> None:
    """Raises 403 where a file may not be written, 409 for a folder, and 400 for a bad name."""
    if place.encrypted:
        raise forbidden("Write access to end-to-end encrypted folder requires token - no token sent")
    if place.node and place.node.folder:
        raise conflict("PUT is not allowed on non-files.")
    if place.node and not place.rights & UPDATE:
        raise forbidden("No permission to write to the file")
    if not place.node and create:
        if not place.parent or not place.parent.folder:
            raise conflict("Files cannot be created in non-existent collections")
        if not place.rights & CREATE:
            raise forbidden("No permission to create files here")
        names.check(place.name)


def make_parents(cloud: Cloud, place: Place) -> Place:
    for depth in range(1, len(place.names)):
        above = cloud.tree.resolve(place.user, place.names[:depth])
        if not above.node:
            names.check(above.name)
            cloud.tree.folder(above)
    return cloud.tree.resolve(place.user, place.names)


def put(cloud: Cloud, request: Request, place: Place, base: str) -> Response:
    """Writes a file. The name is shared with readers while bytes arrive, and changed alone when all are there."""
    if request.header("content-range"):
        raise DavError(501, "NotImplemented", "PUT with Content-Range is not allowed.")
    preconditions.check(request, place)
    preconditions.check_if(request, place, cloud.tree, base)
    if request.header("x-nc-webdav-automkcol") == "1" and not place.parent:
        place = make_parents(cloud, place)
    check_writable(place, create=True)
    length = (
        request.header("oc-total-length")
        or request.header("x-expected-entity-length")
        or request.header("content-length")
    )
    if length.isdigit():
        cloud.check_room(place, int(length))
    wanted = request.header("x-hash").lower()
    kinds = list(ALGORITHMS) if wanted == "all" else [wanted] if wanted in ALGORITHMS else []
    sums = [hashlib.new(kind) for kind in kinds]
    with cloud.locks.reading(place):
        blob, size = cloud.database.blobs.write(hashing(request.body.pieces(), sums))
        response = finish(cloud, request, place, blob, size, base)
    for kind, each in zip(kinds, sums):
        response.headers[f"X-Hash-{kind.upper()}"] = each.hexdigest()
    return response


def finish(
    cloud: Cloud, request: Request, place: Place, blob: str, size: int, base: str, held: bool = True
) -> Response:
    """Gives a place the contents that arrived, if the conditions still hold. Returns what the client learns of it."""
    try:
        modified, created = time_header(request, "x-oc-mtime"), time_header(request, "x-oc-ctime")
        with cloud.locks.changing(place, held=held), cloud.tree.edit():
            now = cloud.tree.resolve(place.user, place.names)
            if changed_meanwhile(place, now):
                preconditions.check(request, now)
                preconditions.check_if(request, now, cloud.tree, base)
            check_writable(now, create=True)
            cloud.check_room(now, size)
            node = cloud.tree.contents(
                now,
                blob,
                size,
                int(cloud.clock.now()) if modified is None else modified,
                request.header("oc-checksum") or None,
                created or 0,
            )
    except BaseException:
        cloud.database.blobs.remove([blob])
        raise
    headers = written_headers(cloud, node)
    headers |= {"X-OC-MTime": "accepted"} if modified is not None else {}
    headers |= {"X-OC-CTime": "accepted"} if created is not None else {}
    return Response(204 if now.node else 201, headers)


def changed_meanwhile(before: Place, now: Place) -> bool:
    return (before.node and before.node.etag) != (now.node and now.node.etag)


def written_headers(cloud: Cloud, node: Node) -> dict[str, str]:
    return {"ETag": f'"{node.etag}"', "OC-ETag": f'"{node.etag}"', "OC-FileId": cloud.long_id(node)}
