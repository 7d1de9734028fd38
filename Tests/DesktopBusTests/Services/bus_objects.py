"""Objects on the session bus, over GLib's D-Bus, for the services of tests."""

from gi.repository import Gio, GLib


class BusObject:
    """An object whose methods are those of its interfaces, given as XML. A method returns its reply as a tuple."""

    def __init__(self, bus, path, interfaces):
        self.bus, self.path = bus, path
        node = Gio.DBusNodeInfo.new_for_xml(f"<node>{interfaces}</node>")
        self.registrations = [
            bus.register_object(path, interface, self.take, None, None) for interface in node.interfaces
        ]

    def take(self, bus, sender, path, interface, method, arguments, invocation):
        try:
            reply = getattr(self, method)(*arguments.unpack())
        except Refusal as refusal:
            return invocation.return_dbus_error(refusal.name, "no")
        if reply is None:
            # The call stays without a reply, which a method without a result gives by ().
            return None
        signature = "".join(argument.signature for argument in invocation.get_method_info().out_args)
        return invocation.return_value(GLib.Variant(f"({signature})", reply))

    def emit(self, interface, signal, signature, values):
        self.bus.emit_signal(None, self.path, interface, signal, GLib.Variant(signature, values))

    def remove(self):
        for registration in self.registrations:
            self.bus.unregister_object(registration)


class Refusal(Exception):
    """The reason for a reply that is an error."""

    def __init__(self, name):
        super().__init__(name)
        self.name = name


def method(name, takes="", returns=""):
    """The XML of a method, with the types of its arguments and of its results."""
    types = [f'<arg type="{kind}" direction="in"/>' for kind in takes.split()]
    types += [f'<arg type="{kind}" direction="out"/>' for kind in returns.split()]
    return f'<method name="{name}">{"".join(types)}</method>'


def interface(name, *methods):
    return f'<interface name="{name}">{"".join(methods)}</interface>'


def connect():
    """Connects to the session bus."""
    return Gio.bus_get_sync(Gio.BusType.SESSION, None)


def serve(bus, name):
    """Takes a name, reports that by printing "ready", and serves until the process ends."""
    Gio.bus_own_name_on_connection(
        bus, name, Gio.BusNameOwnerFlags.DO_NOT_QUEUE, lambda *_: print("ready", flush=True), None
    )
    GLib.MainLoop().run()
