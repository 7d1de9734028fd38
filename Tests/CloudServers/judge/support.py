"""Running servers, clients and requests, for the tests."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

FOLDER = Path(__file__).resolve().parents[1]
PROGRAMS = FOLDER.parents[1] / ".build/clouds/bin"
# Seconds for one run of a client, and for one reply.
CLIENT, REPLY = 180, 60
D, OC, NC = "{DAV:}", "{http://owncloud.org/ns}", "{http://nextcloud.org/ns}"
DECLARED = 'xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns" xmlns:nc="http://nextcloud.org/ns"'


def program(test: unittest.TestCase, name: str) -> str:
    """Returns the path of a program; skips the test without it, and fails it where CI is set."""
    found = shutil.which(name, path=f"{PROGRAMS}:{os.environ.get('PATH', '')}:/usr/sbin")
    if not found and os.environ.get("CI"):
        test.fail(f"{name} is not installed")
    if not found:
        test.skipTest(f"{name} is not installed: Scripts/install-packages clouds, Scripts/install-python-packages")
    return found or ""


class Reply:
    """A reply with its whole body."""

    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    @property
    def etag(self) -> str:
        return self.headers["ETag"] or ""

    def json(self) -> Any:
        return json.loads(self.body)

    def entries(self) -> dict[str, dict[str, ElementTree.Element]]:
        """Returns the properties that exist, by tag and by the address of what has them."""
        found = {}
        for response in ElementTree.fromstring(self.body).findall(D + "response"):
            values: dict[str, ElementTree.Element] = {}
            for group in response.findall(D + "propstat"):
                if " 200 " in group.findtext(D + "status", ""):
                    values |= {each.tag: each for each in group.find(D + "prop") or []}
            found[response.findtext(D + "href", "")] = values
        return found

    def property(self, tag: str) -> str | None:
        """Returns the text of a property of the first entry."""
        value = next(iter(self.entries().values())).get(tag)
        return None if value is None else value.text or ""


class Nextcloud:
    """The Nextcloud of this folder in a process of its own, with a user alice."""

    def __init__(self, *options: str, directory: Path | None = None) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="purvey-judge-"))
        self.directory = directory or self.scratch / "state"
        self.options = options
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [FOLDER / "serve", "nextcloud", "--directory", self.directory, *self.options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout
        self.url = self.process.stdout.readline().strip()

    def kill(self) -> None:
        """Ends the process without a warning."""
        self.process.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream:
                stream.close()
        self.process.wait(REPLY)

    def stop(self) -> None:
        self.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def control(self, action: str, **values: object) -> Any:
        """Carries out an action for tests and returns its result."""
        reply = self.request("POST", f"/-/{action}", json.dumps(values).encode())
        if reply.status != 200:
            raise AssertionError(f"{action}: {reply.status} {reply.body.decode()}")
        return reply.json()

    def request(
        self,
        method: str,
        path: str,
        body: bytes | str = b"",
        *,
        user: str = "alice",
        password: str = "secret",
        **headers: str,
    ) -> Reply:
        """Sends a request. A path without a leading slash lies among the user's files; underscores in the names of
        headers are hyphens."""
        address = urlsplit(self.url)
        if not path.startswith("/"):
            path = f"/remote.php/dav/files/{user}/{quote(path)}"
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if user:
            fields["Authorization"] = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=REPLY)
        try:
            connection.request(method, path, body.encode() if isinstance(body, str) else body, fields)
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def propfind(self, path: str, *tags: str, depth: str = "0", user: str = "alice") -> Reply:
        """Asks for properties, whose names have the prefixes d, oc and nc."""
        props = "".join(f"<{tag}/>" for tag in tags)
        return self.request(
            "PROPFIND", path, f"<d:propfind {DECLARED}><d:prop>{props}</d:prop></d:propfind>", user=user, Depth=depth
        )

    def address(self, path: str, user: str = "alice") -> str:
        return f"{self.url}/remote.php/dav/files/{user}/{quote(path)}"


class CloudCase(unittest.TestCase):
    """Tests that have a server of their own, and a directory for files."""

    options: tuple[str, ...] = ()

    def setUp(self) -> None:
        self.cloud = Nextcloud(*self.options)
        self.addCleanup(self.cloud.stop)
        self.scratch = Path(tempfile.mkdtemp(prefix="purvey-judge-"))
        self.addCleanup(shutil.rmtree, self.scratch, True)

    def folder(self, name: str) -> Path:
        path = self.scratch / name
        path.mkdir(parents=True, exist_ok=True)
        return path

    def run_client(self, *command: str | Path, environment: dict[str, str] | None = None, fails: bool = False) -> str:
        """Runs a client with a home directory of its own and returns its output; fails the test when it fails."""
        home = self.folder("home")
        ended = subprocess.run(
            command,
            cwd=self.scratch,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=CLIENT,
            env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
            | (environment or {}),
        )
        output = ended.stdout.decode("utf-8", "replace")
        if (ended.returncode != 0) != fails:
            self.fail(f"{command[0]} ended with {ended.returncode}:\n{output[-6000:]}")
        return output

    def requests(self) -> list[dict[str, Any]]:
        """Returns the requests since the last call."""
        return self.cloud.control("requests", forget=True)["requests"]


def contents(folder: Path) -> dict[str, bytes | None]:
    """Returns the files of a tree with their bytes, and its folders with nothing, without clients' own databases."""
    found: dict[str, bytes | None] = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if not path.name.startswith((".sync_", "._sync", ".owncloudsync")):
            found[name] = None if path.is_dir() else path.read_bytes()
    return found
