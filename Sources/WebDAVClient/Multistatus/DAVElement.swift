import XMLStream

/// An element of a reply, with everything in it.
public struct DAVElement: Sendable, Equatable {
    /// The name.
    public let name: XMLName
    /// The text directly in the element.
    public internal(set) var text = ""
    /// The elements directly in the element, in order.
    public internal(set) var children: [DAVElement] = []

    init(_ name: XMLName) { self.name = name }

    /// Creates an element with a text.
    package init(_ name: XMLName, text: String) {
        self.name = name
        self.text = text
    }

    /// Returns the first child with a name in WebDAV's namespace.
    public func child(_ local: String) -> DAVElement? { children.first { $0.name == .dav(local) } }

    /// The text in the element and in those within it.
    package var wholeText: String { text + children.map(\.wholeText).joined(separator: " ") }
}

extension XMLName {
    /// Returns a name in the namespace of WebDAV.
    package static func dav(_ local: String) -> XMLName { XMLName("DAV:", local) }
}
