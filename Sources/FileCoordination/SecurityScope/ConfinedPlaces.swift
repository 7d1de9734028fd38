/// The socket for file coordination that a confined process inherits, as it must not connect one.
package enum CoordinationLink {
    /// The number of the socket's descriptor in a confined process.
    package static let descriptorNumber = 5
    /// The environment variable with that number.
    package static let environmentKey = "PURVEY_COORDINATION_LINK"
}

/// The mapping between the paths that one confined process uses and the real files. The component that starts the
/// process provides it.
package protocol ConfinedPlaces: Sendable {
    /// The name of the process in messages to others: its bundle identifier.
    var name: String { get }
    /// The container of the process, with links resolved.
    var container: String { get }
    /// The directories that the process shares with its groups, with links resolved.
    var groups: [String] { get }
    /// The directory in which items from outside the container appear, with links resolved. The process may use
    /// nothing else in it.
    var scopes: String { get }
    /// Returns the item that a path in `scopes` is at or beneath; `nil` if there is none. Does not wait for the file
    /// system.
    func item(at path: String) -> PlacedItem?
}

extension ConfinedPlaces {
    package var groups: [String] { [] }
}

/// An item outside the container that a confined process has access to.
package struct PlacedItem: Sendable {
    /// The path that the process uses.
    package let path: ExactPath
    /// The item's current path.
    package let realPath: ExactPath
    /// The outermost package that contains `realPath`, or else `realPath`.
    package let realKey: ExactPath
    /// Whether the process may change it.
    package let isWritable: Bool

    package init(path: String, realPath: String, isWritable: Bool) {
        self.path = ExactPath(path)
        self.realPath = ExactPath(realPath)
        realKey = Packages.key(of: self.realPath)
        self.isWritable = isWritable
    }
}
