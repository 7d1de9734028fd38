#!/usr/bin/env python3
"""A Secret Service on the session bus that misbehaves as its argument says, for tests.

    secret-service.py MODE [KEYRING]

MODE is one of
    plain    works, unlocked
    wrong    returns other bytes than were stored
    forget   accepts items and loses them
    hang     never replies to a search
    refuse   replies to each new item with an error
    prompt   is locked; the user enters the password at the first prompt
    dismiss  is locked; the user dismisses each prompt
    items    is unlocked, with items that are locked; the user enters the password at the first prompt
    session  has no collection that lasts

KEYRING is a file that keeps the items between two runs.
"""

import json
import os
import sys

# The scripts are in the source tree.
sys.dont_write_bytecode = True
from bus_objects import BusObject, Refusal, connect, interface, method, serve
from gi.repository import GLib

ROOT = "/org/freedesktop/secrets"
NAME = "org.freedesktop.secrets"
SERVICE = "org.freedesktop.Secret.Service"
COLLECTION = "org.freedesktop.Secret.Collection"
ITEM = "org.freedesktop.Secret.Item"
PROMPT = "org.freedesktop.Secret.Prompt"
SESSION = "org.freedesktop.Secret.Session"
PROPERTIES = "org.freedesktop.DBus.Properties"


class Item(BusObject):
    def __init__(self, keyring, path, attributes, value):
        methods = interface(ITEM, method("GetSecret", "o", "(oayays)"), method("Delete", "", "o"))
        super().__init__(keyring.bus, path, methods)
        self.keyring, self.attributes, self.value = keyring, attributes, value

    def GetSecret(self, session):
        value = bytes(reversed(self.value)) if self.keyring.mode == "wrong" else self.value
        return ((session, b"", value, "application/octet-stream"),)

    def Delete(self):
        self.keyring.items.remove(self)
        self.keyring.save()
        self.remove()
        self.keyring.changed()
        return ("/",)


class Prompt(BusObject):
    def __init__(self, keyring):
        methods = interface(PROMPT, method("Prompt", "s"), method("Dismiss"))
        super().__init__(keyring.bus, ROOT + "/prompt/1", methods)
        self.keyring = keyring

    def Prompt(self, window):
        print("prompt", flush=True)
        GLib.timeout_add(50, self.complete)
        return ()

    def complete(self):
        is_dismissed = self.keyring.mode == "dismiss"
        if not is_dismissed:
            self.keyring.is_locked = False
            self.keyring.changed()
        self.emit(PROMPT, "Completed", "(bv)", (is_dismissed, GLib.Variant("s", "")))
        self.remove()
        return False

    def Dismiss(self):
        print("dismissed", flush=True)
        return ()


class Collection(BusObject):
    def __init__(self, keyring):
        create = method("CreateItem", "a{sv} (oayays) b", "o o")
        methods = interface(PROPERTIES, method("Get", "s s", "v")) + interface(COLLECTION, create)
        super().__init__(keyring.bus, ROOT + "/collection/main", methods)
        self.keyring = keyring

    def Get(self, interface, name):
        return (GLib.Variant("b", self.keyring.is_locked and self.keyring.mode != "items"),)

    def CreateItem(self, properties, secret, replace):
        print("item", flush=True)
        if self.keyring.mode == "refuse":
            raise Refusal("org.example.Error.Refused")
        return (self.keyring.add(properties[ITEM + ".Attributes"], bytes(secret[2])), "/")


class Keyring(BusObject):
    def __init__(self, bus, mode, file):
        service = interface(
            SERVICE,
            method("OpenSession", "s v", "v o"),
            method("SearchItems", "a{ss}", "ao ao"),
            method("ReadAlias", "s", "o"),
            method("Unlock", "ao", "ao o"),
        )
        super().__init__(bus, ROOT, service)
        self.mode, self.file = mode, file
        self.is_locked = mode in ("prompt", "dismiss", "items")
        self.items = []
        self.count = 0
        self.collection = Collection(self)
        self.session = BusObject(bus, ROOT + "/session/1", interface(SESSION, method("Close")))
        self.session.Close = lambda: ()
        if file and os.path.exists(file):
            with open(file) as kept:
                for attributes, value in json.load(kept):
                    self.add(attributes, bytes.fromhex(value))

    def add(self, attributes, value):
        self.count += 1
        path = f"{ROOT}/collection/main/{self.count}"
        self.changed()
        if self.mode == "forget":
            return path
        self.items.append(Item(self, path, attributes, value))
        self.save()
        return path

    def save(self):
        if self.file:
            # A test may kill this process at any time.
            with open(self.file + ".new", "w") as file:
                json.dump([(item.attributes, item.value.hex()) for item in self.items], file)
            os.rename(self.file + ".new", self.file)

    def OpenSession(self, algorithm, value):
        return (GLib.Variant("s", ""), ROOT + "/session/1")

    def SearchItems(self, attributes):
        if self.mode == "hang":
            print("hangs", flush=True)
            return None
        found = [item.path for item in self.items if attributes.items() <= item.attributes.items()]
        return ([], found) if self.is_locked else (found, [])

    def ReadAlias(self, name):
        return (ROOT + "/collection/" + ("session" if self.mode == "session" else "main"),)

    def Unlock(self, objects):
        if not self.is_locked or (self.mode == "items" and objects == [self.collection.path]):
            return (objects, "/")
        Prompt(self)
        return ([], ROOT + "/prompt/1")

    def changed(self):
        self.emit(SERVICE, "CollectionChanged", "(o)", (ROOT + "/collection/main",))


bus = connect()
keyring = Keyring(bus, sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None)
serve(bus, NAME)
