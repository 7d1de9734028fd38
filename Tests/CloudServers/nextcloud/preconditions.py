"""Conditions of requests: If-Match, If-None-Match, dates, and the If header."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlsplit

from .message import Request, bad_request, precondition_failed
from .names import split
from .nodes import Place
from .properties import quoted_etag
from .tree import Tree

# A list in parentheses with the resource that it is about, if one is named.
LIST = re.compile(r"(?:<([^>]*)>)?\s*\(([^)]*)\)")
CONDITION = re.compile(r"(Not\s+)?(?:<([^>]*)>|\[([^\]]*)\])", re.IGNORECASE)
TAG = re.compile(r'(W/)?"([^"]*)"|([^\s,"]+)')


def tags_of(value: str) -> list[str]:
    """Returns the opaque parts of the entity tags in a list. Weak ones are never equal to those of files."""
    return [("W/" if weak else "") + (quoted or bare) for weak, quoted, bare in TAG.findall(value)]


def seconds(value: str) -> int | None:
    try:
        return int(parsedate_to_datetime(value).timestamp())
    except (TypeError, ValueError, IndexError):
        return None


def check(request: Request, place: Place) -> bool:
    """Raises 412 where a condition of the request fails. Returns whether a reading request gets 304."""
    node = place.node
    etag = node.etag if node else None
    match = request.header("if-match")
    if match:
        if etag is None:
            raise precondition_failed("An If-Match header was specified and the resource did not exist", "If-Match")
        if match != "*" and etag not in [tag.replace('\\"', '"') for tag in tags_of(match)]:
            raise precondition_failed(
                "An If-Match header was specified, but none of the specified the ETags matched.", "If-Match"
            )
    none = request.header("if-none-match")
    if none and etag is not None and (none == "*" or etag in tags_of(none)):
        if request.method in ("GET", "HEAD"):
            return True
        raise precondition_failed(
            "An If-None-Match header was specified, but the ETag matched (or * was specified).", "If-None-Match"
        )
    since = seconds(request.header("if-modified-since"))
    if not none and since is not None and node and request.method in ("GET", "HEAD") and node.mtime <= since:
        return True
    before = seconds(request.header("if-unmodified-since"))
    if before is not None and node and node.mtime > before:
        raise precondition_failed(
            "An If-Unmodified-Since header was specified, but the entity has been changed since the specified date.",
            "If-Unmodified-Since",
        )
    return False


def check_if(request: Request, place: Place, tree: Tree, base: str) -> None:
    """Raises 412 where no list of the If header holds. There are no locks, so that no lock token is ever right."""
    value = request.header("if")
    if not value:
        return
    lists = LIST.findall(value)
    if not lists:
        raise bad_request("The If header has no list")
    named = ""
    for resource, conditions in lists:
        named = resource or named
        about = resolve(tree, named, base, place) if named else place
        etag = quoted_etag(about) if about else ""
        held = [bool(negated) != (bool(tag) and tag == etag) for negated, token, tag in CONDITION.findall(conditions)]
        if held and all(held):
            return
    raise precondition_failed("None of the tokens in the If: header matched", "If")


def resolve(tree: Tree, address: str, base: str, place: Place) -> Place | None:
    """Returns the place that an address in an If header names, if it is one of the user's files."""
    path = unquote(urlsplit(address).path)
    for prefix in (base, f"/remote.php/dav/files/{place.user}/", "/remote.php/webdav/"):
        if path.startswith(prefix) or path + "/" == prefix:
            return tree.resolve(place.user, split(path[len(prefix) :]))
    return None
