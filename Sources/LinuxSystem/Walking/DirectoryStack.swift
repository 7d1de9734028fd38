import Glibc

/// The directories from the root of a walk down to the current directory. Only a few of them are open at the same time.
///
/// Only the nearest ancestors stay open, so that a tree of any depth needs a fixed number of descriptors. A closed
/// ancestor is opened again as the parent of its child, and must have the same identity as before. Otherwise, a
/// directory was moved meanwhile, and going up would lead out of the tree.
package struct DirectoryStack: ~Copyable {
    private struct Ancestor {
        var descriptor: FileDescriptor?
        let identity: FileStatus.Identity
    }

    /// The number of ancestors that stay open.
    private static let openAncestors = 16

    /// The current directory of the walk.
    package private(set) var current: FileDescriptor
    private var currentIdentity: FileStatus.Identity
    private var ancestors: [Ancestor] = []
    /// The identities on the stack, for detecting a directory that contains itself.
    private var identities: Set<FileStatus.Identity>

    package init(root: FileDescriptor, identity: FileStatus.Identity) {
        current = root
        currentIdentity = identity
        identities = [identity]
    }

    /// The depth of the current directory below the root, which has depth 0.
    package var depth: Int { ancestors.count }

    /// Enters a directory. Returns `false` if the directory is the current directory or one of its ancestors. Only a
    /// user-space file system can have such a cycle.
    package mutating func push(_ directory: FileDescriptor, identity: FileStatus.Identity) -> Bool {
        guard identities.insert(identity).inserted else { return false }
        ancestors.append(Ancestor(descriptor: current, identity: currentIdentity))
        current = directory
        currentIdentity = identity
        let closing = ancestors.count - 1 - Self.openAncestors
        if closing >= 0 { ancestors[closing].descriptor = nil }
        return true
    }

    /// Returns to the parent, and returns the directory that was left, still open; `nil` at the root.
    ///
    /// - Throws: `ESTALE` if the parent is no longer the directory that the walk came from.
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
