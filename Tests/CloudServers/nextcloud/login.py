"""Login flow v2: a client opens a page for the user, and polls until the user granted it an application password."""

from __future__ import annotations

import secrets
from html import escape

from .cloud import Cloud
from .message import Request, Response

# Seconds after which a login that was begun is gone.
LIFETIME = 1200
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Nextcloud</title></head><body>
<h1>Connect to your account</h1>
<p>Please log in before granting “{name}” access to your Nextcloud account.</p>
<form method="post" action="/index.php/login/v2/grant">
<input type="hidden" name="token" value="{flow}">
<label>Account name <input name="user"></label>
<label>Password <input name="password" type="password"></label>
<button>Grant access</button>
</form></body></html>
"""
DONE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Nextcloud</title></head><body>
<h1>Account connected</h1><p>Your client should now be connected! You can close this window.</p></body></html>
"""
REFUSED = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Nextcloud</title></head><body>
<h1>Access forbidden</h1><p>{reason}</p></body></html>
"""
HTML = "text/html; charset=UTF-8"


class LoginFlow:
    """The logins that clients have begun. Granting needs one request with token, user and password."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.database = cloud.database

    def handle(self, request: Request) -> Response:
        self.database.execute("DELETE FROM logins WHERE created < ?", self.cloud.clock.now() - LIFETIME)
        path = request.path.removeprefix("/index.php").rstrip("/")
        if path == "/login/v2" and request.method == "POST":
            return self.begin(request)
        if path == "/login/v2/poll" and request.method == "POST":
            return self.poll(request)
        if path.startswith("/login/v2/flow/") and request.method in ("GET", "HEAD"):
            return self.page(path.rpartition("/")[2])
        if path == "/login/v2/grant" and request.method == "POST":
            return self.grant(request)
        return Response.text(405, REFUSED.format(reason="Method not allowed"), HTML)

    def begin(self, request: Request) -> Response:
        poll, flow = secrets.token_hex(64), secrets.token_hex(64)
        self.database.execute(
            "INSERT INTO logins (poll, flow, name, created) VALUES (?, ?, ?, ?)",
            poll,
            flow,
            request.header("user-agent", "unknown"),
            self.cloud.clock.now(),
        )
        return Response.json(
            200,
            {
                "poll": {"token": poll, "endpoint": request.origin + "/login/v2/poll"},
                "login": f"{request.origin}/login/v2/flow/{flow}",
            },
        )

    def poll(self, request: Request) -> Response:
        """Returns the password once after it was granted, and 404 before and afterwards."""
        token = request.form().get("token", "")
        row = self.database.row("SELECT uid, password FROM logins WHERE poll = ? AND uid IS NOT NULL", token)
        if not row:
            return Response.json(404, [])
        self.database.execute("DELETE FROM logins WHERE poll = ?", token)
        account = self.cloud.accounts.user(row[0])
        return Response.json(
            200, {"server": request.origin, "loginName": account.login if account else row[0], "appPassword": row[1]}
        )

    def page(self, flow: str) -> Response:
        row = self.database.row("SELECT name FROM logins WHERE flow = ?", flow)
        if not row:
            return Response.text(403, REFUSED.format(reason="Your login token is invalid or has expired"), HTML)
        return Response.text(200, PAGE.format(name=escape(row[0]), flow=escape(flow)), HTML)

    def grant(self, request: Request) -> Response:
        form = request.form()
        row = self.database.row("SELECT name FROM logins WHERE flow = ?", form.get("token", ""))
        if not row:
            return Response.text(403, REFUSED.format(reason="Your login token is invalid or has expired"), HTML)
        found = self.cloud.accounts.verify(form.get("user", ""), form.get("password", ""))
        if not found:
            return Response.text(403, REFUSED.format(reason="Wrong login or password."), HTML)
        password = self.cloud.accounts.issue(found[0].uid, row[0])
        self.database.execute(
            "UPDATE logins SET uid = ?, password = ? WHERE flow = ?", found[0].uid, password, form["token"]
        )
        return Response.text(200, DONE, HTML)
