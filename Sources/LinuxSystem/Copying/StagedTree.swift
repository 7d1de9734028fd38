import Glibc

/// A directory with a hidden name, which gets its final name when its contents are complete. If it is not published,
/// it is removed with its contents. The leftovers of a killed process are removed by the next copy of a tree into the
/// same directory.
package struct StagedTree: ~Copyable {
    /// The directory, open for reading, with mode 0700.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Creates an empty directory, to be published in the given directory.
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

    /// Makes the tree appear under its name.
    ///
    /// - Throws: EEXIST if the name is taken.
    package mutating func publish(as name: FileName) throws(Errno) {
        guard let temporaryName else { return }
        try directory.rename(temporaryName, to: name)
        self.temporaryName = nil
        TemporaryName.unmark(descriptor)
    }
}
