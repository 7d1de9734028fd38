import CGIO
import LinuxSystem

/// The bus of the assistive technologies of a session. All functions block.
final class AccessibilityBus: Sendable {
    // SAFETY: GDBus connections may be used from any thread.
    private nonisolated(unsafe) let connection: OpaquePointer

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Connects.
    ///
    /// - Parameter session: the address of the session's bus.
    init(session: String) throws {
        let bus = try Self.connect(session)
        defer { g_object_unref(UnsafeMutableRawPointer(bus)) }
        let reply = try Self.call(bus, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", nil)
        defer { g_variant_unref(reply) }
        connection = try Self.connect(Self.strings(reply).first ?? "")
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(connection)) }

    private static func connect(_ address: String) throws -> OpaquePointer {
        let flags = [G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT, G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION]
        let connection = g_dbus_connection_new_for_address_sync(
            address, GDBusConnectionFlags(rawValue: flags.reduce(0) { $0 | $1.rawValue }), nil, nil, nil)
        guard let connection else { throw Failed(description: "no bus at \(address)") }
        return connection
    }

    /// The timeout of a call in milliseconds. An element that disappears may leave a call without a reply, and the tree
    /// is read again anyway.
    private static let patience: CInt = 3_000

    private static func call(
        _ connection: OpaquePointer, _ name: String, _ path: String, _ interface: String, _ method: String,
        _ arguments: OpaquePointer?
    ) throws -> OpaquePointer {
        var error: UnsafeMutablePointer<GError>?
        let reply = g_dbus_connection_call_sync(
            connection, name, path, interface, method, arguments, nil, G_DBUS_CALL_FLAGS_NONE, patience, nil, &error)
        defer { g_clear_error(&error) }
        guard let reply else {
            throw Failed(
                description: "\(method): \(error.map { String(cString: $0.pointee.message) } ?? "no reply")")
        }
        return reply
    }

    /// Returns all strings in a value, in their order.
    private static func strings(_ value: OpaquePointer) -> [String] {
        switch UInt8(bitPattern: CChar(truncatingIfNeeded: g_variant_classify(value).rawValue)) {
        case UInt8(ascii: "s"), UInt8(ascii: "o"): return [String(cString: g_variant_get_string(value, nil))]
        case UInt8(ascii: "v"), UInt8(ascii: "("), UInt8(ascii: "a"):
            return (0..<g_variant_n_children(value)).flatMap { index in
                let child: OpaquePointer = g_variant_get_child_value(value, index)
                defer { g_variant_unref(child) }
                return strings(child)
            }
        default: return []
        }
    }

    /// Makes a call that replies with strings.
    fileprivate func ask(
        _ node: AccessibleNode, _ interface: String, _ method: String, _ arguments: [OpaquePointer?] = []
    ) throws -> [String] {
        var arguments = arguments
        let reply = try Self.call(
            connection, node.name, node.path, interface, method,
            g_variant_new_tuple(&arguments, gsize(arguments.count)))
        defer { g_variant_unref(reply) }
        return Self.strings(reply)
    }

    /// Makes a call that replies with an array of numbers.
    fileprivate func numbers(_ node: AccessibleNode, _ interface: String, _ method: String) throws -> [UInt32] {
        let reply = try Self.call(connection, node.name, node.path, interface, method, nil)
        defer { g_variant_unref(reply) }
        guard g_variant_n_children(reply) == 1 else { return [] }
        let array: OpaquePointer = g_variant_get_child_value(reply, 0)
        defer { g_variant_unref(array) }
        return (0..<g_variant_n_children(array)).map { index in
            let child: OpaquePointer = g_variant_get_child_value(array, index)
            defer { g_variant_unref(child) }
            return g_variant_get_uint32(child)
        }
    }

    /// Returns the position and the size of an element.
    fileprivate func place(_ node: AccessibleNode, _ arguments: [OpaquePointer?]) throws -> AccessibleNode.Bounds {
        var arguments = arguments
        let reply = try Self.call(
            connection, node.name, node.path, "org.a11y.atspi.Component", "GetExtents",
            g_variant_new_tuple(&arguments, gsize(arguments.count)))
        defer { g_variant_unref(reply) }
        let rectangle: OpaquePointer = g_variant_get_child_value(reply, 0)
        defer { g_variant_unref(rectangle) }
        let numbers = (0..<4).map { index in
            let child: OpaquePointer = g_variant_get_child_value(rectangle, gsize(index))
            defer { g_variant_unref(child) }
            return Int(g_variant_get_int32(child))
        }
        return AccessibleNode.Bounds(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    /// Returns the windows of all programs, and what is in them.
    func nodes() -> [AccessibleNode] {
        let root = AccessibleNode(
            bus: self, name: "org.a11y.atspi.Registry", path: "/org/a11y/atspi/accessible/root")
        return root.descendants()
    }

    /// Returns the first element of a role whose name begins with a text, or `nil` if there is none.
    func find(_ role: String, _ name: String) -> AccessibleNode? {
        nodes().first { $0.title.hasPrefix(name) && $0.role == role }
    }
}

/// An element of a window, as assistive technologies see it.
struct AccessibleNode: Sendable, CustomStringConvertible {
    fileprivate let bus: AccessibilityBus
    fileprivate let name: String
    fileprivate let path: String

    private static let interface = "org.a11y.atspi.Accessible"

    var description: String { name + path }

    var role: String { (try? bus.ask(self, Self.interface, "GetRoleName").first) ?? "" }

    var title: String {
        let arguments = [g_variant_new_string(Self.interface), g_variant_new_string("Name")]
        return (try? bus.ask(self, "org.freedesktop.DBus.Properties", "Get", arguments).first) ?? ""
    }

    /// Whether this is the same element, and not only one with the same role and name. Programs never use a path again.
    func isSame(as other: AccessibleNode) -> Bool { name == other.name && path == other.path }

    /// Returns the element and everything in it. Elements that disappear meanwhile are left out.
    func descendants() -> [AccessibleNode] {
        let words = (try? bus.ask(self, Self.interface, "GetChildren")) ?? []
        return [self]
            + stride(from: 0, to: words.count - 1, by: 2).flatMap {
                AccessibleNode(bus: bus, name: words[$0], path: words[$0 + 1]).descendants()
            }
    }

    /// Performs the element's first action, such as the click of a button.
    func press() throws {
        _ = try bus.ask(self, "org.a11y.atspi.Action", "DoAction", [g_variant_new_int32(0)])
    }

    /// Whether the element can be used now.
    var isSensitive: Bool { hasState(Self.sensitive) }

    /// The number of the state "sensitive" in AT-SPI.
    private static let sensitive = 24

    private func hasState(_ number: Int) -> Bool {
        guard let words = try? bus.numbers(self, Self.interface, "GetState") else { return false }
        return words.indices.contains(number / 32) && words[number / 32] >> (number % 32) & 1 == 1
    }

    /// The position of an element in its window, and its size, in pixels.
    struct Bounds: Sendable, Equatable {
        let x: Int
        let y: Int
        let width: Int
        let height: Int

        var bottom: Int { y + height }
    }

    /// Returns the position of the element in its window, and its size.
    func extents() throws -> Bounds {
        // 1: relative to the window.
        try bus.place(self, [g_variant_new_uint32(1)])
    }

    func grabFocus() throws { _ = try bus.ask(self, "org.a11y.atspi.Component", "GrabFocus") }

    /// Replaces the text of an entry.
    func setText(_ text: String) throws {
        _ = try bus.ask(
            self, "org.a11y.atspi.EditableText", "SetTextContents", [g_variant_new_string(text)])
    }
}
