"""Which part of the server carries a request out, and which requests need a user."""

from __future__ import annotations

from . import ocs
from .bulk import bulk
from .cloud import Cloud
from .connection import Connection
from .control import Control
from .davxml import DAV, Multistatus, encoded, parse, wanted
from .faults import Faults
from .files import CLASSES, Files
from .login import HTML, REFUSED, LoginFlow
from .message import DavError, FileSlice, Request, Response, forbidden, not_found
from .previews import preview
from .push import Push
from .search import search
from .tags import RELATIONS, TAGS, Tags
from .trash import Trash
from .uploads import Uploads
from .versions import Versions

DAV_ROOT, WEBDAV = "/remote.php/dav", "/remote.php/webdav"
SOCKET = "/push/ws"


class Router:
    """The addresses of one server."""

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud
        self.push = Push(cloud)
        self.control = Control(self)
        self.login = LoginFlow(cloud)

    @property
    def faults(self) -> Faults:
        return self.cloud.faults

    def takes_over(self, connection: Connection, request: Request) -> bool:
        """Serves a WebSocket until it ends. Returns whether the request is for one."""
        if request.path != SOCKET:
            return False
        connection.sock.settimeout(None)
        self.push.serve(connection, request)
        return True

    def expire(self, user: str) -> None:
        self.cloud.accounts.expire(user)

    def handle(self, request: Request) -> Response:
        """Returns the reply to a request; failures become replies."""
        try:
            return self.route(request)
        except DavError as failure:
            return failure.response()

    def route(self, request: Request) -> Response:
        path = request.path
        if path.startswith("/-/"):
            return self.control.handle(request)
        maintenance = bool(self.cloud.setting("maintenance", False))
        if path == "/status.php":
            return Response.json(
                200,
                {
                    "installed": True,
                    "maintenance": maintenance,
                    "needsDbUpgrade": False,
                    "version": self.cloud.version + ".1",
                    "versionstring": self.cloud.version,
                    "edition": "",
                    "productname": "Nextcloud",
                    "extendedSupport": False,
                },
            )
        if maintenance:
            raise DavError(
                503,
                "ServiceUnavailable",
                "System in maintenance mode.",
                {"X-Nextcloud-Maintenance-Mode": "1", "Retry-After": "120"},
            )
        if path.startswith((DAV_ROOT, WEBDAV)):
            self.cloud.accounts.authenticate(request)
            return self.dav(request)
        if path.startswith(("/ocs/v1.php", "/ocs/v2.php")):
            return self.ocs(request)
        return self.page(request, path.removeprefix("/index.php"))

    def dav(self, request: Request) -> Response:
        path, user = request.path, request.user
        if path == WEBDAV or path.startswith(WEBDAV + "/"):
            return Files(self.cloud, WEBDAV + "/", user).handle(request, path[len(WEBDAV) :])
        if path.startswith(TAGS) or path + "/" == TAGS:
            return Tags(self.cloud).handle_tags(request, path[len(TAGS) :])
        if path.startswith(RELATIONS):
            return Tags(self.cloud).handle_relations(request, path[len(RELATIONS) :])
        kind, _, rest = path[len(DAV_ROOT) :].strip("/").partition("/")
        if kind == "bulk" and request.method == "POST":
            return bulk(self.cloud, request)
        if kind in ("files", "uploads", "trashbin", "versions"):
            owner, _, rest = rest.partition("/")
            if owner != user:
                raise not_found(path)
            if kind == "files":
                return Files(self.cloud, f"{DAV_ROOT}/files/{encoded(user)}/", user).handle(request, rest)
            if kind == "uploads":
                return Uploads(self.cloud, user).handle(request, rest)
            handler = Trash(self.cloud, user) if kind == "trashbin" else Versions(self.cloud, user)
            return handler.handle(request, rest)
        if kind == "" or kind == "principals":
            return self.top(request)
        raise not_found(path)

    def top(self, request: Request) -> Response:
        """Answers on the root of all DAV, and on principals."""
        if request.method == "OPTIONS":
            return Response(
                200,
                {"DAV": CLASSES, "Allow": "OPTIONS, GET, HEAD, PROPFIND, REPORT, SEARCH", "DASL": "<DAV:basicsearch>"},
            )
        if request.method == "SEARCH":
            return search(self.cloud, request)
        if request.method != "PROPFIND":
            raise forbidden("Permission denied")
        principal = f"<d:href>{DAV_ROOT}/principals/users/{encoded(request.user)}/</d:href>"
        values = {f"{{{DAV}}}resourcetype": "<d:collection/>", f"{{{DAV}}}current-user-principal": principal}
        properties = wanted(parse(request)) or list(values)
        status = Multistatus()
        status.add(
            encoded(request.path),
            [(tag, values[tag]) for tag in properties if tag in values],
            [tag for tag in properties if tag not in values],
        )
        return status.response()

    def ocs(self, request: Request) -> Response:
        if request.header("authorization"):
            try:
                self.cloud.accounts.authenticate(request)
            except DavError as failure:
                if failure.status != 401:
                    raise
                return ocs.envelope(request, [], 997, "Current user is not logged in")
        return ocs.handle(self.cloud, request)

    def page(self, request: Request, path: str) -> Response:
        if path.startswith("/login/v2"):
            return self.login.handle(request)
        if path == "/204":
            return Response(204)
        if path in ("/core/wipe/check", "/core/wipe/success"):
            return Response.json(404, [])
        if path.startswith("/s/"):
            return self.link(path.split("/")[2])
        if path in ("/core/preview", "/core/preview.png", "/apps/notify_push/pre_auth"):
            self.cloud.accounts.authenticate(request)
            return self.push.pre_auth(request) if path.endswith("pre_auth") else preview(self.cloud, request)
        return Response.text(404, REFUSED.format(reason="Page not found"), HTML)

    def link(self, token: str) -> Response:
        """Sends the file that a link shares."""
        row = self.cloud.database.row("SELECT node FROM shares WHERE token = ?", token)
        node = self.cloud.tree.get(row[0]) if row else None
        if not node or not node.blob:
            return Response.text(
                404, REFUSED.format(reason="This share does not exist or is no longer available"), HTML
            )
        file = self.cloud.database.blobs.path(node.blob).open("rb")
        return Response(200, {"Content-Type": node.mime}, FileSlice(file, 0, node.size))
