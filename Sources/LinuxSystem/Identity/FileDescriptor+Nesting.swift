import Glibc

extension FileDescriptor {
    /// Whether this directory is `folder` or lies beneath it, by whatever paths the two were opened. Compares the
    /// device and inode of each ancestor.
    package func isWithin(_ folder: FileDescriptor) throws(Errno) -> Bool {
        let wanted = try folder.status().identity
        let root = try FileDescriptor.open("/", [.pathOnly, .directory]).status().identity
        var current = self
        var identity = try status().identity
        for _ in 0..<Int(PATH_MAX) {
            if identity == wanted { return true }
            let parent = try current.open("..", [.pathOnly, .directory])
            let parentIdentity = try parent.status().identity
            // A directory that is bind-mounted on itself can be its own parent without being the root.
            if parentIdentity == identity, identity == root { return false }
            (current, identity) = (parent, parentIdentity)
        }
        throw .nameTooLong
    }

    /// Whether one of two directories is the other or lies beneath it.
    package func overlaps(_ folder: FileDescriptor) throws(Errno) -> Bool {
        if try isWithin(folder) { return true }
        return try folder.isWithin(self)
    }
}
