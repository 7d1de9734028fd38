"""Starts the server: see Tests/CloudServers/README.md."""

from __future__ import annotations

import argparse
import signal
import ssl
import sys
import tempfile
import threading
from pathlib import Path

from certificates import make_certificate

from .cloud import Cloud
from .router import Router
from .server import Server


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="nextcloud", description="A small Nextcloud for tests, on the loopback address."
    )
    parser.add_argument(
        "--directory", type=Path, help="where the state lies; without it, in a directory that is removed"
    )
    parser.add_argument("--port", type=int, default=0, help="a free one by default")
    parser.add_argument("--user", default="alice")
    parser.add_argument("--password", default="secret")
    parser.add_argument(
        "--tls", action="store_true", help="with a certificate that it signs itself, DIRECTORY/certificate.pem"
    )
    return parser.parse_args()


def certificate(directory: Path) -> ssl.SSLContext:
    """Returns a context with the certificate of the directory, which is made at first use."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*make_certificate(directory))
    return context


def main() -> None:
    """Serves until standard input closes; the address is the first line of output."""
    options = arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with tempfile.TemporaryDirectory(prefix="nextcloud-") as scratch:
        directory = options.directory or Path(scratch)
        cloud = Cloud(directory)
        if not cloud.accounts.user(options.user):
            cloud.accounts.add(options.user, options.password)
        server = Server(Router(cloud), options.port, certificate(directory) if options.tls else None)
        threading.Thread(target=server.run, daemon=True).start()
        print(server.url, flush=True)
        sys.stdin.buffer.read()


if __name__ == "__main__":
    main()
