"""REPORT on files: oc:filter-files lists favourites and files with tags."""

from __future__ import annotations

from .cloud import Cloud
from .davxml import DAV, OC, Multistatus, parse, wanted
from .message import DavError, Request, Response, not_found
from .nodes import Place
from .properties import Lookup


def report(cloud: Cloud, request: Request, place: Place, base: str) -> Response:
    """Carries out a report. Nextcloud knows no sync-collection for files."""
    if not place.node:
        raise not_found(place.path)
    root = parse(request)
    if root is None or root.tag != f"{{{OC}}}filter-files":
        raise DavError(415, "ReportNotSupported", f"The {root.tag if root is not None else ''} report is not supported")
    rules = root.find(f"{{{OC}}}filter-rules")
    if rules is None or not len(rules):
        raise DavError(400, "BadRequest", "Missing filter-rule block in request")
    ids = matching(cloud, place.user, [(rule.tag, (rule.text or "").strip()) for rule in rules])
    limit = root.find(f"{{{OC}}}limit")
    status, count = Multistatus(), 0
    lookup = Lookup(cloud, place.user)
    for number in sorted(ids):
        found = cloud.tree.place_of(place.user, number)
        if found and found.names[: len(place.names)] == place.names and (limit is None or count < int(limit.text or 0)):
            lookup.add(status, base, found, wanted(root) or [f"{{{DAV}}}getetag"])
            count += 1
    return status.response()


def matching(cloud: Cloud, user: str, rules: list[tuple[str, str]]) -> set[int]:
    """Returns the file ids that satisfy all rules."""
    found: set[int] | None = None
    for tag, value in rules:
        if tag == f"{{{OC}}}favorite":
            rows = (
                cloud.database.rows("SELECT node FROM favourites WHERE uid = ?", user) if value in ("1", "true") else []
            )
        elif tag == f"{{{OC}}}systemtag":
            if not cloud.database.row("SELECT 1 FROM tags WHERE id = ?", value):
                raise DavError(412, "PreconditionFailed", "Cannot filter by non-existing tag")
            rows = cloud.database.rows("SELECT node FROM tagged WHERE tag = ?", value)
        else:
            continue
        ids = {row[0] for row in rows}
        found = ids if found is None else found & ids
    return found or set()
