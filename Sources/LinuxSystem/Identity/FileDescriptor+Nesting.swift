import Glibc

extension FileDescriptor {
    /// Whether this folder is another one or lies beneath it, by whatever paths the two are reached: the folders above it are
    /// compared by device and inode.
    package func isWithin(_ folder: FileDescriptor) throws(Errno) -> Bool {
        let wanted = try folder.status().identity
        let root = try FileDescriptor.open("/", [.pathOnly, .directory]).status().identity
        var current = self
        var identity = try status().identity
        for _ in 0..<Int(PATH_MAX) {
            if identity == wanted { return true }
            let parent = try current.open("..", [.pathOnly, .directory])
            let parentIdentity = try parent.status().identity
            // A folder that is mounted once more within itself is its own parent, too, and not the last one.
            if parentIdentity == identity, identity == root { return false }
            (current, identity) = (parent, parentIdentity)
        }
        throw .nameTooLong
    }

    /// Whether one of two folders is the other or lies beneath it.
    package func overlaps(_ folder: FileDescriptor) throws(Errno) -> Bool {
        if try isWithin(folder) { return true }
        return try folder.isWithin(self)
    }
}
