import Glibc

/// A directory with a hidden name that gets its own when everything in it is whole, and is removed with all that is
/// in it when that does not come to pass. What a killed process leaves, the next copy of a tree into the directory removes.
package struct StagedTree: ~Copyable {
    /// The directory, open for reading, with mode 0700.
    package let descriptor: FileDescriptor
    private let directory: FileDescriptor
    private var temporaryName: FileName?

    /// Makes an empty one in the directory where it will get its name.
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
                continue  // A sweep was faster.
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

    /// Makes the tree appear under its name; EEXIST where that is taken.
    package mutating func publish(as name: FileName) throws(Errno) {
        guard let temporaryName else { return }
        try directory.rename(temporaryName, to: name)
        self.temporaryName = nil
        TemporaryName.unmark(descriptor)
    }
}
