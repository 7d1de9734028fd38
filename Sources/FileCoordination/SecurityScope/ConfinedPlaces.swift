/// The socket for file coordination that a confined process inherits. Such a process must not open connections itself.
package enum CoordinationLink {
    /// The number of the socket's descriptor in a confined process.
    package static let descriptorNumber = 5
    /// The environment variable with the number of the descriptor.
    package static let environmentKey = "PURVEY_COORDINATION_LINK"
}

/// The mapping between the paths that one confined process uses and the real files. It is supplied by the component
/// that starts the process.
package protocol ConfinedPlaces: Sendable {
    /// The name of the process in messages to other processes: its bundle identifier.
    var name: String { get }
    /// The path of the container of the process, with symbolic links resolved.
    var container: String { get }
    /// The paths of the directories that the process shares with its groups, with symbolic links resolved.
    var groups: [String] { get }
    /// The path of the directory in which items from outside the container appear, with symbolic links resolved. The
    /// process may use only these items in it.
    var scopes: String { get }
    /// Returns the item in `scopes` that is at or above a path; `nil` if there is none. Does not wait for the file
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
    /// The outermost package that contains `realPath`. If no package contains it, this is `realPath`.
    package let realKey: ExactPath
    /// Whether the process may change the item.
    package let isWritable: Bool

    package init(path: String, realPath: String, isWritable: Bool) {
        self.path = ExactPath(path)
        self.realPath = ExactPath(realPath)
        realKey = Packages.key(of: self.realPath)
        self.isWritable = isWritable
    }
}
