/// The size of a tree, for showing progress. Determining it costs one status call for each file.
package struct TreeSize: Sendable, Equatable {
    /// The total size of all regular files in bytes.
    package private(set) var bytes = 0
    /// The number of entries, without the root.
    package private(set) var entries = 0

    /// Returns the size of a directory's contents, or `nil` if cancelled. Opens nothing but directories.
    ///
    /// - Parameter isCancelled: called at every entry.
    package static func of(
        _ root: FileDescriptor, isCancelled: () -> Bool = { false }
    ) throws(WalkError) -> TreeSize? {
        var size = TreeSize()
        var walker = try TreeWalker(root: root, opensFiles: false)
        while let event = try walker.next() {
            if isCancelled() { return nil }
            switch event {
            case .file(let entry, _):
                size.bytes += entry.status.size
                size.entries += 1
            case .enter(let entry): size.entries += entry.name == nil ? 0 : 1
            case .link, .special: size.entries += 1
            case .leave: break
            }
        }
        return size
    }
}
