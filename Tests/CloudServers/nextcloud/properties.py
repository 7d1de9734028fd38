"""The properties of files and folders: those that the server computes, and those that clients store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import formatdate
from functools import lru_cache

from .cloud import Cloud
from .davxml import DAV, NC, OC, OCM, OCS, Multistatus, encoded, text
from .nodes import CREATE, SHARE, UPDATE, Place

Getter = Callable[["Lookup", Place], str | None]
ALLPROP = [
    f"{{{DAV}}}{name}"
    for name in (
        "getlastmodified",
        "getcontentlength",
        "resourcetype",
        "getetag",
        "getcontenttype",
        "quota-used-bytes",
        "quota-available-bytes",
    )
]


@lru_cache(maxsize=4096)
def http_date(time: int) -> str:
    return formatdate(time, usegmt=True)


@lru_cache(maxsize=4096)
def creation_date(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).isoformat()


class Lookup:
    """The state that the properties of many places are computed from, read once for a request."""

    def __init__(self, cloud: Cloud, user: str) -> None:
        self.cloud = cloud
        self.user = user
        account = cloud.accounts.user(user)
        self.display = account.display if account else user
        self.free = cloud.free(user)
        self.fingerprint = str(cloud.setting("data-fingerprint", ""))
        database = cloud.database
        self.favourites = {row[0] for row in database.rows("SELECT node FROM favourites WHERE uid = ?", user)}
        self.shares: dict[int, list[tuple[int, str]]] = {}
        for node, kind, recipient in database.rows("SELECT node, kind, recipient FROM shares WHERE uid = ?", user):
            self.shares.setdefault(node, []).append((kind, recipient))
        self.tags: dict[int, list[tuple[int, str]]] = {}
        for node, tag, name in database.rows(
            "SELECT node, tags.id, name FROM tagged JOIN tags ON tags.id = tag ORDER BY name"
        ):
            self.tags.setdefault(node, []).append((tag, name))
        self.stored: dict[int, dict[str, str]] = {}
        for node, name, value in database.rows("SELECT node, name, value FROM properties"):
            self.stored.setdefault(node, {})[name] = value

    def found(self, place: Place, names: list[str] | None) -> tuple[list[tuple[str, str]], list[str]]:
        """Returns the wanted properties that a place has, and those that it has not."""
        assert place.node
        stored = self.stored.get(place.node.id, {})
        have, lack = [], []
        for name in ALLPROP + list(stored) if names is None else names:
            getter = GETTERS.get(name)
            value = getter(self, place) if getter else stored.get(name)
            if value is not None:
                have.append((name, value))
            elif names is not None:
                lack.append(name)
        return have, lack

    def add(self, status: Multistatus, base: str, place: Place, names: list[str] | None) -> None:
        """Adds a place's entry to a multistatus response."""
        folder = place.node and place.node.folder and place.names
        href = base + encoded(place.path) + ("/" if folder else "")
        status.add(href, *self.found(place, names))


def node_text(read: Callable[[Place], object]) -> Getter:
    """Returns the getter of a property whose text comes from the place alone."""
    return lambda _, place: text(str(read(place)))


def of_file(read: Callable[[Place], object]) -> Getter:
    return lambda _, place: None if place.node and place.node.folder else text(str(read(place)))


def of_folder(read: Callable[[Lookup, Place], object]) -> Getter:
    return lambda lookup, place: text(str(read(lookup, place))) if place.node and place.node.folder else None


def checksums(_: Lookup, place: Place) -> str | None:
    value = place.node.checksum if place.node else None
    return f"<oc:checksum>{text(value)}</oc:checksum>" if value else None


def share_types(lookup: Lookup, place: Place) -> str | None:
    kinds = sorted({kind for kind, _ in lookup.shares.get(place.node.id if place.node else 0, [])})
    return "".join(f"<oc:share-type>{kind}</oc:share-type>" for kind in kinds)


def sharees(lookup: Lookup, place: Place) -> str | None:
    shared = lookup.shares.get(place.node.id if place.node else 0, [])
    return "".join(
        f"<nc:sharee><nc:id>{text(name)}</nc:id><nc:display-name>{text(name)}</nc:display-name>"
        f"<nc:type>{kind}</nc:type></nc:sharee>"
        for kind, name in shared
        if name
    )


def system_tags(lookup: Lookup, place: Place) -> str | None:
    tags = lookup.tags.get(place.node.id if place.node else 0, [])
    return "".join(
        f'<nc:system-tag oc:can-assign="true" oc:id="{tag}" oc:user-assignable="true" oc:user-visible="true">'
        f"{text(name)}</nc:system-tag>"
        for tag, name in tags
    )


def user_tags(lookup: Lookup, place: Place) -> str | None:
    return lookup.stored.get(place.node.id if place.node else 0, {}).get(f"{{{OC}}}tags", "")


def fingerprint(lookup: Lookup, _: Place) -> str | None:
    return text(lookup.fingerprint)


def has_preview(_: Lookup, place: Place) -> str | None:
    return "true" if place.node and place.node.mime.startswith(("image/", "text/")) else "false"


def mount_kind(_: Lookup, place: Place) -> str | None:
    return place.within.kind if place.within else ""


def share_permissions(_: Lookup, place: Place) -> str | None:
    rights = place.rights
    return str(rights if place.node and place.node.folder else rights & ~(CREATE | 8))


def ocm_permissions(_: Lookup, place: Place) -> str | None:
    names = ["share"] * bool(place.rights & SHARE) + ["read"] + ["write"] * bool(place.rights & (CREATE | UPDATE))
    return "[" + ",".join(f"&quot;{name}&quot;" for name in names) + "]"


def quoted_etag(place: Place) -> str:
    return f'"{place.node.etag}"' if place.node else ""


def count(kind: int) -> Getter:
    return of_folder(
        lambda lookup, place: lookup.cloud.database.rows(
            "SELECT COUNT(*) FROM nodes WHERE parent = ? AND folder = ?", place.node.id if place.node else 0, kind
        )[0][0]
    )


def owner(lookup: Lookup, place: Place) -> str | None:
    return text(place.node.owner if place.node else lookup.user)


GETTERS: dict[str, Getter] = {
    f"{{{DAV}}}getetag": lambda _, place: f"&quot;{place.node.etag}&quot;" if place.node else None,
    f"{{{DAV}}}getlastmodified": lambda _, place: http_date(place.node.mtime) if place.node else None,
    f"{{{DAV}}}getcontentlength": of_file(lambda place: place.node.size if place.node else 0),
    f"{{{DAV}}}getcontenttype": of_file(lambda place: place.node.mime if place.node else ""),
    f"{{{DAV}}}resourcetype": lambda _, place: "<d:collection/>" if place.node and place.node.folder else "",
    f"{{{DAV}}}displayname": lambda lookup, place: text(place.name or lookup.user),
    f"{{{DAV}}}creationdate": lambda _, place: creation_date(place.node.created) if place.node else None,
    f"{{{DAV}}}quota-used-bytes": of_folder(lambda _, place: place.node.size if place.node else 0),
    f"{{{DAV}}}quota-available-bytes": of_folder(lambda lookup, _: lookup.free),
    f"{{{DAV}}}supportedlock": lambda *_: "",
    f"{{{DAV}}}lockdiscovery": lambda *_: "",
    f"{{{OC}}}id": lambda lookup, place: lookup.cloud.long_id(place.node) if place.node else None,
    f"{{{OC}}}fileid": node_text(lambda place: place.node.id if place.node else 0),
    f"{{{OC}}}permissions": node_text(lambda place: place.letters),
    f"{{{OC}}}size": node_text(lambda place: place.node.size if place.node else 0),
    f"{{{OC}}}favorite": lambda lookup, place: str(int(place.node is not None and place.node.id in lookup.favourites)),
    f"{{{OC}}}checksums": checksums,
    f"{{{OC}}}share-types": share_types,
    f"{{{OC}}}tags": user_tags,
    f"{{{OC}}}owner-id": owner,
    f"{{{OC}}}owner-display-name": owner,
    f"{{{OC}}}comments-unread": lambda *_: "0",
    f"{{{OC}}}comments-count": lambda *_: "0",
    f"{{{OC}}}data-fingerprint": fingerprint,
    f"{{{NC}}}sharees": sharees,
    f"{{{NC}}}system-tags": system_tags,
    f"{{{NC}}}has-preview": has_preview,
    f"{{{NC}}}mount-type": mount_kind,
    f"{{{NC}}}is-mount-root": lambda _, place: "true" if place.mount else "false",
    f"{{{NC}}}is-encrypted": of_folder(lambda _, place: int(place.encrypted)),
    f"{{{NC}}}hidden": lambda *_: "false",
    f"{{{NC}}}creation_time": node_text(lambda place: place.node.created if place.node else 0),
    f"{{{NC}}}is-federated": lambda *_: "",
    f"{{{NC}}}upload_time": of_file(lambda place: place.node.uploaded if place.node else 0),
    f"{{{NC}}}contained-folder-count": count(1),
    f"{{{NC}}}contained-file-count": count(0),
    f"{{{OCS}}}share-permissions": share_permissions,
    f"{{{OCM}}}share-permissions": ocm_permissions,
}
