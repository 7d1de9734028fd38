"""Moving, copying and removing what a tree holds, the trash included."""

from __future__ import annotations

from collections.abc import Iterable

from .message import forbidden
from .nodes import Node, Place
from .tree import Tree, mime_of


def move(tree: Tree, source: Place, target: Place) -> Node:
    """Moves a file or folder, which keeps its file id. A mount's root only gets another place."""
    with tree.edit():
        node, parent = source.node, tree.parent_of(target)
        assert node
        if source.mount:
            if target.within or any(is_shared(tree, above) for above in target.chain if above):
                raise forbidden("A share cannot be moved into another one")
            tree.database.execute(
                "UPDATE mounts SET parent = ?, name = ? WHERE id = ?", parent.id, target.name, source.mount.id
            )
            for number in (source.mount.parent, parent.id):
                tree.touch(number)
            tree.noted(node.id)
            return node
        if parent.id in {below.id for below in tree.below(node.id)}:
            raise forbidden("A folder cannot be moved into itself")
        former = node.parent or 0
        tree.touch(former, -node.size)
        # Only the tags of the folders above change.
        tree.database.execute(
            "UPDATE nodes SET parent = ?, name = ?, mime = CASE WHEN folder THEN mime ELSE ? END WHERE id = ?",
            parent.id,
            target.name,
            mime_of(target.name),
            node.id,
        )
        change_owner(tree, node, parent.owner)
        tree.touch(parent.id, node.size)
        tree.noted(node.id, former, parent.id)
        return tree.get(node.id) or node


def is_shared(tree: Tree, node: Node) -> bool:
    return tree.database.row("SELECT 1 FROM mounts WHERE target = ?", node.id) is not None


def change_owner(tree: Tree, node: Node, owner: str) -> None:
    if node.owner != owner:
        for below in tree.below(node.id):
            tree.database.execute("UPDATE nodes SET owner = ? WHERE id = ?", owner, below.id)


def copy(tree: Tree, source: Place, target: Place, deep: bool) -> Node:
    """Copies a file, or a folder with what it holds when `deep`, under new file ids."""
    with tree.edit():
        assert source.node
        parent = tree.parent_of(target)
        if source.node.folder and parent.id in {below.id for below in tree.below(source.node.id)}:
            raise forbidden("A folder cannot be copied into itself")
        made = copy_node(tree, source.node, parent, target.name, deep)
        tree.touch(parent.id, made.size)
        tree.noted(made.id, parent.id)
        return made


def copy_node(tree: Tree, node: Node, parent: Node, name: str, deep: bool) -> Node:
    # Each blob has one row, so that removing them needs no count.
    blob = tree.database.blobs.copy(node.blob) if node.blob else None
    size = node.size if blob or deep else 0
    made = tree.insert(parent.id, name, parent.owner, blob, size, node.mtime, node.checksum)
    tree.database.execute(
        "INSERT INTO properties SELECT ?, name, value FROM properties WHERE node = ?", made.id, node.id
    )
    if node.folder and deep:
        for row in tree.database.rows("SELECT id FROM nodes WHERE parent = ?", node.id):
            if child := tree.get(row[0]):
                copy_node(tree, child, made, child.name, True)
    return made


def remove(tree: Tree, place: Place, trash: bool = True) -> None:
    """Moves a file or folder into its owner's trash, or removes it at once. A mount only leaves its user."""
    with tree.edit():
        node = place.node
        assert node
        if place.mount:
            leave(tree, place)
            return
        former = node.parent or 0
        tree.touch(former, -node.size)
        tree.noted(node.id, former)
        owner = node.owner
        tree.database.execute("DELETE FROM shares WHERE node = ?", node.id)
        if (
            not trash
            or node.encrypted
            or place.encrypted
            or not tree.database.row("SELECT 1 FROM users WHERE uid = ?", owner)
        ):
            purge(tree, node.id)
            return
        bin_ = tree.root("trash:" + owner)
        now = int(tree.clock.now())
        while tree.database.row("SELECT 1 FROM nodes WHERE parent = ? AND name = ?", bin_.id, f"{node.name}.d{now}"):
            now += 1
        location = place.path if not place.within else node.name
        tree.database.execute(
            "UPDATE nodes SET parent = ?, name = ? WHERE id = ?", bin_.id, f"{node.name}.d{now}", node.id
        )
        tree.database.execute(
            "INSERT OR REPLACE INTO trash VALUES (?, ?, ?, ?, ?)", node.id, owner, node.name, location, now
        )


def leave(tree: Tree, place: Place) -> None:
    assert place.mount
    if not place.mount.movable:
        raise forbidden("A mount cannot be deleted")
    tree.database.execute("DELETE FROM mounts WHERE id = ?", place.mount.id)
    tree.database.execute("DELETE FROM shares WHERE id = ?", place.mount.share)
    tree.touch(place.mount.parent)
    tree.noted(place.mount.parent)


def purge(tree: Tree, number: int) -> None:
    """Removes a node, everything within it, and all that refers to it."""
    blobs: list[str] = []
    with tree.edit():
        for node in tree.below(number):
            blobs += forget(tree, node)
    tree.database.blobs.remove(blobs)


def forget(tree: Tree, node: Node) -> Iterable[str]:
    """Removes the rows about a node, and returns the blobs that nothing needs any more."""
    database = tree.database
    blobs = [row[0] for row in database.rows("SELECT blob FROM versions WHERE node = ?", node.id)]
    for table in ("properties", "favourites", "trash", "versions", "tagged", "shares"):
        database.execute(f"DELETE FROM {table} WHERE node = ?", node.id)
    for uid, parent in database.rows("SELECT uid, parent FROM mounts WHERE target = ?", node.id):
        tree.users.add(uid)
        database.execute("DELETE FROM mounts WHERE target = ? AND uid = ?", node.id, uid)
        tree.touch(parent)
    database.execute("DELETE FROM nodes WHERE id = ?", node.id)
    return [*blobs, node.blob] if node.blob else blobs


def restore(tree: Tree, user: str, node: Node) -> Place:
    """Moves a node out of the trash to its former place, beside what lies there, or to the root."""
    with tree.edit():
        found = tree.database.row("SELECT name, location FROM trash WHERE node = ?", node.id)
        name, location = found or (node.name, node.name)
        folder = tuple(location.split("/")[:-1])
        above = tree.resolve(user, folder)
        if not above.node or not above.node.folder:
            folder = ()
        target = free_name(tree, user, folder, name)
        parent = tree.parent_of(target)
        tree.database.execute("UPDATE nodes SET parent = ?, name = ? WHERE id = ?", parent.id, target.name, node.id)
        tree.database.execute("DELETE FROM trash WHERE node = ?", node.id)
        tree.touch(parent.id, node.size)
        tree.noted(node.id, parent.id)
        return tree.resolve(user, target.names)


def free_name(tree: Tree, user: str, folder: tuple[str, ...], name: str) -> Place:
    """Returns a place for a name in a folder, with "(restored)" in it where the name is taken."""
    stem, dot, extension = name.rpartition(".")
    count, candidate = 1, name
    while True:
        place = tree.resolve(user, (*folder, candidate))
        if not place.node:
            return place
        mark = " (restored)" if count == 1 else f" (restored {count})"
        candidate = stem + mark + dot + extension if stem else name + mark
        count += 1
