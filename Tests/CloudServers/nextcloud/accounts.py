"""Users, application passwords, and the throttling of wrong passwords."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections import deque
from dataclasses import dataclass

from .clock import Clock
from .database import Database
from .message import DavError, Request

CHALLENGE = {"WWW-Authenticate": 'Basic realm="Nextcloud", charset="UTF-8"'}
# Wrong passwords within this many seconds, after which all requests are refused.
THROTTLE_PERIOD = 1800
MOST_FAILURES = 10
ALPHABET = "abcdefghijkmnopqrstwxyzABCDEFGHJKLMNPQRSTWXYZ23456789"
UNLIMITED = -3


@dataclass
class User:
    uid: str
    login: str
    display: str
    # Bytes, or UNLIMITED.
    quota: int


def digest(password: str) -> str:
    return hashlib.sha256(b"nextcloud" + password.encode()).hexdigest()


class Accounts:
    """The users of the server. A user's login may differ from the name in addresses, the uid."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self.database = database
        self.clock = clock
        self.failures: deque[float] = deque()

    def add(self, uid: str, password: str, login: str = "", display: str = "", quota: int = UNLIMITED) -> None:
        self.database.execute(
            "INSERT INTO users VALUES (?, ?, ?, ?, ?) ON CONFLICT (uid) DO UPDATE SET login = excluded.login, "
            "password = excluded.password, quota = excluded.quota",
            uid,
            login or uid,
            digest(password),
            display or uid,
            quota,
        )

    def user(self, name: str) -> User | None:
        """Returns the user with this uid or login."""
        found = self.database.row("SELECT uid, login, display, quota FROM users WHERE uid = ? OR login = ?", name, name)
        return User(*found) if found else None

    def names(self) -> list[str]:
        return [row[0] for row in self.database.rows("SELECT uid FROM users ORDER BY uid")]

    def issue(self, uid: str, name: str) -> str:
        """Returns a new application password."""
        password = "".join(secrets.choice(ALPHABET) for _ in range(72))
        self.database.execute("INSERT INTO tokens (uid, password, name) VALUES (?, ?, ?)", uid, digest(password), name)
        return password

    def revoke(self, token: int) -> None:
        self.database.execute("DELETE FROM tokens WHERE id = ?", token)

    def expire(self, uid: str) -> None:
        """Ends all application passwords of a user at once."""
        self.database.execute("UPDATE tokens SET expires = ? WHERE uid = ?", self.clock.now(), uid)

    def verify(self, name: str, password: str) -> tuple[User, int] | None:
        """Returns the user and the number of the application password, 0 for the account's own."""
        hashed = digest(password)
        token = self.database.row("SELECT id, uid, expires FROM tokens WHERE password = ?", hashed)
        if token and (token[2] is None or token[2] > self.clock.now()):
            user = self.user(token[1])
            if user and (not name or name in (user.uid, user.login)):
                return user, token[0]
        user = self.user(name)
        own = user and self.database.row("SELECT 1 FROM users WHERE uid = ? AND password = ?", user.uid, hashed)
        return (user, 0) if user and own else None

    def authenticate(self, request: Request) -> User:
        """Returns the user of a request and notes it there; raises 401, or 429 after too many wrong passwords."""
        now = self.clock.now()
        while self.failures and not now - THROTTLE_PERIOD < self.failures[0] <= now:
            self.failures.popleft()
        kind, _, value = request.header("authorization").partition(" ")
        if not value:
            raise DavError(
                401,
                "NotAuthenticated",
                "No 'Authorization: Basic' header found. Either the client didn't send "
                "one, or the server is misconfigured",
                CHALLENGE,
            )
        if len(self.failures) >= MOST_FAILURES:
            raise DavError(429, "OCA\\DAV\\Connector\\Sabre\\Exception\\TooManyRequests", "Reached maximum delay")
        found = self.verify(*credentials(kind, value))
        if not found:
            self.failures.append(now)
            raise DavError(
                401,
                "NotAuthenticated",
                "Cannot authenticate over ajax calls"
                if request.header("x-requested-with")
                else "Username or password was incorrect",
                CHALLENGE,
            )
        request.user, request.token = found[0].uid, found[1]
        return found[0]


def credentials(kind: str, value: str) -> tuple[str, str]:
    """Returns the name and password of an Authorization header; the name is empty with a bearer token."""
    if kind.lower() == "bearer":
        return "", value.strip()
    try:
        name, _, password = base64.b64decode(value.strip()).decode().partition(":")
    except ValueError:
        return "", ""
    return name, password
