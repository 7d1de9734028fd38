import Glibc

/// The directories from a root down to the one a walk is in, with few of them open at a time.
///
/// Only the nearest ancestors stay open, so that a tree of any depth costs a fixed number of descriptors. One that was
/// closed is opened again as the parent of its child, and must then be the very directory it was: otherwise someone
/// moved a directory meanwhile, and going up would lead out of the tree.
package struct DirectoryStack: ~Copyable {
    private struct Ancestor {
        var descriptor: FileDescriptor?
        let identity: FileStatus.Identity
    }

    /// How many ancestors stay open.
    private static let openAncestors = 16

    /// The directory the walk is in.
    package private(set) var current: FileDescriptor
    private var currentIdentity: FileStatus.Identity
    private var ancestors: [Ancestor] = []
    /// For recognising a directory that lies within itself.
    private var identities: Set<FileStatus.Identity>

    package init(root: FileDescriptor, identity: FileStatus.Identity) {
        current = root
        currentIdentity = identity
        identities = [identity]
    }

    /// How far below the root the current directory is; 0 for the root.
    package var depth: Int { ancestors.count }

    /// Goes down into a directory, unless it is the current one or an ancestor of it: then `false`. No disk file
    /// system has such a cycle, but one served by a program can.
    package mutating func push(_ directory: FileDescriptor, identity: FileStatus.Identity) -> Bool {
        guard identities.insert(identity).inserted else { return false }
        ancestors.append(Ancestor(descriptor: current, identity: currentIdentity))
        current = directory
        currentIdentity = identity
        let closing = ancestors.count - 1 - Self.openAncestors
        if closing >= 0 { ancestors[closing].descriptor = nil }
        return true
    }

    /// Goes back up and gives the directory that was left, still open; `nil` at the root.
    ///
    /// - Throws: `ESTALE` when the parent is no longer the directory the walk came from.
    package mutating func pop() throws(Errno) -> FileDescriptor? {
        guard let parent = ancestors.last else { return nil }
        let child = current
        current = if let open = parent.descriptor { open } else { try reopen(parent.identity, above: child) }
        identities.remove(currentIdentity)
        currentIdentity = parent.identity
        ancestors.removeLast()
        return child
    }

    private func reopen(
        _ identity: FileStatus.Identity, above child: FileDescriptor
    ) throws(Errno) -> FileDescriptor {
        let parent = try child.open("..", [.readOnly, .directory, .noFollow])
        guard try parent.status().identity == identity else { throw Errno(rawValue: ESTALE) }
        return parent
    }
}
