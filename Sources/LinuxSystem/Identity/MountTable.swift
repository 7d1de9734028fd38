import Glibc

/// A mounted file system, as in `/proc/self/mountinfo` (proc(5)).
package struct Mount: Sendable, Hashable {
    /// The device number of the file system, as in `st_dev`.
    package let device: UInt64
    /// The directory of the file system that appears at the mount point.
    package let root: String
    package let point: String
    /// The type of the file system, such as `ext4` or `fuse.sshfs`; empty if the line has none.
    package let type: String

    /// Whether a user-space server or another machine serves the file system. A file access waits for that server, and
    /// blocks without limit if the server hangs.
    ///
    /// `fuseblk` is a local disk, such as NTFS.
    package var isServed: Bool {
        type == "fuse" || type.hasPrefix("fuse.") || Self.servedTypes.contains(type)
    }

    private static let servedTypes: Set<String> = [
        "9p", "afs", "autofs", "ceph", "cifs", "nfs", "nfs4", "smb3", "virtiofs",
    ]

    /// Returns the path at which this mount shows a path of the file system; `nil` if the mount does not show the path.
    package func path(of inside: String) -> String? {
        Self.rest(of: inside, beneath: root).map { Self.join(point, $0) }
    }

    /// Returns the path inside the file system for a path beneath the mount point; `nil` if the path is not beneath it.
    package func inside(_ path: String) -> String? {
        Self.rest(of: path, beneath: point).map { Self.join(root, $0) }
    }

    private static func rest(of path: String, beneath folder: String) -> Substring? {
        if folder == "/" { return path.dropFirst() }
        if path == folder { return "" }
        return path.hasPrefix(folder + "/") ? path.dropFirst(folder.utf8.count + 1) : nil
    }

    private static func join(_ folder: String, _ rest: Substring) -> String {
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

    /// Returns the mount of a path: the deepest mount point above the path, and the last mount at that point.
    package func mount(of path: String) -> Mount? {
        var found: Mount?
        for mount in mounts where mount.inside(path) != nil {
            if mount.point.utf8.count >= found?.point.utf8.count ?? 0 { found = mount }
        }
        return found
    }

    /// Returns a device number as the C library's `makedev` composes it.
    private static func device(major: UInt64, minor: UInt64) -> UInt64 {
        (minor & 0xFF) | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    }

    /// Decodes the octal escapes of space, tab, line feed and backslash.
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
