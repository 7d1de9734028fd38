"""PROPPATCH: favourites, times, and the properties that clients make up."""

from __future__ import annotations

from .cloud import Cloud
from .davxml import DAV, NC, OC, Multistatus, encoded, parse, stored_xml
from .message import Request, Response, bad_request, forbidden, not_found
from .nodes import UPDATE, Place
from .properties import GETTERS

FAVORITE, MODIFIED, CREATED = f"{{{OC}}}favorite", f"{{{DAV}}}lastmodified", f"{{{NC}}}creation_time"
USER_TAGS = f"{{{OC}}}tags"
# Clients may choose the ETag of a file, which other servers refuse.
ETAG = f"{{{DAV}}}getetag"
CHANGEABLE = {FAVORITE, MODIFIED, CREATED, USER_TAGS, ETAG}


def changes_of(request: Request) -> list[tuple[str, str | None]]:
    """Returns the properties that a request sets, as XML, or removes, as nothing, in its order."""
    root = parse(request)
    if root is None:
        raise bad_request("The body is empty")
    changes: list[tuple[str, str | None]] = []
    for step in root:
        removes = step.tag == f"{{{DAV}}}remove"
        for props in step.findall(f"{{{DAV}}}prop"):
            changes += [(child.tag, None if removes else stored_xml(child)) for child in props]
    return changes


def proppatch(cloud: Cloud, request: Request, place: Place, base: str) -> Response:
    """Carries out a PROPPATCH: all of its changes, or none."""
    node = place.node
    if not node:
        raise not_found(place.path)
    changes = changes_of(request)
    refused = [tag for tag, _ in changes if tag in GETTERS and tag not in CHANGEABLE]
    if not place.rights & UPDATE and any(tag != FAVORITE for tag, _ in changes):
        raise forbidden("No permission to change properties")
    groups: dict[int, list[str]] = {}
    if refused:
        groups = {403: refused, 424: [tag for tag, _ in changes if tag not in refused]}
    else:
        with cloud.tree.edit():
            for tag, value in changes:
                apply(cloud, place, tag, value)
        groups = {200: [tag for tag, _ in changes]}
    status = Multistatus()
    status.add_groups(base + encoded(place.path), {code: tags for code, tags in groups.items() if tags})
    return status.response()


def apply(cloud: Cloud, place: Place, tag: str, value: str | None) -> None:
    node, database = place.node, cloud.database
    assert node
    if tag == FAVORITE:
        database.execute("DELETE FROM favourites WHERE uid = ? AND node = ?", place.user, node.id)
        if value and value.strip() in ("1", "true"):
            database.execute("INSERT INTO favourites VALUES (?, ?)", place.user, node.id)
    elif tag == ETAG:
        database.execute("UPDATE nodes SET etag = ? WHERE id = ?", (value or "").strip('"'), node.id)
    elif tag in (MODIFIED, CREATED):
        column = "mtime" if tag == MODIFIED else "created"
        try:
            database.execute(f"UPDATE nodes SET {column} = ? WHERE id = ?", int(value or ""), node.id)
        except ValueError:
            raise bad_request("The time is no number") from None
        if tag == MODIFIED:
            cloud.tree.touch(node.id, mtime=0)
            cloud.tree.noted(node.id)
    elif value is None:
        database.execute("DELETE FROM properties WHERE node = ? AND name = ?", node.id, tag)
    else:
        database.execute("INSERT OR REPLACE INTO properties VALUES (?, ?, ?)", node.id, tag, value)
