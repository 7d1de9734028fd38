"""Another client of a server: reads and changes what is there, without conditions and locks."""

from __future__ import annotations

import time
import xml.etree.ElementTree as ElementTree
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import (
    HTTPBasicAuthHandler,
    HTTPDigestAuthHandler,
    HTTPPasswordMgrWithDefaultRealm,
    OpenerDirector,
    ProxyHandler,
    Request,
    build_opener,
)

D = "{DAV:}"
# Seconds for one reply.
REPLY = 120
# Seconds for which a change of a locked file is repeated.
LOCKED = 60


class OtherClient:
    """A client of the folder at an address, which ends with a slash. Paths are relative to it."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self.url, self.user, self.password = url, user, password
        # Of each thread's own, because the handlers of sign-ins count refusals.
        self.opener = self.new_opener()

    def new_opener(self) -> OpenerDirector:
        passwords = HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, self.url, self.user, self.password)
        return build_opener(ProxyHandler({}), HTTPDigestAuthHandler(passwords), HTTPBasicAuthHandler(passwords))

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> bytes:
        """Returns the body of the reply; raises OSError for a refusal. Waits while another client has a lock."""
        limit = time.monotonic() + LOCKED
        while True:
            request = Request(self.url + quote(path), body, headers, method=method)
            try:
                with self.opener.open(request, timeout=REPLY) as reply:
                    data: bytes = reply.read()
                    return data
            except HTTPError as failure:
                if failure.code != 423 or time.monotonic() > limit:
                    raise
                time.sleep(0.1)

    def put(self, path: str, contents: bytes) -> None:
        self.request("PUT", path, contents)

    def get(self, path: str) -> bytes:
        return self.request("GET", path)

    def make_folder(self, path: str) -> None:
        self.request("MKCOL", path + "/")

    def remove(self, path: str) -> None:
        """Removes a file, or a folder with all in it, which some servers only remove when it is empty."""
        kind = self.list(path, depth="0").get("")
        if kind:
            for name in self.list(path):
                self.remove(f"{path}/{name}")
        self.request("DELETE", path + ("/" if kind else ""))

    def move(self, path: str, target: str) -> None:
        slash = "/" if self.list(path, depth="0").get("") else ""
        self.request("MOVE", path + slash, Destination=self.url + quote(target) + slash, Overwrite="F")

    def list(self, path: str, depth: str = "1") -> dict[str, bool]:
        """Returns the names in a folder, and whether each is a folder; with depth 0, what lies at the path itself."""
        base = self.url + quote(path)
        if depth == "1" and not base.endswith("/"):
            base += "/"
        own = unquote(urlsplit(base).path).rstrip("/")
        found: dict[str, bool] = {}
        for entry in self.multistatus(base, depth).findall(D + "response"):
            address = unquote(urlsplit(entry.findtext(D + "href", "")).path).rstrip("/")
            is_folder = entry.find(f"{D}propstat/{D}prop/{D}resourcetype/{D}collection") is not None
            if depth == "0" and address == own:
                found[""] = is_folder
            elif depth == "1" and address != own:
                found[address.rpartition("/")[2]] = is_folder
        return found

    def multistatus(self, address: str, depth: str) -> ElementTree.Element:
        """Returns the reply about an address; asks again where it is no XML, as with rclone while files change."""
        for attempt in range(5):
            request = Request(address, headers={"Depth": depth}, method="PROPFIND")
            with self.opener.open(request, timeout=REPLY) as reply:
                try:
                    return ElementTree.fromstring(reply.read())
                except ElementTree.ParseError:
                    if attempt == 4:
                        raise
        raise AssertionError

    def tree(self, path: str = "") -> dict[str, str | None]:
        """Returns the contents of files by their paths, as Latin 1, and nothing for folders."""
        found: dict[str, str | None] = {}
        for name, is_folder in self.list(path).items():
            inner = f"{path}/{name}" if path else name
            try:
                found[inner] = None if is_folder else self.get(inner).decode("latin-1")
                if is_folder:
                    found |= self.tree(inner)
            except HTTPError as failure:
                # Removed or moved between the listing and this request.
                if failure.code != 404:
                    raise
                found.pop(inner, None)
        return found
