/// How much a tree holds, for showing progress. Reading it costs one status call for each file.
package struct TreeSize: Sendable, Equatable {
    /// The sizes of all regular files together.
    package private(set) var bytes = 0
    /// Everything but the root.
    package private(set) var entries = 0

    /// Walks a directory and adds up; nothing in it is opened but directories.
    ///
    /// - Parameter isCancelled: asked at every entry; a walk that is cancelled gives `nil`.
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
