import Glibc

/// A directory that has a hidden name until its contents are complete. When this value is released without being
/// published, the directory and its contents are removed. If the process is killed, the directory remains until
/// ``TemporaryName/sweepMarked(_:)`` removes it.
package struct StagedTree: ~Copyable {
    /// The directory, open for reading, with mode 0700.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Creates an empty directory that can be published in the given directory.
    package init(in directory: FileDescriptor) throws(Errno) {
        self.directory = directory
        while true {
            let name = TemporaryName.random()
            do throws(Errno) {
                try directory.makeDirectory(name, permissions: 0o700)
            } catch .fileExists {
                continue
            }
            let made: FileDescriptor
            do throws(Errno) {
                made = try directory.open(entry: name, [.readOnly, .directory])
            } catch .noSuchFile {
                continue  // A concurrent sweep removed the directory.
            }
            guard try TemporaryName.lock(made) else { continue }
            TemporaryName.mark(made)
            descriptor = made
            temporaryName = name
            return
        }
    }

    deinit {
        if let temporaryName { try? TreeRemover.remove(temporaryName, in: directory) }
    }

    /// Makes the directory appear under the given name.
    ///
    /// - Throws: EEXIST if the parent directory has an entry with this name.
    package mutating func publish(as name: FileName) throws(Errno) {
        guard let temporaryName else { return }
        try directory.rename(temporaryName, to: name)
        self.temporaryName = nil
        TemporaryName.unmark(descriptor)
    }

    /// Moves an entry of the directory to the parent directory, and atomically replaces a file that has the entry's
    /// name there.
    package func moveOut(_ name: FileName) throws(Errno) {
        StagedTreeStep.filled.reach()
        try retrying { renameat(descriptor.rawValue, name.characters, directory.rawValue, name.characters) }
    }
}

/// The fault points of a ``StagedTree``.
package enum StagedTreeStep: String, FaultPoint {
    /// The directory has the entry that is about to be moved out.
    case filled = "tree.staged.filled"
}
