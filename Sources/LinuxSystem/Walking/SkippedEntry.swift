/// An entry of a tree that a copy or an archive left out: a pipe, socket or device.
package struct SkippedEntry: Sendable, Equatable {
    /// The path below the root.
    package let path: String
    package let kind: FileStatus.Kind

    package init(path: String, kind: FileStatus.Kind) {
        self.path = path
        self.kind = kind
    }
}
