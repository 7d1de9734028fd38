"""The OCS interface: capabilities, the user, application passwords; shares are in shares.py."""

from __future__ import annotations

from xml.sax.saxutils import escape

from . import names
from .cloud import Cloud
from .message import Request, Response
from .shares import OCSError, Shares


def as_xml(value: object) -> str:
    """Returns a value in the form of OCS: lists as elements, true as 1."""
    if isinstance(value, dict):
        return "".join(f"<{name}>{as_xml(each)}</{name}>" for name, each in value.items())
    if isinstance(value, list):
        return "".join(f"<element>{as_xml(each)}</element>" for each in value)
    if value is None or value is False:
        return ""
    return "1" if value is True else escape(str(value))


def envelope(request: Request, data: object, code: int = 200, message: str = "OK") -> Response:
    """Returns a reply in the form that the client wants. Version 1 has 100 for success, and 200 as HTTP status."""
    first = request.path.startswith("/ocs/v1.php")
    meta = {
        "status": "ok" if code == 200 else "failure",
        "statuscode": 100 if first and code == 200 else code,
        "message": message,
    }
    status = code if not first or code in (401, 412) else 200
    status = {997: 401, 998: 404, 404: 404}.get(code, status) if not first or code == 997 else status
    if request.query.get("format") == "json" or "json" in request.header("accept"):
        return Response.json(status, {"ocs": {"meta": meta, "data": data}})
    return Response.xml(status, f"<ocs><meta>{as_xml(meta)}</meta><data>{as_xml(data)}</data></ocs>")


def handle(cloud: Cloud, request: Request) -> Response:
    """Carries out a request of an authenticated user, or one for public capabilities."""
    path = request.path.split(".php", 1)[1].rstrip("/")
    if not request.header("ocs-apirequest"):
        return envelope(request, [], 412, "CSRF check failed")
    if path == "/cloud/capabilities":
        return envelope(request, capabilities(cloud, request))
    if not request.user:
        return envelope(request, [], 997, "Current user is not logged in")
    try:
        return envelope(request, data_of(cloud, request, path))
    except OCSError as failure:
        return envelope(request, [], failure.code, str(failure))


def data_of(cloud: Cloud, request: Request, path: str) -> object:
    if path == "/cloud/user" or path == f"/cloud/users/{request.user}":
        return user(cloud, request)
    if path == "/core/apppassword" and request.method == "DELETE":
        if not request.token:
            raise OCSError(403, "no app password in use")
        cloud.accounts.revoke(request.token)
        return []
    if path == "/core/getapppassword":
        if request.token:
            raise OCSError(403, "You cannot request an new apppassword with an apppassword")
        return {"apppassword": cloud.accounts.issue(request.user, request.header("user-agent", "unknown"))}
    if path.startswith("/apps/files_sharing/api/v1/shares"):
        number = path.removeprefix("/apps/files_sharing/api/v1/shares").strip("/")
        return Shares(cloud, request).handle(number)
    raise OCSError(
        998,
        "Invalid query, please check the syntax. API specifications are here: "
        "http://www.freedesktop.org/wiki/Specifications/open-collaboration-services.",
    )


def user(cloud: Cloud, request: Request) -> dict[str, object]:
    account = cloud.accounts.user(request.user)
    assert account
    used, free = cloud.tree.root(account.uid).size, cloud.free(account.uid)
    return {
        "enabled": True,
        "id": account.uid,
        "lastLogin": int(cloud.clock.now() * 1000),
        "backend": "Database",
        "subadmin": [],
        "quota": {
            "free": free,
            "used": used,
            "total": free if free < 0 else free + used,
            "relative": 0 if free < 0 else round(100 * used / max(1, free + used), 2),
            "quota": account.quota,
        },
        "email": account.login if "@" in account.login else "",
        "displayname": account.display,
        "display-name": account.display,
        "phone": "",
        "address": "",
        "website": "",
        "groups": [],
        "language": "en",
        "locale": "",
    }


def capabilities(cloud: Cloud, request: Request) -> dict[str, object]:
    """Returns the version and what the server can do; without a user, only what all may know."""
    major, minor, micro = (int(part) for part in cloud.version.split("."))
    version = {
        "major": major,
        "minor": minor,
        "micro": micro,
        "string": cloud.version,
        "edition": "",
        "extendedSupport": False,
    }
    theming = {
        "name": "Nextcloud",
        "url": "https://nextcloud.com",
        "slogan": "a safe home for all your data",
        "color": "#00679e",
        "color-text": "#ffffff",
        "logo": request.origin + "/core/img/logo/logo.svg?v=0",
    }
    known: dict[str, object] = {"bruteforce": {"delay": 0, "allow-listed": False}, "theming": theming}
    if request.user:
        socket = request.origin.replace("http", "ws", 1) + "/push/ws"
        known |= {
            "core": {
                "pollinterval": 60,
                "webdav-root": "remote.php/webdav",
                "reference-api": True,
                "mod-rewrite-working": True,
            },
            "files": {
                "bigfilechunking": True,
                "chunked_upload": {"max_size": int(cloud.number("largest-chunk", 100 << 20)), "max_parallel_count": 5},
                "blacklisted_files": list(names.FORBIDDEN_NAMES),
                "forbidden_filenames": list(names.FORBIDDEN_NAMES),
                "forbidden_filename_basenames": [],
                "forbidden_filename_characters": list(names.FORBIDDEN_CHARACTERS),
                "forbidden_filename_extensions": list(names.FORBIDDEN_EXTENSIONS),
                "undelete": True,
                "versioning": True,
                "version_labeling": True,
                "version_deletion": True,
                "directEditing": {"url": "", "etag": "", "supportsFileId": True},
                "comments": False,
            },
            "dav": {
                "chunking": "1.0",
                "bulkupload": "1.0",
                "public_shares_chunking": True,
                "search_supports_creation_time": True,
                "search_supports_upload_time": True,
            },
            "files_sharing": {
                "api_enabled": True,
                "public": {
                    "enabled": True,
                    "password": {"enforced": False, "askForOptionalPassword": False},
                    "expire_date": {"enabled": False},
                    "multiple_links": True,
                    "upload": True,
                    "send_mail": False,
                    "upload_files_drop": True,
                },
                "resharing": True,
                "user": {"send_mail": False, "expire_date": {"enabled": False}},
                "group_sharing": False,
                "default_permissions": 31,
                "federation": {"outgoing": False, "incoming": False, "expire_date": {"enabled": False}},
            },
            "notify_push": {
                "type": ["files", "activities", "notifications"],
                "endpoints": {"websocket": socket, "pre_auth": request.origin + "/apps/notify_push/pre_auth"},
            },
        }
        extra = cloud.setting("capabilities", {})
        for name, value in extra.items() if isinstance(extra, dict) else []:
            known.pop(name, None)
            known |= {name: value} if value is not None else {}
    return {"version": version, "capabilities": known}
