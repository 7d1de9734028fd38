"""The rules for names of files: normal form, forbidden characters, names and endings."""

from __future__ import annotations

import unicodedata

from .message import DavError

FORBIDDEN_CHARACTERS = ("\\", "/")
FORBIDDEN_NAMES = (".htaccess",)
FORBIDDEN_EXTENSIONS = (".filepart", ".part")
LONGEST_NAME = 250


def invalid(message: str) -> DavError:
    return DavError(400, "OCA\\DAV\\Connector\\Sabre\\Exception\\InvalidPath", message)


def normalized(path: str) -> str:
    """Returns the path in normal form C, as the server stores and finds it."""
    return path if path.isascii() else unicodedata.normalize("NFC", path)


def split(path: str) -> tuple[str, ...]:
    """Returns the names of a path in normal form; empty ones do not count."""
    return tuple(name for name in normalized(path).split("/") if name)


def check(name: str) -> None:
    """Raises an error for a name that no new file may have."""
    if not name.strip():
        raise invalid("Empty filename is not allowed")
    if name in (".", ".."):
        raise invalid("Dot files are not allowed")
    if len(name) > LONGEST_NAME or len(name.encode()) > 255:
        raise invalid("Filename is too long")
    for character in name:
        if ord(character) < 32 or character in FORBIDDEN_CHARACTERS:
            shown = character if ord(character) >= 32 else ""
            raise invalid(
                f'"{shown}" is not allowed inside a filename.' if shown else "Filename contains an invalid character"
            )
    if name.lower() in FORBIDDEN_NAMES:
        raise invalid(f'"{name}" is a forbidden file or folder name.')
    for extension in FORBIDDEN_EXTENSIONS:
        if name.lower().endswith(extension):
            raise invalid(f'"{extension}" is a forbidden file type.')
