"""Files and folders as rows, and places: paths of one user with what lies at them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

# The bits of Nextcloud's permissions.
READ, UPDATE, CREATE, DELETE, SHARE = 1, 2, 4, 8, 16
ALL = 31

COLUMNS = "id, parent, name, folder, size, mtime, etag, mime, checksum, blob, created, uploaded, encrypted, owner"


class Node(NamedTuple):
    """A file or folder. Its number is the file id, which stays when it is moved, also into the trash."""

    id: int
    parent: int | None
    name: str
    folder: int
    size: int
    mtime: int
    etag: str
    mime: str
    checksum: str | None
    blob: str | None
    created: int
    uploaded: int
    encrypted: int
    owner: str


class Mount(NamedTuple):
    """A folder or file from elsewhere that appears among a user's own: a share, a group folder, an external storage."""

    id: int
    uid: str
    parent: int
    name: str
    target: int
    # "shared", "group" or "external".
    kind: str
    rights: int
    share: int | None

    @property
    def movable(self) -> bool:
        return self.kind == "shared"


@dataclass
class Place:
    """A path of a user, resolved: what lies there, if anything, and what may be done with it."""

    user: str
    names: tuple[str, ...]
    # The nodes from the root down; the last is what lies at the path, or nothing.
    chain: list[Node | None]
    # The mount whose root this is, and the innermost mount on the way.
    mount: Mount | None = None
    within: Mount | None = None
    rights: int = ALL
    # Whether the path, or a folder on the way, is end-to-end encrypted.
    encrypted: bool = False

    @property
    def node(self) -> Node | None:
        return self.chain[-1]

    @property
    def parent(self) -> Node | None:
        return self.chain[-2] if len(self.chain) > 1 else None

    @property
    def name(self) -> str:
        return self.names[-1] if self.names else ""

    @property
    def path(self) -> str:
        return "/".join(self.names)

    @property
    def keys(self) -> list[tuple[int, str]]:
        """The names that file locks are held under, from the root down."""
        keys = [(0, self.user)]
        for above, node, name in zip(self.chain, self.chain[1:], self.names):
            if node:
                keys.append((node.parent or 0, node.name))
            elif above:
                keys.append((above.id, name))
        return keys

    def child(self, node: Node, mount: Mount | None) -> Place:
        """Returns the place of one of this folder's children."""
        rights = self.rights & mount.rights if mount else self.rights
        return Place(
            self.user,
            (*self.names, mount.name if mount else node.name),
            [*self.chain, node],
            mount,
            mount or self.within,
            rights,
            self.encrypted or bool(node.encrypted),
        )

    def may(self, right: int) -> bool:
        """Whether the user has a right to what lies here; a mount's root is renamed and deleted by other rules."""
        if self.mount and right in (UPDATE, DELETE):
            return self.mount.movable
        if not self.names and right == DELETE:
            return False
        return bool(self.rights & right)

    @property
    def letters(self) -> str:
        """The permissions as oc:permissions has them."""
        node = self.node
        fixed = self.mount is not None and not self.mount.movable
        letters = "S" if self.within and self.within.kind == "shared" else ""
        letters += "R" if self.rights & SHARE else ""
        letters += "M" if self.within and self.within.kind != "shared" else ""
        letters += "G" if self.rights & READ else ""
        letters += "D" if self.may(DELETE) or not self.names else ""
        letters += "NV" if (self.rights & UPDATE or self.mount) and not fixed else ""
        if node and node.folder:
            letters += "CK" if self.rights & CREATE else ""
        else:
            letters += "W" if self.rights & UPDATE else ""
        return letters
