import Glibc

/// A mounted file system, as one line of `/proc/self/mountinfo` describes it (proc(5)).
package struct Mount: Sendable, Hashable {
    /// The device number of the file system, as in `st_dev`.
    package let device: UInt64
    /// The path, within the file system, of the directory that appears at the mount point.
    package let root: String
    package let point: String
    /// The type of the file system, such as `ext4` or `fuse.sshfs`; empty if the line contains none.
    package let type: String

    /// Whether a user-space server or another machine serves the file system. A file access waits for that server, and
    /// blocks without limit if the server hangs.
    ///
    /// The value is `false` for the type `fuseblk`, which is a local disk, for example with NTFS.
    package var isServed: Bool {
        type == "fuse" || type.hasPrefix("fuse.") || Self.servedTypes.contains(type)
    }

    private static let servedTypes: Set<String> = [
        "9p", "afs", "autofs", "ceph", "cifs", "nfs", "nfs4", "smb3", "virtiofs",
    ]

    /// Returns the path, beneath the mount point, of the file at the path `inside` within the file system. Returns
    /// `nil` if this file is not visible through the mount.
    package func path(of inside: String) -> String? {
        Self.rest(of: inside, beneath: root).map { Self.join(point, $0) }
    }

    /// Returns the path that the file at the given path has within the mounted file system. Returns `nil` if the given
    /// path is not beneath the mount point.
    package func inside(_ path: String) -> String? {
        Self.rest(of: path, beneath: point).map { Self.join(root, $0) }
    }

    private static func rest(of path: String, beneath folder: String) -> String? {
        path.pathNames(beneath: folder)?.joined(separator: "/")
    }

    private static func join(_ folder: String, _ rest: String) -> String {
        if rest.isEmpty { return folder }
        return folder == "/" ? "/" + rest : folder + "/" + rest
    }
}

/// The mounts that this process sees.
package struct MountTable: Sendable {
    package let mounts: [Mount]

    package static func current() throws(Errno) -> MountTable {
        let file = try FileDescriptor.open("/proc/self/mountinfo", .readOnly)
        return MountTable(text: String(decoding: try file.readToEnd(limit: 16 << 20), as: UTF8.self))
    }

    package init(text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            guard fields.count > 5 else { return nil }
            let numbers = fields[2].split(separator: ":").compactMap { UInt64($0) }
            guard numbers.count == 2 else { return nil }
            return Mount(
                device: Self.device(major: numbers[0], minor: numbers[1]), root: Self.unescaped(fields[3]),
                point: Self.unescaped(fields[4]),
                // The number of fields before the separator varies.
                type: fields.drop { $0 != "-" }.dropFirst().first.map(String.init) ?? "")
        }
    }

    /// Returns the mount that contains the given path: the one with the deepest mount point. If several mounts have
    /// this mount point, returns the last one.
    package func mount(of path: String) -> Mount? {
        var found: Mount?
        for mount in mounts where mount.inside(path) != nil {
            if mount.point.utf8.count >= found?.point.utf8.count ?? 0 { found = mount }
        }
        return found
    }

    /// Returns the device number that the C library's `makedev` computes from its two parts.
    private static func device(major: UInt64, minor: UInt64) -> UInt64 {
        (minor & 0xFF) | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    }

    /// Decodes the octal escapes that stand for space, tab, line feed and backslash.
    private static func unescaped(_ field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(field.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(code)
            rest = rest.dropFirst(3)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
