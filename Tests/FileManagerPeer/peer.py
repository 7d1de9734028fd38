"""peer.py EXTENSION NAME: a stand-in for a file manager, which loads an extension as NAME (nautilus, nemo, caja) does.

Reads commands from standard input, one JSON array a line, and prints what the extension does, one JSON array a line:

    ["show", PATH…]           shows files                    ["shown", PATH, EMBLEMS, {ATTRIBUTE: VALUE}]
    ["hide", PATH…]           does not show them any more
    ["menu", PATH…]           opens a menu                   ["menu", {LABEL: NAME}]
    ["choose", NAME, PATH…]   chooses an item of a menu      as soon as the menu has one of that name
    ["rename", PATH, NEW, NAME]  renames a file while its menu is open, and chooses an item of that menu

A file whose state has arrived or changed is shown again, and a menu that has changed is opened again, as by a file
manager. The longest time for which the extension kept the main loop is printed at the end: ["busy", SECONDS].
"""

import importlib.util
import json
import os
import sys
import threading
import time
import types

from gi.repository import Gio, GLib, GObject

loop = GLib.MainLoop()
files = {}
busiest = 0.0


def say(*words):
    print(json.dumps(words), flush=True)


def measured(function, *arguments):
    """Calls the extension."""
    global busiest
    begun = time.monotonic()
    result = function(*arguments)
    busiest = max(busiest, time.monotonic() - begun)
    return result


class Item(GObject.GObject):
    __gsignals__ = {"activate": (GObject.SignalFlags.RUN_LAST, None, ())}

    def __init__(self, name, label):
        super().__init__()
        self.name, self.label = name, label


class File:
    def __init__(self, path):
        self.path, self.emblems, self.attributes = path, [], {}

    def get_uri(self):
        return Gio.File.new_for_path(self.path).get_uri()

    def add_emblem(self, name):
        self.emblems.append(name)

    def add_string_attribute(self, name, value):
        self.attributes[name] = value

    def invalidate_extension_info(self):
        GLib.idle_add(lambda: show(self.path) and False)

    @staticmethod
    def lookup(location):
        return files.get(location.get_path())


def show(path):
    """Updates a file, as a file manager does for each file that it shows."""
    file = files[path] = File(path)
    # A file manager does not wait for updates.
    assert measured(extension.update_file_info, file) == "complete"
    say("shown", path, file.emblems, file.attributes)


def menu(paths):
    window = [] if sys.argv[2] == "nautilus" else [None]
    chosen[:] = [File(path) for path in paths]
    items = measured(extension.get_file_items, *window, list(chosen))
    # A file manager makes the menus of files and of the window's folder alternately, and distinguishes items by name.
    others = measured(extension.get_background_items, *window, File(os.path.dirname(paths[0])))
    assert not {item.name for item in items} & {item.name for item in others}
    return items


def open_menu(paths):
    opened[:] = paths
    items = menu(paths)
    say("menu", {item.label: item.name for item in items})
    return items


def choose(name, paths):
    items = [item for item in menu(paths) if item.name == name]
    for item in items:
        item.emit("activate")
    return bool(items)


def rename(path, new, name):
    """Renames a file as Caja does: the file's object stays, and so does its menu until it is made anew."""
    items = open_menu([path])
    os.rename(path, new)
    opened[:] = [new]
    for file in chosen:
        file.path, files[new] = new, file
        measured(extension.update_file_info, file)
    for item in items:
        if item.name == name:
            item.emit("activate")


def obey(line):
    command, *words = json.loads(line)
    if command == "show":
        for path in words:
            show(path)
    elif command == "hide":
        for path in words:
            files.pop(path, None)
    elif command == "menu":
        open_menu(words)
    elif command == "rename":
        rename(*words)
    elif command == "choose":
        # A change of any file's state removes the provider's actions until they are read again.
        if not choose(words[0], words[1:]):
            GLib.timeout_add(100, lambda: not choose(words[0], words[1:]))


def listen():
    for line in sys.stdin:
        GLib.idle_add(lambda line=line: obey(line) and False)
    GLib.idle_add(end)


def end():
    say("busy", busiest)
    loop.quit()


manager = types.SimpleNamespace(
    InfoProvider=type("InfoProvider", (), {}), ColumnProvider=type("ColumnProvider", (), {}),
    MenuProvider=type("MenuProvider", (), {}), FileInfo=File, Column=lambda **values: values, MenuItem=Item,
    OperationResult=types.SimpleNamespace(COMPLETE="complete"))
namespaces = {"nautilus": "Nautilus", "nemo": "Nemo", "caja": "Caja"}
sys.modules["gi.repository." + namespaces[sys.argv[2]]] = manager
setattr(sys.modules["gi.repository"], namespaces[sys.argv[2]], manager)
sys.dont_write_bytecode = True
opened, chosen = [], []
specification = importlib.util.spec_from_file_location("loaded", sys.argv[1])
module = importlib.util.module_from_spec(specification)
specification.loader.exec_module(module)


class Loaded(module.PurveyExtension):
    def _menus_changed(self):
        if opened:
            GLib.idle_add(lambda: open_menu(list(opened)) and False)


extension = Loaded()
say("columns", [column["label"] for column in extension.get_columns()])
threading.Thread(target=listen, daemon=True).start()
loop.run()
