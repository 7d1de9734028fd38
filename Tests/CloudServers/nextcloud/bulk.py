"""Bulk upload: many small files in the body of one POST, each with an outcome of its own."""

from __future__ import annotations

import hashlib
import re

from . import names, transfers
from .cloud import Cloud
from .message import DavError, Request, Response, bad_request

BOUNDARY = re.compile(r'boundary="?([^";]+)"?')
CHECKSUMS = {"md5": "md5", "sha1": "sha1", "sha256": "sha256", "sha3-256": "sha3_256"}
LARGEST_BODY = 1 << 30


class PartReader:
    """Reads the parts of a multipart/related body."""

    def __init__(self, request: Request, major: int) -> None:
        self.major = major
        kind = request.header("content-type")
        found = BOUNDARY.search(kind)
        if not kind.startswith("multipart/related") or not found:
            raise bad_request("Content-Type must be multipart/related with a boundary")
        self.boundary = b"--" + found[1].encode()
        self.data = request.body.whole(LARGEST_BODY)
        self.position = self.data.find(self.boundary)
        if self.position < 0:
            raise bad_request("Boundary not found in body")

    def at_end(self) -> bool:
        return self.data.startswith(self.boundary + b"--", self.position)

    def next(self) -> tuple[dict[str, str], bytes]:
        """Returns the headers and contents of the next part; raises where they do not fit each other."""
        start = self.position + len(self.boundary) + 2
        end = self.data.find(b"\r\n\r\n", start)
        if not self.data.startswith(self.boundary + b"\r\n", self.position) or end < 0:
            raise bad_request("Boundary is expected")
        headers = {}
        for line in self.data[start:end].split(b"\r\n"):
            name, _, value = line.decode("utf-8", "replace").partition(":")
            headers[name.strip().lower()] = value.strip()
        if not headers.get("content-length", "").isdigit():
            raise DavError(411, "LengthRequired", "The Content-Length header must not be null.")
        after = end + 4 + int(headers["content-length"])
        contents = self.data[end + 4 : after]
        if self.data[after : after + 2] != b"\r\n":
            raise bad_request("The part is not as long as it says")
        verify(headers, contents, self.major)
        self.position = after + 2
        return headers, contents


def verify(headers: dict[str, str], contents: bytes, major: int) -> None:
    """Raises where contents do not have the checksum that came with them, in MD5 before version 32."""
    kind, _, value = headers.get("oc-checksum", "").partition(":") if major >= 32 else ("", "", "")
    if headers.get("x-file-md5"):
        kind, value = "md5", headers["x-file-md5"]
    if not value:
        raise bad_request("The hash headers must not be null.")
    if kind.lower() not in CHECKSUMS:
        raise bad_request(f"Invalid hash algorithm {kind}")
    if hashlib.new(CHECKSUMS[kind.lower()], contents).hexdigest() != value.lower():
        raise bad_request("Computed hash is incorrect.")


def bulk(cloud: Cloud, request: Request) -> Response:
    """Writes all files of a request. The status is 200 even when files failed, and 400 after a part that is wrong."""
    reader = PartReader(request, cloud.major)
    outcomes: dict[str, object] = {}
    while not reader.at_end():
        try:
            headers, contents = reader.next()
        except DavError:
            return Response.json(400, outcomes)
        path = headers.get("x-file-path", "")
        try:
            outcomes[path] = write(cloud, request, path, headers, contents)
        except DavError as failure:
            outcomes[path] = {"error": True, "message": str(failure)}
    return Response.json(200, outcomes)


def write(cloud: Cloud, request: Request, path: str, headers: dict[str, str], contents: bytes) -> dict[str, object]:
    """Writes one file, whatever is at its path already, and returns its outcome."""
    place = cloud.tree.resolve(request.user, names.split(path))
    transfers.check_writable(place, create=True)
    cloud.check_room(place, len(contents))
    try:
        mtime = int(float(headers.get("x-oc-mtime") or headers.get("x-file-mtime") or cloud.clock.now()))
    except (ValueError, OverflowError):
        raise bad_request("The time of modification is no number") from None
    with cloud.locks.changing(place):
        blob, size = cloud.database.blobs.write([contents])
        try:
            node = cloud.tree.contents(place, blob, size, mtime, headers.get("oc-checksum"))
        except BaseException:
            cloud.database.blobs.remove([blob])
            raise
    written = cloud.tree.resolve(request.user, place.names)
    return {"error": False, "etag": node.etag, "fileid": cloud.long_id(node), "permissions": written.letters}
