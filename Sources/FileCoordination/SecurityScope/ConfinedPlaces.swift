/// How a confined process takes part in file coordination: over a socket that it was started with, because it may make none.
package enum CoordinationLink {
    /// The descriptor of that socket in a confined process.
    package static let descriptorNumber = 5
    /// In the environment of a confined process: the number of that descriptor.
    package static let environmentKey = "PURVEY_COORDINATION_LINK"
}

/// What one confined process calls files, and which files those are. Whoever starts the process knows.
package protocol ConfinedPlaces: Sendable {
    /// What others are told that the process is: its bundle's identifier.
    var name: String { get }
    /// The folder that the process has to itself, with the links on its way resolved.
    var container: String { get }
    /// The folders that the process shares with the programs of its groups, likewise.
    var groups: [String] { get }
    /// The folder of the places where items of others appear, likewise. Nothing else in it is the process's business.
    var scopes: String { get }
    /// The item that a path in `scopes` is at or beneath; `nil` for no item. Does not wait for the file system.
    func item(at path: String) -> PlacedItem?
}

extension ConfinedPlaces {
    package var groups: [String] { [] }
}

/// An item of others that a confined process has access to.
package struct PlacedItem: Sendable {
    /// What the process calls it.
    package let path: ExactPath
    /// Where it is now.
    package let realPath: ExactPath
    /// The outermost package that it is in, else `realPath`.
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
