/// The limits within which a confined process follows items that others move.
extension Arbiter {
    /// Limits a client's claims and presenters to its directories. If another process moves an item out of them, the
    /// client's claims still guard the original path, and its presenters are notified of a change only.
    ///
    /// - Parameter groups: Directories that the client shares with others, to which the same applies.
    package mutating func confine(_ client: UInt64, to folder: ExactPath, and groups: [ExactPath] = []) {
        confinements[client] = [folder] + groups
    }

    /// Whether a client's claims and presenters follow an item that was moved.
    func mayFollow(_ client: UInt64, from path: ExactPath, to newPath: ExactPath) -> Bool {
        guard !confinements.isEmpty, let folders = confinements[client],
            folders.contains(where: { PlainPath.isAtOrBeneath(path, $0) })
        else { return true }
        return folders.contains { PlainPath.isAtOrBeneath(newPath, $0) }
    }
}
