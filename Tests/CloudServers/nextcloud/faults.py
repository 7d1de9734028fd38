"""Faults that tests order: for which requests, and what goes wrong with them."""

from __future__ import annotations

import re
import threading
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from typing import Any

from .message import FileSlice, Request, Response

LOGIN_PAGE = (
    '<!DOCTYPE html>\n<html><head><title>Nextcloud</title></head><body id="body-login">'
    '<form method="post" name="login"><input name="user"><input name="password"></form></body></html>\n'
)
# Servers have prefixes of their own.
ETAG = re.compile(rb"(<\w+:getetag>)(?:&quot;|\")?[^<]*(</\w+:getetag>)")
LENGTH = re.compile(rb"(<\w+:getcontentlength>)(\d+)(</\w+:getcontentlength>)")
SIZE = re.compile(rb"(<oc:size>)(\d+)(</oc:size>)")


@dataclass
class Fault:
    """One rule. Its fields are the names in the JSON of the control address."""

    # Regular expressions for the whole method, and for a part of the path.
    method: str = ".*"
    path: str = ""
    user: str = ""
    # Requests that pass before the fault applies, and those that it applies to; -1 is all.
    skip: int = 0
    times: int = 1
    # Seconds before the request is carried out, and before its reply is sent.
    delay: float = 0
    delay_reply: float = 0
    # The connection is reset "before" the request is carried out, or "after" it.
    drop: str = ""
    # The request waits "before" it is carried out, or its reply "after" it, until the rules are cleared.
    hold: str = ""
    # A reply instead of carrying it out: a status with headers and a body, a login page, or a redirect to one.
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    retry_after: int = -1
    body: str | None = None
    html: bool = False
    redirect: str = ""
    # Ends the application passwords of the request's user first.
    expire: bool = False
    # Changes of the reply: bytes after which the connection ends, bytes that Content-Length is wrong by, sizes that are
    # wrong by so much, another ETag, replacements within the body, made-up entries of a multistatus; half of the body as
    # if it were all of it; bytes of the body that are sent in a second.
    cut: int | None = None
    extra_length: int = 0
    size: int = 0
    etag: str | None = None
    replace: list[list[str]] = field(default_factory=list)
    entries: int = 0
    halve: bool = False
    rate: int = 0

    def matches(self, request: Request, user: str) -> bool:
        return bool(
            re.fullmatch(self.method, request.method) and re.search(self.path, request.path) and self.user in ("", user)
        )

    def instead(self) -> Response | None:
        """Returns the reply that comes in place of carrying the request out."""
        if self.redirect:
            return Response(302, {"Location": self.redirect} | self.headers)
        if self.html:
            return Response(
                self.status or 200, {"Content-Type": "text/html; charset=UTF-8"} | self.headers, LOGIN_PAGE.encode()
            )
        if not self.status and self.body is None:
            return None
        headers = {"Content-Type": "application/xml; charset=utf-8"} | self.headers
        if self.retry_after >= 0:
            headers["Retry-After"] = str(self.retry_after)
        return Response(self.status or 207, headers, (self.body or "").encode())

    def change(self, response: Response) -> None:
        """Changes a reply before it is sent."""
        if self.etag is not None:
            for name in ("ETag", "OC-ETag"):
                if name in response.headers:
                    response.headers[name] = f'"{self.etag}"'
        if isinstance(response.body, FileSlice) and self.halve:
            response.body.length //= 2
        if not isinstance(response.body, bytes):
            return
        body = response.body
        if self.halve:
            body = body[: len(body) // 2]
        if self.etag is not None:
            body = ETAG.sub(rb"\1&quot;" + self.etag.encode() + rb"&quot;\2", body)
        if self.size:
            for pattern in (LENGTH, SIZE):
                body = pattern.sub(
                    lambda found: found[1] + str(max(0, int(found[2]) + self.size)).encode() + found[3], body
                )
        for pattern_, replacement in self.replace:
            body = re.sub(pattern_.encode(), replacement.encode(), body)
        if self.entries:
            body = body.replace(b"</d:multistatus>", self.made_up() + b"</d:multistatus>")
        response.body = body

    def made_up(self) -> bytes:
        return b"".join(
            b"<d:response><d:href>/remote.php/dav/files/made-up/%d</d:href>"
            b"<d:propstat><d:prop><d:getetag>&quot;%d&quot;"
            b"</d:getetag><d:getcontentlength>1</d:getcontentlength><d:resourcetype/></d:prop>"
            b"<d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>" % (index, index)
            for index in range(self.entries)
        )


class Faults:
    """The rules in force, and a record of requests. Leaf lock."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.rules: list[Fault] = []
        # Set when the rules are cleared, and replaced by another then.
        self.cleared = threading.Event()
        self.held = 0
        self.requests: deque[dict[str, Any]] = deque(maxlen=200_000)
        # The requests that a fault delays at the moment, by method.
        self.delayed: Counter[str] = Counter()

    def add(self, values: dict[str, Any]) -> None:
        """Adds a rule; raises ValueError for a field that rules do not have."""
        unknown = set(values) - {each.name for each in fields(Fault)}
        if unknown:
            raise ValueError(f"no such field: {', '.join(sorted(unknown))}")
        with self.lock:
            self.rules.append(Fault(**values))

    def clear(self) -> None:
        with self.lock:
            self.rules.clear()
            self.cleared.set()
            self.cleared = threading.Event()

    def hold(self) -> None:
        """Waits until the rules are cleared."""
        with self.lock:
            self.held += 1
            cleared = self.cleared
        cleared.wait()
        with self.lock:
            self.held -= 1

    def take(self, request: Request, user: str) -> Fault | None:
        """Returns the first rule that applies to a request, and counts it."""
        with self.lock:
            for rule in self.rules:
                if rule.times == 0 or not rule.matches(request, user):
                    continue
                if rule.skip > 0:
                    rule.skip -= 1
                    continue
                rule.times -= rule.times > 0
                return rule
        return None

    @contextmanager
    def waiting(self, request: Request) -> Iterator[None]:
        """Counts a request as delayed."""
        with self.lock:
            self.delayed[request.method] += 1
        try:
            yield
        finally:
            with self.lock:
                self.delayed[request.method] -= 1

    def record(self, request: Request, response: Response | None, received: int, seconds: float) -> None:
        """Notes a request and how it ended; without a response, the connection broke."""
        body = response.body if response else b""
        sent = len(body) if isinstance(body, bytes) else body.length if isinstance(body, FileSlice) else -1
        with self.lock:
            self.requests.append(
                {
                    "method": request.method,
                    "path": request.path,
                    "user": request.user,
                    "received": received,
                    "sent": sent,
                    "status": response.status if response else 0,
                    "seconds": round(seconds, 4),
                    "headers": dict(request.headers),
                }
            )

    def taken(self, forget: bool) -> list[dict[str, Any]]:
        with self.lock:
            found = list(self.requests)
            if forget:
                self.requests.clear()
            return found
