/// How far a confined process follows items that others move.
extension Arbiter {
    /// From now on, what a process claims and presents in its folder stays there: what another process moves out of it is the
    /// confined one's business no more. Its claims guard the place that they were made for, and its presenters learn of a change.
    ///
    /// - Parameter groups: folders that it shares with others, to which the same applies.
    package mutating func confine(_ client: UInt64, to folder: ExactPath, and groups: [ExactPath] = []) {
        confinements[client] = [folder] + groups
    }

    /// Whether a process goes on with an item that was moved.
    func mayFollow(_ client: UInt64, from path: ExactPath, to newPath: ExactPath) -> Bool {
        guard !confinements.isEmpty, let folders = confinements[client],
            folders.contains(where: { PlainPath.isAtOrBeneath(path, $0) })
        else { return true }
        return folders.contains { PlainPath.isAtOrBeneath(newPath, $0) }
    }
}
