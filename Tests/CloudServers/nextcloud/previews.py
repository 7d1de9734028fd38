"""Previews of pictures and texts: PNG files of one colour, which depends on the contents."""

from __future__ import annotations

import struct
import zlib

from .cloud import Cloud
from .message import Request, Response
from .names import split
from .nodes import Place

LARGEST = 4096


def preview(cloud: Cloud, request: Request) -> Response:
    """Answers /core/preview?fileId=… and /core/preview.png?file=…; 404 means that a file has no preview."""
    query = request.query
    try:
        width, height = (int(query.get(name) or 32) for name in ("x", "y"))
        number = int(query.get("fileId") or 0)
    except ValueError:
        return Response.json(400, [])
    if width == 0 or height == 0:
        return Response.json(400, [])
    place = (
        cloud.tree.place_of(request.user, number)
        if number
        else cloud.tree.resolve(request.user, split(query.get("file", "")))
    )
    if not place or not place.node or not has_preview(place):
        return Response.json(404, [])
    width, height = (min(LARGEST, abs(side)) for side in (width, height))
    return Response(
        200,
        {
            "Content-Type": "image/png",
            "Cache-Control": "private, max-age=86400, immutable",
            "Content-Disposition": 'inline; filename=""',
        },
        picture(place.node.etag, width, height),
    )


def has_preview(place: Place) -> bool:
    return bool(place.node and place.node.mime.startswith(("image/", "text/")))


def picture(seed: str, width: int, height: int) -> bytes:
    """Returns a PNG file of one colour."""
    colour = bytes.fromhex(f"{zlib.crc32(seed.encode()) & 0xFFFFFF:06x}")
    row = b"\0" + colour * width

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(row * height, 1))
        + chunk(b"IEND", b"")
    )
