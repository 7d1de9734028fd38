"""XML of WebDAV: reads the bodies of requests, writes multistatus responses."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

from .message import REASONS, DavError, Request, Response

DAV, OC, NC = "DAV:", "http://owncloud.org/ns", "http://nextcloud.org/ns"
OCS, OCM = "http://open-collaboration-services.org/ns", "http://open-cloud-mesh.org/ns"
PREFIXES = {DAV: "d", "http://sabredav.org/ns": "s", OC: "oc", NC: "nc", OCS: "x1", OCM: "x2"}
DECLARATIONS = " ".join(f'xmlns:{prefix}="{uri}"' for uri, prefix in PREFIXES.items())
for _uri, _prefix in PREFIXES.items():
    ElementTree.register_namespace(_prefix, _uri)

SAFE = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~()/")
ESCAPES = [chr(byte) if byte in SAFE else f"%{byte:02x}" for byte in range(256)]
PLAIN = re.compile(r"[A-Za-z0-9\-_.~()/]*\Z")
# Characters that XML cannot hold.
UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def encoded(path: str) -> str:
    """Returns a path for an href, with the lower-case escapes of sabre/dav."""
    return path if PLAIN.match(path) else "".join(ESCAPES[byte] for byte in path.encode())


def text(value: str) -> str:
    return escape(UNPRINTABLE.sub("\ufffd", value))


def split_tag(tag: str) -> tuple[str, str]:
    """Returns the namespace and local name of a tag in braces."""
    namespace, _, name = tag[1:].rpartition("}") if tag.startswith("{") else ("", "", tag)
    return namespace, name


def element(tag: str, inner: str = "") -> str:
    """Returns an element of a property; `inner` is XML."""
    namespace, name = split_tag(tag)
    prefix = PREFIXES.get(namespace)
    opening = f"{prefix}:{name}" if prefix else name
    declared = "" if prefix else f" xmlns={quoteattr(namespace)}"
    return f"<{opening}{declared}>{inner}</{opening}>" if inner else f"<{opening}{declared}/>"


def parse(request: Request) -> ElementTree.Element | None:
    """Returns the root of the request's XML body, or nothing for an empty body."""
    data = request.body.whole(4 << 20)
    if not data.strip():
        return None
    if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
        raise DavError(400, "BadRequest", "The body declares entities")
    try:
        return ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError) as failure:
        raise DavError(400, "BadRequest", f"The body is no valid XML: {failure}") from None


def stored_xml(node: ElementTree.Element) -> str:
    """Returns what is within an element, as XML with its own declarations."""
    inner = text(node.text or "")
    for child in node:
        inner += ElementTree.tostring(child, encoding="unicode")
    return inner


def wanted(root: ElementTree.Element | None) -> list[str] | None:
    """Returns the properties that a request asks for, nothing for all."""
    props = root.find(f"{{{DAV}}}prop") if root is not None else None
    if (
        root is not None
        and props is None
        and root.find(f"{{{DAV}}}propname") is None
        and root.find(f"{{{DAV}}}allprop") is None
        and split_tag(root.tag)[1] == "propfind"
    ):
        raise DavError(400, "BadRequest", "The body names no properties")
    return [child.tag for child in props] if props is not None else None


@dataclass
class Multistatus:
    """A multistatus response under way."""

    parts: list[str] = field(default_factory=list)

    def add(self, href: str, found: Iterable[tuple[str, str]], missing: Iterable[str] = (), status: int = 404) -> None:
        """Adds an entry with the properties that exist, as tag and XML, and those that do not."""
        parts = [f"<d:response><d:href>{href}</d:href>"]
        have = "".join(element(tag, inner) for tag, inner in found)
        lack = "".join(element(tag) for tag in missing)
        if have or not lack:
            parts.append(f"<d:propstat><d:prop>{have}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat>")
        if lack:
            parts.append(
                f"<d:propstat><d:prop>{lack}</d:prop>"
                f"<d:status>HTTP/1.1 {status} {REASONS[status]}</d:status></d:propstat>"
            )
        self.parts.append("".join(parts) + "</d:response>")

    def add_groups(self, href: str, groups: dict[int, list[str]]) -> None:
        """Adds an entry that says how changing each property ended."""
        inner = "".join(
            f"<d:propstat><d:prop>{''.join(element(tag) for tag in tags)}</d:prop>"
            f"<d:status>HTTP/1.1 {status} {REASONS[status]}</d:status></d:propstat>"
            for status, tags in groups.items()
        )
        self.parts.append(f"<d:response><d:href>{href}</d:href>{inner}</d:response>")

    def response(self) -> Response:
        return Response.xml(207, f"<d:multistatus {DECLARATIONS}>{''.join(self.parts)}</d:multistatus>")
