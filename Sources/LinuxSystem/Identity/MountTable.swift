import Glibc

/// A file system where it is mounted, as `/proc/self/mountinfo` has it (proc(5)).
package struct Mount: Sendable, Hashable {
    /// The device number of the file system, in the form of `st_dev`.
    package let device: UInt64
    /// The folder of the file system that is seen at the mount point.
    package let root: String
    package let point: String
    /// The kind of file system, as in `ext4` and `fuse.sshfs`; empty where the line does not say.
    package let type: String

    /// Whether a program or another machine answers for it. Whoever looks there waits for that, for ever if it hangs.
    ///
    /// `fuseblk` is a local disk, as NTFS ones are.
    package var isServed: Bool {
        type == "fuse" || type.hasPrefix("fuse.") || Self.servedTypes.contains(type)
    }

    private static let servedTypes: Set<String> = [
        "9p", "afs", "autofs", "ceph", "cifs", "nfs", "nfs4", "smb3", "virtiofs",
    ]

    /// Where a path of the file system is seen through this mount; `nil` where it is not.
    package func path(of inside: String) -> String? {
        Self.rest(of: inside, beneath: root).map { Self.join(point, $0) }
    }

    /// What the file system itself calls a path beneath the mount point.
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
                // After fields of which there are more or fewer.
                type: fields.drop { $0 != "-" }.dropFirst().first.map(String.init) ?? "")
        }
    }

    /// The mount that a path lies on: of those above it the deepest, and of several there the last.
    package func mount(of path: String) -> Mount? {
        var found: Mount?
        for mount in mounts where mount.inside(path) != nil {
            if mount.point.utf8.count >= found?.point.utf8.count ?? 0 { found = mount }
        }
        return found
    }

    /// As the C library's `makedev` composes it.
    private static func device(major: UInt64, minor: UInt64) -> UInt64 {
        (minor & 0xFF) | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
    }

    /// Space, tab, line feed and backslash stand there as three octal digits.
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
