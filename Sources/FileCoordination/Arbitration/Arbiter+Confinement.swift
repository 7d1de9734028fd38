/// How far a confined process follows items that others move.
extension Arbiter {
    /// From now on, what a process claims and presents in its folder stays there: what another process moves out of it is the
    /// confined one's business no more. Its claims guard the place that they were made for, and its presenters learn of a change.
    package mutating func confine(_ client: UInt64, to folder: ExactPath) { confinements[client] = folder }

    /// Whether a process goes on with an item that was moved.
    func mayFollow(_ client: UInt64, from path: ExactPath, to newPath: ExactPath) -> Bool {
        guard !confinements.isEmpty, let folder = confinements[client], PlainPath.isAtOrBeneath(path, folder) else {
            return true
        }
        return PlainPath.isAtOrBeneath(newPath, folder)
    }
}
