/// The behaviour of a rename if the new name is taken.
package enum RenameMode: Sendable, Equatable {
    /// The item with that name is replaced.
    case replacing
    /// The rename fails.
    case onlyToFreeName
    /// The two items are exchanged.
    case exchanging
}
