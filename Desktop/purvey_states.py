"""The states of files in Purvey's mounts, as purvey-bus publishes them (Documentation/DesktopBus.md).

Runs in the process of a file manager, on its main loop. Nothing here blocks or accesses a file: states are requested in
batches, replies and changes come as events, and what is remembered is bounded.
"""

import collections
import os
import urllib.parse

from gi.repository import Gio, GLib

NAME = "org.purvey.Purvey1"
ROOT = "/org/purvey/Purvey1"
FILES = "org.purvey.Purvey1.Files"
DOMAIN = "org.purvey.Purvey1.Domain"

# The number of states that are remembered. States of files that are not shown are requested again.
CACHED = 20_000
# The number of paths in one request, and of those that may wait. Further files get no state until they are shown again.
BATCH = 1_024
WAITING = 50_000
# The milliseconds for which paths are collected before they are requested.
PAUSE = 5
# The milliseconds after which a request for states is given up, and that for work, which may be a long download.
STATE_TIMEOUT = 10_000
WORK_TIMEOUT = 24 * 3600 * 1000


def path_of(uri):
    """Returns the absolute path of a file: URL; None for other URLs."""
    if not uri or not uri.startswith("file:///"):
        return None
    return os.fsdecode(urllib.parse.unquote_to_bytes(uri[len("file://"):])).rstrip("/") or "/"


class Request:
    """A request for states, with the changes that were signalled before its reply."""

    def __init__(self, paths):
        self.paths = {path: None for path in paths if _is_text(path)}
        self.newer = {}
        # The folders with too many changes to list.
        self.folders = []

    def is_outdated(self, path):
        return any(path.startswith(folder) for folder in self.folders)


class States:
    """The mounted domains, and the states of files in them."""

    def __init__(self, changed, arrived):
        """Begins to follow the session bus.

        changed: called with the paths whose states may have changed, and whether all states and the domains may have.
        arrived: called with the path of each state that was requested.
        """
        self._changed = changed
        self._arrived = arrived
        self._states = collections.OrderedDict()
        self._waiting = collections.OrderedDict()
        self._mounts = {}
        self._timer = 0
        self._requests = set()
        # Absent until the first domain is known.
        self._connection = None
        Gio.bus_get(Gio.BusType.SESSION, None, self._connected)

    def _connected(self, _source, result):
        try:
            self._connection = Gio.bus_get_finish(result)
        except GLib.Error:
            # Without a session bus, no file has a state.
            return
        flags = Gio.DBusSignalFlags.NONE
        subscribe = self._connection.signal_subscribe
        subscribe(NAME, FILES, "FilesChanged", ROOT, None, flags, self._files_changed)
        subscribe(NAME, "org.freedesktop.DBus.ObjectManager", None, ROOT, None, flags, self._domains_changed)
        subscribe(NAME, "org.freedesktop.DBus.Properties", "PropertiesChanged", None, DOMAIN, flags,
                  self._domains_changed)
        # The name is watched and never started: there is nothing to show without domains.
        Gio.bus_watch_name_on_connection(
            self._connection, NAME, Gio.BusNameWatcherFlags.NONE, self._appeared, self._vanished)

    # Domains

    def contains(self, path):
        """Whether a path is in a mounted domain. The path is not resolved."""
        return any(path == mount or path.startswith(mount + "/") for mount in self._mounts.values())

    def _appeared(self, _connection, _name, _owner):
        self._read_domains()

    def _vanished(self, _connection, _name):
        self._mounts = {}
        self._forget_all()

    def _domains_changed(self, _connection, _sender, path, _interface, signal, parameters):
        if signal == "PropertiesChanged" and "MountPath" not in parameters.unpack()[1]:
            return
        self._read_domains()

    def _read_domains(self):
        self._connection.call(
            NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", None, None,
            Gio.DBusCallFlags.NO_AUTO_START, STATE_TIMEOUT, None, self._read_domains_done)

    def _read_domains_done(self, connection, result):
        try:
            (objects,) = connection.call_finish(result).unpack()
        except GLib.Error:
            return
        mounts = {}
        for path, interfaces in objects.items():
            mount = interfaces.get(DOMAIN, {}).get("MountPath")
            if mount:
                mounts[path] = mount.rstrip("/")
        if mounts != self._mounts:
            self._mounts = mounts
            self._forget_all()

    # States

    def known(self, path):
        """Returns the state of a path if it is known, otherwise None."""
        return self._states.get(path)

    def want(self, path):
        """Requests the state of a path."""
        if len(self._waiting) < WAITING:
            self._waiting[path] = None
        if not self._timer:
            self._timer = GLib.timeout_add(PAUSE, self._request)

    def _request(self):
        self._timer = 0
        while self._waiting and len(self._requests) < 4:
            count = min(BATCH, len(self._waiting))
            request = Request([self._waiting.popitem(last=False)[0] for _ in range(count)])
            self._requests.add(request)
            self._connection.call(
                NAME, ROOT, FILES, "GetStates", GLib.Variant("(as)", (list(request.paths),)), GLib.VariantType("(aa{sv})"),
                Gio.DBusCallFlags.NO_AUTO_START, STATE_TIMEOUT, None, self._answer, request)
        return GLib.SOURCE_REMOVE

    def _answer(self, connection, result, request):
        self._requests.discard(request)
        try:
            states = _unpacked(connection.call_finish(result).get_child_value(0))
        except GLib.Error:
            states = []
        known = dict(zip(request.paths, states)) | request.newer
        for path, state in known.items():
            if not request.is_outdated(path):
                self._remember(path, state)
        for path in request.paths:
            if path in known:
                self._arrived(path)
        if self._waiting and not self._timer:
            self._request()

    def _remember(self, path, state):
        self._states[path] = state
        self._states.move_to_end(path)
        while len(self._states) > CACHED:
            self._states.popitem(last=False)

    def _forget_all(self):
        self._states.clear()
        for request in self._requests:
            request.folders.append("/")
        self._changed([], True)

    def _files_changed(self, _connection, _sender, _path, _interface, _signal, parameters):
        files, folders = parameters.unpack()
        changed = []
        for path, state in files:
            if path in self._states:
                self._remember(path, state)
            for request in self._requests:
                if path in request.paths:
                    request.newer[path] = state
            changed.append(path)
        for folder in folders:
            beneath = folder.rstrip("/") + "/"
            for request in self._requests:
                request.folders.append(beneath)
            for path in [path for path in self._states if path.startswith(beneath)]:
                del self._states[path]
                changed.append(path)
        self._changed(changed, False)

    # Work

    def work(self, method, arguments, done):
        """Calls a method of the files' interface, and calls done with None, or with a sentence about the failure."""
        def finish(connection, result):
            try:
                connection.call_finish(result)
            except GLib.Error as error:
                Gio.DBusError.strip_remote_error(error)
                done(error.message)
            else:
                done(None)

        self._connection.call(
            NAME, ROOT, FILES, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, WORK_TIMEOUT, None, finish)

    def notify(self, title, body):
        """Shows a notification, if the desktop has notifications."""
        self._connection.call(
            "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "Notify",
            GLib.Variant("(susssasa{sv}i)", ("Purvey", 0, "org.purvey.Files", title, body, [], {}, -1)), None,
            Gio.DBusCallFlags.NONE, STATE_TIMEOUT, None, None)


def _unpacked(states):
    """Returns the states of an array. Equal states are one dictionary.

    PyGObject unpacks an array of 1,000 dictionaries in 30 ms, which blocks the file manager. Most of them are equal.
    """
    known = {}
    unpacked = []
    for index in range(states.n_children()):
        state = states.get_child_value(index)
        contents = state.get_data_as_bytes().get_data()
        if contents not in known:
            known[contents] = state.unpack()
        unpacked.append(known[contents])
    return unpacked


def _is_text(path):
    """Whether a path can be sent on the bus, which takes UTF-8 only. Names in mounts are UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in path
