#!/usr/bin/env python3
"""A part of a desktop on the session bus, for tests.

    desktop.py network        NetworkManager; each line of input is the next value of its property Metered
    desktop.py notifications  prints the summary of each notification
"""

import os
import sys

# The scripts are in the source tree.
sys.dont_write_bytecode = True
from bus_objects import BusObject, connect, interface, method, serve
from gi.repository import GLib

MANAGER = "org.freedesktop.NetworkManager"
NOTIFICATIONS = "org.freedesktop.Notifications"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Manager(BusObject):
    metered = 0

    def __init__(self, bus):
        super().__init__(bus, "/org/freedesktop/NetworkManager", interface(PROPERTIES, method("Get", "s s", "v")))

    def Get(self, interface, name):
        return (self.value(),)

    def value(self):
        return GLib.Variant("u", self.metered)

    def read(self, source, condition):
        lines = os.read(source, 4096).split()
        for line in lines:
            self.metered = int(line)
            self.emit(PROPERTIES, "PropertiesChanged", "(sa{sv}as)", (MANAGER, {"Metered": self.value()}, []))
        return bool(lines)


class Notifications(BusObject):
    def __init__(self, bus):
        notify = method("Notify", "s u s s s as a{sv} i", "u")
        super().__init__(bus, "/org/freedesktop/Notifications", interface(NOTIFICATIONS, notify))

    def Notify(self, program, replaced, icon, summary, body, actions, hints, timeout):
        print(f"{summary} | {body}", flush=True)
        return (1,)


bus = connect()
if sys.argv[1] == "network":
    part = Manager(bus)
    GLib.io_add_watch(sys.stdin.fileno(), GLib.IO_IN | GLib.IO_HUP, part.read)
    serve(bus, MANAGER)
else:
    part = Notifications(bus)
    serve(bus, NOTIFICATIONS)
