"""Certificates that sign themselves, for servers on the loopback address."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificate(directory: Path) -> tuple[Path, Path]:
    """Returns the paths of a certificate and its key in a directory, which are made where they are missing."""
    chain, key = directory / "certificate.pem", directory / "key.pem"
    if not chain.exists():
        subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", *subject]
            + ["-keyout", str(key), "-out", str(chain)],
            check=True,
            capture_output=True,
        )
    return chain, key
