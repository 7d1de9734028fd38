"""Starts the server: see README.md beside this file."""

from __future__ import annotations

import argparse
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

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
    chain, key = directory / "certificate.pem", directory / "key.pem"
    if not chain.exists():
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "30",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout",
                key,
                "-out",
                chain,
            ],
            check=True,
            capture_output=True,
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
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
