"""The server's state in one directory: a database, and the contents of files. Both survive a kill at any time."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from .message import STEP

SCHEMA = """
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS users (uid TEXT PRIMARY KEY, login TEXT UNIQUE, password TEXT, display TEXT, quota INTEGER);
CREATE TABLE IF NOT EXISTS tokens (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT, password TEXT UNIQUE, name TEXT, expires REAL);
CREATE TABLE IF NOT EXISTS logins (
    poll TEXT PRIMARY KEY, flow TEXT UNIQUE, name TEXT, created REAL, uid TEXT, password TEXT);
CREATE TABLE IF NOT EXISTS nodes (
    id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER, name TEXT NOT NULL, folder INTEGER NOT NULL,
    size INTEGER NOT NULL, mtime INTEGER NOT NULL,
    etag TEXT NOT NULL, mime TEXT, checksum TEXT, blob TEXT, created INTEGER, uploaded INTEGER,
    encrypted INTEGER NOT NULL DEFAULT 0, owner TEXT NOT NULL, UNIQUE (parent, name));
CREATE TABLE IF NOT EXISTS mounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT, parent INTEGER, name TEXT, target INTEGER, kind TEXT,
    rights INTEGER, share INTEGER, UNIQUE (uid, parent, name));
CREATE INDEX IF NOT EXISTS mounts_of_target ON mounts (target);
CREATE TABLE IF NOT EXISTS properties (node INTEGER, name TEXT, value TEXT, PRIMARY KEY (node, name));
CREATE TABLE IF NOT EXISTS favourites (uid TEXT, node INTEGER, PRIMARY KEY (uid, node));
CREATE TABLE IF NOT EXISTS trash (node INTEGER PRIMARY KEY, uid TEXT, name TEXT, location TEXT, deleted INTEGER);
CREATE TABLE IF NOT EXISTS versions (
    node INTEGER, stamp INTEGER, size INTEGER, blob TEXT, etag TEXT, label TEXT, PRIMARY KEY (node, stamp));
CREATE TABLE IF NOT EXISTS tags (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, visible INTEGER, assignable INTEGER,
    UNIQUE (name, visible, assignable));
CREATE TABLE IF NOT EXISTS tagged (tag INTEGER, node INTEGER, PRIMARY KEY (tag, node));
CREATE TABLE IF NOT EXISTS shares (
    id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT, node INTEGER, kind INTEGER, recipient TEXT, token TEXT,
    rights INTEGER, password TEXT, expires TEXT, label TEXT, created INTEGER);
CREATE INDEX IF NOT EXISTS shares_of_node ON shares (node);
CREATE TABLE IF NOT EXISTS uploads (
    uid TEXT, name TEXT, destination TEXT, touched REAL, assembling INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (uid, name));
CREATE TABLE IF NOT EXISTS chunks (
    uid TEXT, upload TEXT, name TEXT, size INTEGER, blob TEXT, PRIMARY KEY (uid, upload, name));
"""


class Blobs:
    """The contents of files: one file each, written once and never changed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def path(self, name: str) -> Path:
        return self.directory / name[:2] / name

    def create(self) -> str:
        """Returns the name of a new empty blob."""
        name = secrets.token_hex(16)
        self.path(name).parent.mkdir(exist_ok=True)
        self.path(name).touch()
        return name

    def write(self, pieces: Iterable[bytes]) -> tuple[str, int]:
        """Writes a new blob. Returns its name and size; a blob that was begun goes when `pieces` fails."""
        name, size = self.create(), 0
        try:
            with self.path(name).open("wb", buffering=0) as file:
                for piece in pieces:
                    file.write(piece)
                    size += len(piece)
        except BaseException:
            self.remove([name])
            raise
        return name, size

    def copy(self, name: str) -> str:
        """Returns the name of a blob with the same contents, which share their room."""
        made = secrets.token_hex(16)
        self.path(made).parent.mkdir(exist_ok=True)
        os.link(self.path(name), self.path(made))
        return made

    def pieces(self, name: str) -> Iterator[bytes]:
        with self.path(name).open("rb", buffering=0) as file:
            while piece := file.read(STEP):
                yield piece

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self.path(name).unlink(missing_ok=True)

    def sweep(self, used: set[str]) -> None:
        """Removes blobs that no row refers to: a kill left them."""
        for file in self.directory.glob("*/*"):
            if file.name not in used:
                file.unlink()


class Database:
    """The database's one connection. Its lock is the outermost: held during transactions, never during transfers."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.directory = directory
        self.lock = threading.RLock()
        self.depth = 0
        self.blobs = Blobs(directory / "blobs")
        self.open()

    def open(self) -> None:
        self.connection = sqlite3.connect(self.directory / "state.db", isolation_level=None, check_same_thread=False)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.connection.executescript(SCHEMA)
        # Assembling ended with the process that did it.
        self.connection.execute("UPDATE uploads SET assembling = 0")
        self.blobs.sweep(self.used_blobs())

    def used_blobs(self) -> set[str]:
        return {
            row[0]
            for table in ("nodes", "versions", "chunks")
            for row in self.connection.execute(f"SELECT blob FROM {table} WHERE blob IS NOT NULL")
        }

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Holds the lock for a transaction, which is part of the one around it if there is one."""
        with self.lock:
            if self.depth == 0:
                self.connection.execute("BEGIN IMMEDIATE")
            self.depth += 1
            try:
                yield self.connection
            except BaseException:
                self.depth -= 1
                if self.depth == 0:
                    self.connection.execute("ROLLBACK")
                raise
            self.depth -= 1
            if self.depth == 0:
                self.connection.execute("COMMIT")

    def rows(self, sql: str, *values: object) -> list[tuple]:
        with self.lock:
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, *values: object) -> tuple | None:
        with self.lock:
            return self.connection.execute(sql, values).fetchone()

    def execute(self, sql: str, *values: object) -> int:
        """Carries out a statement. Returns the number of rows that it changed."""
        with self.lock:
            return self.connection.execute(sql, values).rowcount

    def insert(self, sql: str, *values: object) -> int:
        """Inserts a row and returns its number."""
        with self.lock:
            return self.connection.execute(sql, values).lastrowid or 0

    def setting(self, name: str, default: object) -> object:
        found = self.row("SELECT value FROM settings WHERE name = ?", name)
        return json.loads(found[0]) if found else default

    def set(self, name: str, value: object) -> None:
        self.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", name, json.dumps(value))

    def back_up(self, name: str) -> None:
        """Copies the state as it is now; contents are shared with it, as blobs never change."""
        copy = self.directory / "backups" / name
        shutil.rmtree(copy, ignore_errors=True)
        copy.mkdir(parents=True)
        with self.lock:
            with sqlite3.connect(copy / "state.db") as target:
                self.connection.backup(target)
            target.close()
            for blob in self.used_blobs():
                (copy / "blobs" / blob[:2]).mkdir(parents=True, exist_ok=True)
                os.link(self.blobs.path(blob), copy / "blobs" / blob[:2] / blob)

    def restore(self, name: str) -> None:
        """Brings back the state of a backup, as an administrator does who then changes the data fingerprint."""
        copy = self.directory / "backups" / name
        with self.lock:
            for blob in copy.glob("blobs/*/*"):
                target = self.blobs.path(blob.name)
                target.parent.mkdir(exist_ok=True)
                if not target.exists():
                    os.link(blob, target)
            source = sqlite3.connect(copy / "state.db")
            source.backup(self.connection)
            source.close()
            self.set("data-fingerprint", f"{time.time_ns():x}")
