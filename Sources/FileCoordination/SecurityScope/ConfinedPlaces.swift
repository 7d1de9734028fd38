/// The socket for file coordination that a confined process inherits. A confined process cannot open connections
/// itself.
package enum CoordinationLink {
    /// The file descriptor number of the socket in a confined process.
    package static let descriptorNumber = 5
    /// The environment variable with the file descriptor number of the socket.
    package static let environmentKey = "PURVEY_COORDINATION_LINK"
}

/// The mapping between the paths that one confined process uses and the paths of the real files. The component that
/// starts the process implements the mapping.
package protocol ConfinedPlaces: Sendable {
    /// The name of the process in messages to other processes: its bundle identifier.
    var name: String { get }
    /// The path of the container of the process, with symbolic links resolved.
    var container: String { get }
    /// The paths of the directories of the app groups to which the process belongs, with symbolic links resolved.
    var groups: [String] { get }
    /// The path of the directory in which the process sees items from outside its container, with symbolic links
    /// resolved. In this directory, the process may use only these items.
    var scopes: String { get }
    /// Returns the item in `scopes` that is at the given path or contains it; `nil` if there is none. Does not wait for
    /// the file system.
    func item(at path: String) -> PlacedItem?
}

extension ConfinedPlaces {
    package var groups: [String] { [] }
}

/// An item outside the container to which a confined process has access.
package struct PlacedItem: Sendable {
    /// The path under which the process sees the item.
    package let path: ExactPath
    /// The current path of the original item.
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
