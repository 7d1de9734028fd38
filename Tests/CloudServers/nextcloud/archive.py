"""Folders as zip archives."""

from __future__ import annotations

import io
import time
import zipfile
from collections.abc import Iterator
from urllib.parse import quote

from .cloud import Cloud
from .message import STEP, Request, Response
from .nodes import Place


def is_wanted(request: Request) -> bool:
    return "application/zip" in (request.header("accept"), request.query.get("accept"))


class Drain(io.RawIOBase):
    """A stream that keeps what is written until it is taken."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:  # type: ignore[override]
        self.data += data
        return len(data)

    def take(self) -> bytes:
        data, self.data = bytes(self.data), bytearray()
        return data


def send(cloud: Cloud, place: Place) -> Response:
    """Returns a folder with everything within it as an archive of unknown length."""
    name = place.name or place.user
    return Response(
        200,
        {"Content-Type": "application/zip", "Content-Disposition": f'attachment; filename="{quote(name)}.zip"'},
        pieces(cloud, place, name),
    )


def pieces(cloud: Cloud, top: Place, name: str) -> Iterator[bytes]:
    drain = Drain()
    with zipfile.ZipFile(drain, "w", zipfile.ZIP_STORED) as archive:
        waiting = [(top, name)]
        while waiting:
            place, path = waiting.pop()
            node = place.node
            assert node
            if node.folder:
                archive.writestr(path + "/", b"")
                waiting += [(child, f"{path}/{child.name}") for child in cloud.tree.children(place)]
                continue
            info = zipfile.ZipInfo(path, time.gmtime(max(node.mtime, 315532800))[:6])
            info.file_size = node.size
            with archive.open(info, "w") as entry, cloud.database.blobs.path(node.blob or "").open("rb") as file:
                while piece := file.read(STEP):
                    entry.write(piece)
                    yield drain.take()
    yield drain.take()
