"""SEARCH (RFC 5323) over a user's files, with the operators that Nextcloud knows."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from datetime import datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit

from . import names
from .cloud import Cloud
from .davxml import DAV, NC, OC, Multistatus, encoded, parse
from .message import Request, Response, bad_request, not_found
from .nodes import Place
from .properties import Lookup

OPERATORS = {"eq", "lt", "lte", "gt", "gte", "like"}
D = f"{{{DAV}}}"


def search(cloud: Cloud, request: Request) -> Response:
    """Answers a SEARCH on /remote.php/dav with the entries of /remote.php/dav/files/USER."""
    root = parse(request)
    query = root.find(D + "basicsearch") if root is not None else None
    if query is None:
        raise bad_request("Expected searchrequest with a basicsearch")
    selected = query.find(f"{D}select/{D}prop")
    wanted = [child.tag for child in selected] if selected is not None else []
    top = scope(cloud, request, query)
    where = query.find(D + "where")
    lookup = Lookup(cloud, request.user)
    with cloud.database.lock:
        found = [
            place for place in within(cloud, top) if where is None or all(holds(lookup, place, each) for each in where)
        ]
    status = Multistatus()
    for place in cut(query, ordered(lookup, query, found)):
        base = f"/remote.php/dav/files/{encoded(request.user)}/"
        lookup.add(status, base, place, wanted)
    return status.response()


def scope(cloud: Cloud, request: Request, query: ElementTree.Element) -> Place:
    href = query.findtext(f"{D}from/{D}scope/{D}href", "").strip()
    path = unquote(urlsplit(href).path).removeprefix("/remote.php/dav")
    prefix = f"/files/{request.user}"
    if path != prefix and not path.startswith(prefix + "/"):
        raise bad_request(f"Can't search in {href}")
    place = cloud.tree.resolve(request.user, names.split(path[len(prefix) :]))
    if not place.node:
        raise not_found(place.path)
    return place


def within(cloud: Cloud, top: Place) -> list[Place]:
    found, waiting = [], [top]
    while waiting:
        for child in cloud.tree.children(waiting.pop()):
            found.append(child)
            if child.node and child.node.folder:
                waiting.append(child)
    return found


def value_of(lookup: Lookup, place: Place, tag: str) -> str | int:
    """Returns a property's value for comparing: a number or text."""
    node = place.node
    assert node
    numbers = {
        D + "getlastmodified": node.mtime,
        f"{{{OC}}}size": node.size,
        D + "getcontentlength": node.size,
        f"{{{OC}}}fileid": node.id,
        f"{{{NC}}}upload_time": node.uploaded,
        f"{{{NC}}}creation_time": node.created,
        f"{{{OC}}}favorite": int(node.id in lookup.favourites),
    }
    if tag in numbers:
        return numbers[tag]
    texts = {D + "displayname": place.name, D + "getcontenttype": node.mime, f"{{{OC}}}owner-id": node.owner}
    if tag not in texts:
        raise bad_request(f"Property {tag} is not searchable")
    return texts[tag]


def literal(like: str | int, text: str) -> str | int:
    if not isinstance(like, int):
        return text.lower()
    if text.lstrip("-").isdigit():
        return int(text)
    try:
        if "T" in text:
            return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp())
        return int(parsedate_to_datetime(text).timestamp())
    except (TypeError, ValueError, IndexError):
        return int(text.lower() in ("yes", "true"))


def holds(lookup: Lookup, place: Place, condition: ElementTree.Element) -> bool:
    """Whether a place satisfies a condition."""
    name = condition.tag.removeprefix(D)
    if name == "and":
        return all(holds(lookup, place, each) for each in condition)
    if name == "or":
        return any(holds(lookup, place, each) for each in condition)
    if name == "not":
        return not any(holds(lookup, place, each) for each in condition)
    if name == "is-collection":
        return bool(place.node and place.node.folder)
    prop = condition.find(D + "prop")
    if name not in OPERATORS or prop is None or not len(prop):
        raise bad_request(f"Operator {name} is not supported")
    value = value_of(lookup, place, prop[0].tag)
    other = literal(value, condition.findtext(D + "literal", ""))
    if isinstance(value, str):
        value = value.lower()
    if name == "like":
        return bool(re.fullmatch(pattern(str(other)), str(value), re.DOTALL))
    if isinstance(value, int) != isinstance(other, int):
        return False
    order = (value > other) - (value < other)  # type: ignore[operator]
    return {"eq": order == 0, "lt": order < 0, "lte": order <= 0, "gt": order > 0, "gte": order >= 0}[name]


def pattern(like: str) -> str:
    """Returns the regular expression of a pattern with % and _."""
    parts = {"%": ".*", "_": "."}
    return "".join(
        parts.get(part, re.escape(part.removeprefix("\\"))) for part in re.findall(r"\\.|.", like, re.DOTALL)
    )


def ordered(lookup: Lookup, query: ElementTree.Element, found: list[Place]) -> list[Place]:
    found.sort(key=lambda place: place.node.id if place.node else 0)
    for order in reversed(query.findall(f"{D}orderby/{D}order")):
        prop = order.find(D + "prop")
        if prop is not None and len(prop):
            tag = prop[0].tag
            found.sort(key=lambda place: value_of(lookup, place, tag), reverse=order.find(D + "descending") is not None)
    return found


def cut(query: ElementTree.Element, found: list[Place]) -> list[Place]:
    first = int(query.findtext(f"{D}limit/{{{NC}}}firstresult", "0") or 0)
    count = query.findtext(f"{D}limit/{D}nresults")
    return found[first:] if not count else found[first : first + int(count)]
