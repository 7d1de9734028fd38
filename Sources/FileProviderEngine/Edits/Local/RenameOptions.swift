/// How an item is renamed where the new name is taken.
package enum RenameMode: Sendable, Equatable {
    /// What has the name is replaced.
    case replacing
    /// It fails.
    case onlyToFreeName
    /// The two change places.
    case exchanging
}
