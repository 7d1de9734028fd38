import Glibc

/// The directories from the root of a walk down to the current directory.
///
/// Only the nearest ancestors stay open, so that a tree of any depth needs a fixed number of descriptors. A closed
/// ancestor is opened again through `..` of its child, and must have the same identity as before. If it has another
/// identity, a directory was moved in the meantime, and `..` would lead out of the tree.
package struct DirectoryStack: ~Copyable {
    private struct Ancestor {
        var descriptor: FileDescriptor?
        let identity: FileStatus.Identity
    }

    /// The maximum number of ancestors that stay open: those nearest to the current directory.
    private static let openAncestors = 16

    /// The current directory of the walk.
    package private(set) var current: FileDescriptor
    private var currentIdentity: FileStatus.Identity
    private var ancestors: [Ancestor] = []
    /// The identities of all directories on the stack. They are used to detect a directory that contains itself.
    private var identities: Set<FileStatus.Identity>

    package init(root: FileDescriptor, identity: FileStatus.Identity) {
        current = root
        currentIdentity = identity
        identities = [identity]
    }

    /// The number of levels from the root down to the current directory; 0 if the current directory is the root.
    package var depth: Int { ancestors.count }

    /// Makes the given directory the current one. Returns `false`, without a change, if the directory is already on the
    /// stack. Only a user-space file system can have such a cycle.
    package mutating func push(_ directory: FileDescriptor, identity: FileStatus.Identity) -> Bool {
        guard identities.insert(identity).inserted else { return false }
        ancestors.append(Ancestor(descriptor: current, identity: currentIdentity))
        current = directory
        currentIdentity = identity
        let closing = ancestors.count - 1 - Self.openAncestors
        if closing >= 0 { ancestors[closing].descriptor = nil }
        return true
    }

    /// Makes the parent the current directory. Returns the directory that was the current one, which is still open. At
    /// the root, changes nothing and returns `nil`.
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
