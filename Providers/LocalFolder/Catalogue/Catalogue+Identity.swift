import LinuxSystem

extension Catalogue {
    private static let identityKey = "identity"
    private static let markKey = "mark"

    /// The recorded identity of the served directory. It is cached, because every operation compares it with the
    /// directory at the path.
    final class Identity {
        fileprivate enum Noted {
            case bytes([UInt8])
            case mark
        }
        fileprivate var noted: Noted?
    }

    /// Records the identity of the directory when it is opened for the first time.
    func noteIdentity() throws {
        if let root = try? openRoot(checked: false) { _ = try noted(root) }
    }

    /// Whether a directory at the path is the one to which the catalogue belongs.
    func isServed(_ root: FileDescriptor) throws -> Bool {
        switch try noted(root) {
        case .bytes(let bytes): try FolderIdentity(of: root).isSame(as: bytes)
        case .mark: hasMark(root)
        case nil: false
        }
    }

    /// Returns the recorded identity. If none is recorded, records the identity of `root`.
    ///
    /// - Returns: `nil` if an earlier form of the catalogue recorded only an inode, and `root` has another inode.
    private func noted(_ root: FileDescriptor) throws -> Identity.Noted? {
        if let known = identity.noted { return known }
        let noted: Identity.Noted
        if try Self.setting(Self.markKey, in: database) != nil {
            noted = .mark
        } else if let bytes = try Self.setting(Self.identityKey, in: database) {
            noted = .bytes(bytes)
        } else {
            // An earlier form of the catalogue recorded only the inode.
            let inode = try number("inode")
            if inode != 0, try root.status().identity.inode != UInt64(bitPattern: inode) { return nil }
            noted = try note(root)
        }
        identity.noted = noted
        return noted
    }

    private func note(_ root: FileDescriptor) throws -> Identity.Noted {
        let identity = try FolderIdentity(of: root)
        if identity.needsMark, (try? putMark(into: root)) != nil {
            try Self.set(Self.markKey, Array(stamp.utf8), in: database)
            return .mark
        }
        try Self.set(Self.identityKey, identity.bytes, in: database)
        return .bytes(identity.bytes)
    }

    private static let marks = FileName("served")

    /// The name of the mark file, by which the disk of the served directory is recognized. It is the catalogue's stamp,
    /// because several catalogues may serve the same disk.
    private var markName: FileName? { FileName(stamp) }

    private func putMark(into root: FileDescriptor) throws {
        guard let name = markName, let marks = Self.marks else { throw Errno.invalidArgument }
        let folder = try openOrMakeTrash(in: root).openOrMakeDirectory(marks, permissions: 0o700)
        if (try? folder.status(of: name)) == nil { _ = try folder.createFile(name, permissions: 0o600) }
    }

    private func hasMark(_ root: FileDescriptor) -> Bool { (try? TrashFolder.open(in: root)).map(isMarked) ?? false }

    /// Whether a trash has the mark of this catalogue.
    func isMarked(_ trash: FileDescriptor) -> Bool {
        guard let name = markName, let marks = Self.marks,
            let place = try? trash.open(entry: marks, [.readOnly, .directory])
        else { return false }
        return (try? place.status(of: name)) != nil
    }
}
