import CGIO
import LinuxSystem

/// The bus of the assistive technologies of a session. All functions block.
package final class AccessibilityBus: Sendable {
    // SAFETY: GDBus connections may be used from any thread.
    private nonisolated(unsafe) let connection: OpaquePointer

    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }

    /// Connects.
    ///
    /// - Parameter session: the address of the session's bus.
    package init(session: String) throws {
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

    /// The element that contains the windows of all programs.
    private var root: AccessibleNode {
        AccessibleNode(bus: self, name: "org.a11y.atspi.Registry", path: "/org/a11y/atspi/accessible/root")
    }

    /// Returns the windows of all programs, and all elements in them.
    package func nodes() -> [AccessibleNode] { root.descendants() }

    /// Returns the first element of a role whose name begins with a text, or `nil` if there is none.
    package func find(_ role: String, _ name: String) -> AccessibleNode? { root.first(role, name) }
}

/// An element of a window, as assistive technologies see it.
package struct AccessibleNode: Sendable, CustomStringConvertible {
    fileprivate let bus: AccessibilityBus
    fileprivate let name: String
    fileprivate let path: String

    private static let interface = "org.a11y.atspi.Accessible"

    package var description: String { name + path }

    package var role: String { (try? bus.ask(self, Self.interface, "GetRoleName").first) ?? "" }

    package var title: String {
        let arguments = [g_variant_new_string(Self.interface), g_variant_new_string("Name")]
        return (try? bus.ask(self, "org.freedesktop.DBus.Properties", "Get", arguments).first) ?? ""
    }

    /// Whether this is the same element, and not only one with the same role and name. Programs never use a path again.
    package func isSame(as other: AccessibleNode) -> Bool { name == other.name && path == other.path }

    /// The elements directly in this element; empty if this element no longer exists.
    package var children: [AccessibleNode] {
        let words = (try? bus.ask(self, Self.interface, "GetChildren")) ?? []
        return stride(from: 0, to: words.count - 1, by: 2).map {
            AccessibleNode(bus: bus, name: words[$0], path: words[$0 + 1])
        }
    }

    /// Returns this element and all elements in it. Elements that disappear meanwhile are left out.
    package func descendants() -> [AccessibleNode] { [self] + children.flatMap { $0.descendants() } }

    /// Returns the first element that has the given role and whose name begins with the given text: this element, or
    /// one in it.
    fileprivate func first(_ role: String, _ name: String) -> AccessibleNode? {
        let own = self.role
        if own == role, title.hasPrefix(name) { return self }
        // Does not search a row for rows. A row contains none, and a list may have hundreds of rows.
        if own == "list item", role == own { return nil }
        for child in children {
            if let found = child.first(role, name) { return found }
        }
        return nil
    }

    /// Performs the element's first action, such as the click of a button.
    package func press() throws {
        _ = try bus.ask(self, "org.a11y.atspi.Action", "DoAction", [g_variant_new_int32(0)])
    }

    /// Performs the element's action with the given name.
    ///
    /// - Returns: Whether the element has the action, and it can be performed now.
    package func perform(_ action: String) throws -> Bool {
        // The reply has three strings for each action. The first is the name of the action.
        let words = try bus.ask(self, "org.a11y.atspi.Action", "GetActions")
        guard let index = stride(from: 0, to: words.count, by: 3).first(where: { words[$0] == action }) else {
            return false
        }
        let number = CInt(truncatingIfNeeded: index / 3)
        _ = try bus.ask(self, "org.a11y.atspi.Action", "DoAction", [g_variant_new_int32(number)])
        return true
    }

    /// Whether the element is a check box that is checked.
    package var isChecked: Bool { hasState(Self.checked) }

    /// Whether the element has the keyboard focus.
    package var isFocused: Bool { hasState(Self.focused) }

    /// Whether the element is a selected row.
    package var isSelected: Bool { hasState(Self.selected) }

    /// Whether the element can be used now.
    package var isSensitive: Bool { hasState(Self.sensitive) }

    /// Whether the element is on the display. GTK 4.8 does not report this.
    package var isShowing: Bool { hasState(Self.showing) }

    /// The numbers of states in AT-SPI.
    private static let (checked, focused, selected, sensitive, showing) = (4, 12, 23, 24, 25)

    private func hasState(_ number: Int) -> Bool {
        guard let words = try? bus.numbers(self, Self.interface, "GetState") else { return false }
        return words.indices.contains(number / 32) && words[number / 32] >> (number % 32) & 1 == 1
    }

    /// The position of an element in its window, and its size, in pixels.
    package struct Bounds: Sendable, Equatable {
        package let x: Int
        package let y: Int
        package let width: Int
        package let height: Int

        package var bottom: Int { y + height }
    }

    /// Returns the position of the element in its window, and its size.
    package func extents() throws -> Bounds {
        // 1: relative to the window.
        try bus.place(self, [g_variant_new_uint32(1)])
    }

    package func grabFocus() throws { _ = try bus.ask(self, "org.a11y.atspi.Component", "GrabFocus") }

    /// Replaces the text of an entry.
    package func setText(_ text: String) throws {
        _ = try bus.ask(
            self, "org.a11y.atspi.EditableText", "SetTextContents", [g_variant_new_string(text)])
    }
}
