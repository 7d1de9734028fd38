"""One recipe for each server by others. Documentation of what they do with conditions is measured elsewhere."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

from certificates import make_certificate

from .running import Recipe, ServerError, Site, program

REALM = "purvey"
APACHE_MODULES = Path("/usr/lib/apache2/modules")
NGINX_MODULE = Path("/usr/lib/nginx/modules/ngx_http_dav_ext_module.so")
SERVE = Path(__file__).parents[1] / "serve"
SABRE = Path("/usr/share/php/Sabre/autoload.php")


def hashed_passwords(site: Site) -> Path:
    """Writes a password file that Apache, nginx and lighttpd understand."""
    digest = base64.b64encode(hashlib.sha1(site.password.encode()).digest()).decode()
    path = site.write("passwords", f"{site.user}:{{SHA}}{digest}\n")
    path.chmod(0o644)
    return path


def digest_passwords(site: Site) -> Path:
    """Writes a password file for digest authentication."""
    digest = hashlib.md5(f"{site.user}:{REALM}:{site.password}".encode()).hexdigest()
    path = site.write("digests", f"{site.user}:{REALM}:{digest}\n")
    path.chmod(0o644)
    return path


def apache(site: Site, kind: str = "basic", secure: bool = False) -> Recipe:
    """Apache with mod_dav, and with HTTP/2 where it is secure. Root's serves as `nobody`, as it refuses to be root."""
    modules = [
        "mpm_event",
        "authn_core",
        "authn_file",
        "authz_core",
        "authz_user",
        f"auth_{kind}",
        "mime",
        "dav",
        "dav_fs",
        "setenvif",
    ]
    security, certificate = "", None
    if secure:
        modules += ["ssl", "http2"]
        certificate, key = make_certificate(site.scratch)
        security = f"SSLEngine on\nSSLCertificateFile {certificate}\nSSLCertificateKeyFile {key}\nProtocols h2 http/1.1"
    for name in ("locks", "files"):
        (site.scratch / name).mkdir(exist_ok=True)
        if os.geteuid() == 0:
            os.chown(site.scratch / name, 65534, 65534)
    passwords = f"AuthUserFile {hashed_passwords(site) if kind == 'basic' else digest_passwords(site)}"
    user = "User nobody\nGroup nogroup" if os.geteuid() == 0 else ""
    loads = "\n".join(f"LoadModule {name}_module {APACHE_MODULES}/mod_{name}.so" for name in modules)
    configuration = site.write(
        "apache.conf",
        f"""
ServerRoot {site.scratch}
ServerName 127.0.0.1
Listen 127.0.0.1:{site.port}
PidFile {site.scratch}/pid
ErrorLog {site.scratch}/errors
Mutex file:{site.scratch}/locks
DefaultRuntimeDir {site.scratch}
# On a busy machine, more than the default of 5 seconds may pass between two requests of a test.
KeepAliveTimeout 60
{loads}
{security}
TypesConfig /etc/mime.types
{user}
DavLockDB {site.scratch}/locks/DavLock
DocumentRoot {site.files}
<Directory {site.files}>
    Dav On
    AuthType {kind.capitalize()}
    AuthName {REALM}
    {passwords}
    Require valid-user
</Directory>
""",
    )
    return Recipe([program("apache2"), "-f", str(configuration), "-DFOREGROUND"], certificate=certificate)


def nginx(site: Site) -> Recipe:
    """nginx with the module for the rest of WebDAV, as one process."""
    if not NGINX_MODULE.exists():
        raise ServerError("nginx's dav-ext module is not installed: run Scripts/install-packages clouds")
    parts = "\n".join(
        f"{name}_temp_path {site.scratch}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    configuration = site.write(
        "nginx.conf",
        f"""
load_module {NGINX_MODULE};
daemon off;
master_process off;
pid {site.scratch}/pid;
error_log {site.scratch}/errors;
events {{ worker_connections 256; }}
http {{
    access_log off;
    {parts}
    client_max_body_size 0;
    dav_ext_lock_zone zone=locks:1m;
    server {{
        listen 127.0.0.1:{site.port};
        root {site.files};
        auth_basic {REALM};
        auth_basic_user_file {hashed_passwords(site)};
        location / {{
            dav_methods PUT DELETE MKCOL COPY MOVE;
            dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK;
            dav_ext_lock zone=locks;
            create_full_put_path off;
            dav_access user:rw;
        }}
    }}
}}
""",
    )
    return Recipe(
        [program("nginx"), "-e", str(site.scratch / "errors"), "-p", str(site.scratch), "-c", str(configuration)]
    )


def lighttpd(site: Site) -> Recipe:
    """lighttpd with mod_webdav."""
    configuration = site.write(
        "lighttpd.conf",
        f"""
server.port = {site.port}
server.bind = "127.0.0.1"
server.document-root = "{site.files}"
server.modules = ("mod_auth", "mod_authn_file", "mod_webdav")
server.upload-dirs = ("{site.scratch}")
server.errorlog = "{site.scratch}/errors"
webdav.activate = "enable"
webdav.sqlite-db-name = "{site.scratch}/locks.db"
webdav.is-readonly = "disable"
auth.backend = "htpasswd"
auth.backend.htpasswd.userfile = "{hashed_passwords(site)}"
auth.require = ("" => ("method" => "basic", "realm" => "{REALM}", "require" => "valid-user"))
""",
    )
    return Recipe([program("lighttpd"), "-D", "-f", str(configuration)])


def rclone(site: Site, command: str) -> Recipe:
    """rclone as a server; its users come by the environment, so that no list of processes shows the password."""
    site.write("rclone.conf", "")
    return Recipe(
        [
            command,
            "serve",
            "webdav",
            str(site.files),
            "--addr",
            f"127.0.0.1:{site.port}",
            "--config",
            str(site.scratch / "rclone.conf"),
            "--dir-cache-time",
            "0",
            "--vfs-cache-mode",
            "off",
        ],
        environment={"RCLONE_USER": site.user, "RCLONE_PASS": site.password},
    )


def wsgidav(site: Site) -> Recipe:
    """WsgiDAV on cheroot, with basic and digest authentication."""
    settings = {
        "host": "127.0.0.1",
        "port": site.port,
        "server": "cheroot",
        "logging": {"enable": False},
        "verbose": 1,
        "provider_mapping": {"/": str(site.files)},
        "simple_dc": {"user_mapping": {"*": {site.user: {"password": site.password}}}},
        "http_authenticator": {"accept_basic": True, "accept_digest": True, "default_to_digest": False},
        "lock_storage": True,
        "property_manager": True,
    }
    return Recipe([python_program(site, "wsgidav"), "--config", str(site.write("wsgidav.json", json.dumps(settings)))])


def seaweedfs(site: Site) -> Recipe:
    """SeaweedFS with its WebDAV gateway, which knows no users."""
    ports = {name: site.free_port() for name in ("master.port", "volume.port", "filer.port")}
    # Each of its parts has a second port that is 10000 above the first one if it is not given.
    ports |= {f"{name}.grpc": site.free_port() for name in ("master.port", "volume.port", "filer.port")}
    options = [f"-{name}={port}" for name, port in ports.items()]
    return Recipe(
        [
            python_program(site, "weed"),
            "server",
            f"-dir={site.files}",
            "-ip=127.0.0.1",
            "-ip.bind=127.0.0.1",
            "-filer",
            "-webdav",
            f"-webdav.port={site.port}",
            "-volume.max=4",
            *options,
        ],
        authenticates=False,
    )


def copyparty(site: Site) -> Recipe:
    """copyparty, where the user has all rights."""
    configuration = site.write(
        "copyparty.conf",
        (
            f"[global]\n  i: 127.0.0.1\n  p: {site.port}\n  daw\n  q\n  hist: {site.scratch}/history\n"
            f"[accounts]\n  {site.user}: {site.password}\n[/]\n  {site.files}\n  accs:\n    A: {site.user}\n"
        ),
    )
    return Recipe([python_program(site, "copyparty"), "-c", str(configuration)])


def sabre(site: Site) -> Recipe:
    """sabre/dav of Debian on PHP's own web server, with digest authentication."""
    if not SABRE.exists():
        raise ServerError("sabre/dav is not installed: run Scripts/install-packages clouds")
    script = Path(__file__).with_name("sabre.php")
    return Recipe(
        [
            program("php"),
            "-S",
            f"127.0.0.1:{site.port}",
            "-t",
            str(site.files),
            "-d",
            "upload_tmp_dir=" + str(site.scratch),
            str(script),
        ],
        environment={
            "SABRE_FILES": str(site.files),
            "SABRE_LOCKS": str(site.scratch / "locks"),
            "SABRE_USERS": str(digest_passwords(site)),
            "SABRE_REALM": REALM,
            "PHP_CLI_SERVER_WORKERS": "4",
        },
    )


def xandikos(site: Site) -> Recipe:
    """xandikos, a server of calendars that keeps plain files as well, in a Git repository; it knows no users."""
    command = [python_program(site, "xandikos"), "serve", "-d", str(site.files), "--listen-address", "127.0.0.1"]
    return Recipe([*command, "--port", str(site.port), "--autocreate"], "/files/", authenticates=False, creates=True)


def nextcloud(site: Site) -> Recipe:
    """The Nextcloud of this folder, whose state survives a restart."""
    state = site.scratch / "state"
    options = ["--user", site.user, "--password", site.password, "--port", str(site.port), "--directory", str(state)]
    waits = f"exec 3<>{site.scratch}/input; exec {SERVE} nextcloud \"$@\" <&3"
    os.mkfifo(site.scratch / "input")
    return Recipe(["/bin/sh", "-c", waits, "nextcloud", *options], f"/remote.php/dav/files/{site.user}/")


def python_program(site: Site, name: str) -> str:
    path = site.programs / name
    if not path.exists():
        raise ServerError(f"{name} is not installed: run Scripts/install-python-packages")
    return str(path)


RECIPES: dict[str, Callable[[Site], Recipe]] = {
    "apache": apache,
    "apache-tls": lambda site: apache(site, secure=True),
    "apache-digest": lambda site: apache(site, "digest"),
    "copyparty": copyparty,
    "lighttpd": lighttpd,
    "nginx": nginx,
    "rclone": lambda site: rclone(site, python_program(site, "rclone")),
    "rclone-debian": lambda site: rclone(site, program("rclone")),
    "sabre": sabre,
    "seaweedfs": seaweedfs,
    "wsgidav": wsgidav,
    "xandikos": xandikos,
}
