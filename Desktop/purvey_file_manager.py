"""The extension of Purvey for Nautilus, Nemo and Caja: emblems, a column and a context menu.

These file managers have the same interface for extensions in Python, beneath names of their own. Each loads a file of a
few lines (purvey_nautilus.py, purvey_nemo.py, purvey_caja.py), which calls extension() with its module.
"""

import collections
import functools
import json

from gi.repository import Gio, GLib, GObject

from purvey_states import CACHED, States, path_of

# The command that lists and runs the provider's actions. `make install` replaces the prefix.
COMMAND = "PROGRAMS/purvey"

# The emblem and the words of each state. The icon of an emblem has the name emblem-NAME.
STATES = {
    "dataless": ("purvey-cloud", "In the cloud"),
    "partial": ("purvey-partial", "Partly on this computer"),
    "current": (None, "On this computer"),
    "edited": ("purvey-uploading", "Waiting to be uploaded"),
    "uploading": ("purvey-uploading", "Uploading"),
    "error": ("purvey-error", "Failed"),
}
KEPT = "purvey-kept"

# The number of files whose actions are cached. One is too few, because file managers make the menus of a file and of
# its folder alternately.
FILES_WITH_ACTIONS = 16


def emblem_of(state):
    """Returns the name of the emblem for a state; None for a state without one."""
    emblem = STATES.get(state.get("state"), (None, None))[0]
    return KEPT if emblem is None and state.get("kept") and state.get("state") == "current" else emblem


def words_for(state):
    """Returns the words for a state, with the progress of an upload or the reason of a failure."""
    word = STATES.get(state.get("state"), (None, ""))[1]
    if state.get("state") == "uploading" and state.get("total"):
        return f"{word} ({100 * state.get('sent', 0) // state['total']} %)"
    if state.get("state") == "error" and state.get("error"):
        return f"{word}: {state['error']}"
    if state.get("state") == "current" and state.get("kind") == "folder":
        word = ""
    return (f"{word}, kept" if word else "Kept") if state.get("kept") else word


def actions_in(text):
    """Returns the actions that `purvey actions --json` lists: identifiers and names. Those that ask for more are left
    out, because a menu cannot ask."""
    try:
        return [(action["identifier"], action["name"]) for action in json.loads(text) if not action["asks"]]
    except (ValueError, KeyError, TypeError):
        return []


class Extension:
    """The logic, without the classes of a file manager.

    find: returns the file manager's object for a path whose file it shows, otherwise None.
    menus_changed: called when menus have to be made anew.
    """

    def __init__(self, find, menus_changed):
        self._find = find
        self._menus_changed = menus_changed
        # The paths of the files that were updated last, and whether they got a state. Their objects are looked up when
        # the states change.
        self._shown = collections.OrderedDict()
        # The paths of the files that the file manager updates next because their states have arrived.
        self._answered = set()
        # By path: the actions of a file as last read, and the number of requests for them. Only the reply to the last
        # request counts.
        self._actions = collections.OrderedDict()
        # The paths whose actions may have changed since they were requested.
        self._outdated = set()
        # The file of the last menu that was made for a single file, and the file's path at that time.
        self._chosen = (None, None)
        # The paths whose states were unknown when the last menu was made, of files (False) and of a folder (True).
        self._lacking = {False: set(), True: set()}
        # The paths of these menus, and the work that the menus offer.
        self._offered = {False: ([], []), True: ([], [])}
        self._states = States(self._changed, self._arrived)

    # Emblems and the column

    def update(self, file):
        """Gives a file its emblem and attributes, as far as its state is known. Otherwise requests the state, and has
        the file manager update the file again when the state arrives.

        The file manager is never told to wait for an update: nautilus-python passes no handle by which Nautilus could
        tell two updates apart, which then mixes up their files."""
        path = path_of(file.get_uri())
        is_inside = path is not None and self._states.contains(path)
        if path is not None:
            self._shown[path] = is_inside
            self._shown.move_to_end(path)
            while len(self._shown) > CACHED:
                self._shown.popitem(last=False)
        state = self._states.known(path) if is_inside else {}
        self._apply(file, state or {})
        # Caja does not make the menu of a selected file anew when the file is renamed.
        if file is self._chosen[0] and path != self._chosen[1]:
            self._menus_changed()
        is_answered = path in self._answered
        self._answered.discard(path)
        # A state that was forgotten since it arrived is not requested again: a folder with more files than states that
        # are remembered would never come to rest.
        if state is None and not is_answered:
            self._states.want(path)

    def _arrived(self, path):
        file = self._find(path)
        if file is not None:
            # A state that changed before it arrived is not known. The update of the file requests it again.
            if self._states.known(path) is not None:
                self._answered.add(path)
            file.invalidate_extension_info()
        for paths in self._lacking.values():
            if path in paths:
                paths.discard(path)
                if not paths:
                    self._menus_changed()

    def _apply(self, file, state):
        file.add_string_attribute("purvey_state", words_for(state))
        emblem = emblem_of(state)
        if emblem:
            file.add_emblem(emblem)

    def _changed(self, paths, all_files):
        if all_files:
            # Also updates the files that were shown before their domain was known.
            paths = [path for path, is_inside in self._shown.items() if is_inside or self._states.contains(path)]
        self._outdated = set(self._actions)
        for path in paths:
            if self._shown.pop(path, None) is not None:
                file = self._find(path)
                if file is not None:
                    file.invalidate_extension_info()
        changed = set(paths)
        for is_background, (menu_paths, offers) in self._offered.items():
            if not changed.isdisjoint(menu_paths) and self._offers(menu_paths) != offers:
                # A menu that is no longer shown is reported once only.
                self._offered[is_background] = (menu_paths, self._offers(menu_paths))
                all_files = True
        if all_files:
            self._menus_changed()

    # The menu

    def _offers(self, paths):
        """Returns the work that a menu offers for files in their known states: names, labels, methods and arguments."""
        states = [self._states.known(path) or {} for path in paths]
        offers = []
        if not all(state.get("kept") for state in states):
            offers.append(("keep", "Keep on This Computer", "Keep", (True,)))
        if any(state.get("kept") for state in states):
            offers.append(("unkeep", "Do Not Keep on This Computer", "Keep", (False,)))
        if any(state.get("state") in ("dataless", "partial") or state.get("kind") == "folder" for state in states):
            offers.append(("download", "Download", "Download", ()))
        if any(state.get("kept") or state.get("state") in ("current", "partial") for state in states):
            offers.append(("evict", "Free Up Space", "Evict", ()))
        if any(state.get("state") == "error" for state in states):
            offers.append(("retry", "Try Again", "Retry", ()))
        return offers

    def menu(self, files, is_background=False):
        """Returns the items of a context menu: names, labels and functions without arguments.

        is_background: whether the menu is that of the folder of a window."""
        paths = [path_of(file.get_uri()) for file in files]
        self._lacking[is_background] = set()
        self._offered[is_background] = ([], [])
        if not is_background:
            self._chosen = (files[0], paths[0]) if len(files) == 1 else (None, None)
        # The bus takes no more paths in a call.
        if not paths or len(paths) > 4_096 or not all(path and self._states.contains(path) for path in paths):
            return []
        # File managers do not update the folder of a window, so its state may be unknown.
        self._lacking[is_background] = {path for path in paths if self._states.known(path) is None}
        for path in self._lacking[is_background]:
            self._states.want(path)
        offers = self._offers(paths)
        self._offered[is_background] = (paths, offers)
        items = [
            (name, label, functools.partial(self._work, label, method, files, *more))
            for name, label, method, more in offers]
        if len(paths) == 1:
            for identifier, label in self._actions_of(paths[0]):
                items.append((f"action-{identifier}", label, self._runner(files[0], identifier, label)))
        return items

    def _work(self, label, method, files, *more):
        # A file may have been renamed since the menu was made.
        paths = [path for path in (path_of(file.get_uri()) for file in files) if path]
        arguments = GLib.Variant("(asb)", (paths, *more)) if more else GLib.Variant("(as)", (paths,))
        self._states.work(
            method, arguments, lambda failure: failure and self._states.notify(f"{label} failed", failure))

    # The provider's actions

    def _actions_of(self, path):
        if path not in self._actions or path in self._outdated:
            actions, number = self._actions.pop(path, ([], 0))
            self._outdated.discard(path)
            self._actions[path] = (actions, number + 1)
            while len(self._actions) > FILES_WITH_ACTIONS:
                self._actions.popitem(last=False)
            self._run(["actions", "--json", path], lambda output, _: self._take_actions(path, number + 1, output))
        return self._actions[path][0]

    def _take_actions(self, path, number, output):
        known, last = self._actions.get(path, ([], None))
        actions = actions_in(output) if output else []
        if number != last or actions == known:
            return
        self._actions[path] = (actions, number)
        self._menus_changed()
        # Nautilus makes menus anew only for files that have changed.
        file = self._find(path)
        if file is not None:
            file.invalidate_extension_info()

    def _runner(self, file, identifier, label):
        def done(output, failure):
            if failure or output.strip():
                self._states.notify(f"{label} failed" if failure else label, failure or output.strip())

        return lambda: self._run(["actions", path_of(file.get_uri()), identifier], done)

    def _run(self, arguments, done):
        """Runs the command, and calls done with its output and None, or with an empty text and the failure."""
        launcher = Gio.SubprocessLauncher.new(Gio.SubprocessFlags.STDOUT_PIPE | Gio.SubprocessFlags.STDERR_PIPE)
        # The command asks the daemon that runs, and starts none, which would mount the domains again.
        launcher.setenv("PURVEY_DAEMON", "/dev/null", True)
        try:
            program = launcher.spawnv([COMMAND, *arguments])
        except GLib.Error as error:
            return done("", error.message)

        def finish(program, result):
            try:
                _, output, errors = program.communicate_utf8_finish(result)
            except GLib.Error as error:
                return done("", error.message)
            if program.get_successful():
                done(output, None)
            else:
                done("", errors.strip() or "The command failed without a reason.")

        program.communicate_utf8_async(None, None, finish)


def extension(manager):
    """Returns the class that a file manager loads.

    manager: the module of the file manager in gi.repository.
    """

    class PurveyExtension(GObject.GObject, manager.InfoProvider, manager.ColumnProvider, manager.MenuProvider):
        def __init__(self):
            super().__init__()
            self._extension = Extension(self._find, self._menus_changed)

        def _find(self, path):
            return manager.FileInfo.lookup(Gio.File.new_for_path(path))

        def _menus_changed(self):
            if GObject.signal_lookup("items-updated", type(self)):
                self.emit("items-updated")

        def update_file_info(self, file):
            self._extension.update(file)
            return manager.OperationResult.COMPLETE

        def get_columns(self):
            return [
                manager.Column(
                    name="Purvey::state", attribute="purvey_state", label="Cloud",
                    description="Whether the file is on this computer or in the cloud")
            ]

        # Nemo and Caja pass the window before the files.
        def get_file_items(self, *arguments):
            return self._items(arguments[-1])

        def get_background_items(self, *arguments):
            return self._items([arguments[-1]], True)

        def _items(self, files, is_background=False):
            items = []
            # If two menu items have the same name, Nautilus activates the one that was made last.
            prefix = "Purvey::folder-" if is_background else "Purvey::"
            for name, label, run in self._extension.menu(files, is_background):
                item = manager.MenuItem(name=prefix + name, label=label)
                item.connect("activate", lambda _item, run=run: run())
                items.append(item)
            return items

    return PurveyExtension
