"""Starts a server by others in a scratch directory, waits until it answers, and removes all of it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import random
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

# Seconds that a server has for its start, and for its end before it is killed.
START, END = 120.0, 5.0
PR_SET_PDEATHSIG = 1


class ServerError(Exception):
    """A server that cannot be started here; the message says why."""


@dataclass
class Site:
    """The room that a recipe has for its server."""

    # A directory that is removed with the server, and the one that it serves.
    scratch: Path
    files: Path
    port: int
    user: str
    password: str
    # The programs of the Python packages.
    programs: Path

    def write(self, name: str, text: str) -> Path:
        """Writes a configuration file. Only the server's user can read it, as there may be a password in it."""
        path = self.scratch / name
        path.write_text(text)
        path.chmod(0o600)
        return path

    def free_port(self) -> int:
        return free_port()


@dataclass
class Recipe:
    """The command of a server, and the address that clients use."""

    command: list[str]
    path: str = "/"
    environment: dict[str, str] = field(default_factory=dict)
    # Whether the server knows users at all.
    authenticates: bool = True
    # The certificate of a server that speaks TLS.
    certificate: Path | None = None
    # Whether the folder at the address has to be created over WebDAV.
    creates: bool = False


def free_port() -> int:
    """Returns a port that no program uses.

    It lies below the range from which the kernel takes ports for connections. A port of that range could be used by a
    connection before the server listens on it.
    """
    while True:
        port = random.randrange(15_000, 32_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


def program(*names: str) -> str:
    """Returns the path of the first of these programs that is installed; raises ServerError."""
    for name in names:
        if found := shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            return found
    raise ServerError(
        f"{names[0]} is not installed: run Scripts/install-packages clouds, then Scripts/install-python-packages"
    )


def end_with_parent() -> None:
    """Makes the kernel end this process when the one that started it dies."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class RunningServer:
    """A server while it runs: a context that ends it and removes its files."""

    def __init__(self, make: Callable[[Site], Recipe], user: str, password: str, programs: Path, port: int = 0) -> None:
        self.scratch = Path(tempfile.mkdtemp(prefix="purvey-server-"))
        self.log = self.scratch / "output"
        try:
            files = self.scratch / "files"
            files.mkdir()
            # Servers that root starts may give up its rights.
            self.scratch.chmod(0o711)
            self.site = Site(self.scratch, files, port or free_port(), user, password, programs)
            self.recipe = make(self.site)
            self.process = self.start()
        except BaseException:
            shutil.rmtree(self.scratch, ignore_errors=True)
            raise

    @property
    def url(self) -> str:
        scheme = "https" if self.recipe.certificate else "http"
        return f"{scheme}://127.0.0.1:{self.site.port}{self.recipe.path}"

    def start(self) -> subprocess.Popen[bytes]:
        environment = {
            "PATH": os.environ.get("PATH", "/usr/bin:/bin"),
            "HOME": str(self.scratch),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.scratch),
        }
        with self.log.open("wb") as output:
            try:
                return subprocess.Popen(
                    self.recipe.command,
                    cwd=self.scratch,
                    env=environment | self.recipe.environment,
                    start_new_session=True,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    preexec_fn=end_with_parent,
                )
            except OSError as failure:
                raise ServerError(f"{self.recipe.command[0]} does not start: {failure}") from None

    def wait(self) -> None:
        """Waits until the server answers; raises ServerError when it ended or does not answer in time."""
        deadline = time.monotonic() + START
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise ServerError(f"the server ended with {self.process.returncode}: {self.output()}")
            if self.answers("OPTIONS"):
                # This request cannot be repeated.
                if self.recipe.creates and not self.answers("MKCOL", START):
                    raise ServerError(f"the server does not create its folder: {self.output()}")
                return
            time.sleep(0.05)
        raise ServerError(f"the server does not answer: {self.output()}")

    def answers(self, method: str, patience: float = 5) -> bool:
        """Whether the server replies to a request on its folder, with any status but those of one that still starts."""
        try:
            with self.connect(patience) as connection:
                connection.sendall(
                    f"{method} {self.recipe.path} HTTP/1.0\r\nHost: 127.0.0.1:{self.site.port}\r\n\r\n".encode()
                )
                words = connection.recv(64).split()
                return len(words) > 1 and words[0].startswith(b"HTTP/") and int(words[1]) < 500
        except (OSError, ValueError):
            return False

    def connect(self, patience: float) -> socket.socket:
        connection = socket.create_connection(("127.0.0.1", self.site.port), timeout=patience)
        if not self.recipe.certificate:
            return connection
        context = ssl.create_default_context(cafile=str(self.recipe.certificate))
        return context.wrap_socket(connection, server_hostname="localhost")

    def output(self) -> str:
        return self.log.read_bytes()[-2000:].decode("utf-8", "replace").strip()

    def kill(self) -> None:
        """Ends the server with all processes of its session, without a warning."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        # On a busy machine, a killed process may end late.
        self.process.wait(START)

    def restart(self) -> None:
        """Starts the killed server again, at its port and with its files."""
        self.process = self.start()
        self.wait()

    def stop(self) -> None:
        """Ends the server with all processes of its session, and removes its files."""
        for number, patience in ((signal.SIGTERM, END), (signal.SIGKILL, END)):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                continue
        self.process.poll()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def __enter__(self) -> RunningServer:
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
