import CFuse
import Glibc
import LinuxSystem

/// The setuid program `fusermount3`, which mounts and unmounts for users without the right to mount.
enum MountProgram {
    private static var path: String? {
        ["/usr/bin/fusermount3", "/bin/fusermount3", "/usr/local/bin/fusermount3"].first {
            access($0, X_OK) == 0
        }
    }

    static func mount(at path: String, _ options: MountOptions) throws(MountError) -> FileDescriptor {
        guard let program = Self.path else { throw .refused("it is not installed") }
        let device: FileDescriptor?
        let words: String
        do throws(Errno) {
            (device, words) = try run(program, path, options)
        } catch {
            throw .refused(error.description)
        }
        if let device { return device }
        throw .refused(words.isEmpty ? "it gives no reason" : words)
    }

    /// Returns the device of the mount, or the program's messages if it did not mount.
    private static func run(
        _ program: String, _ path: String, _ options: MountOptions
    ) throws(Errno) -> (FileDescriptor?, String) {
        var ends: (CInt, CInt) = (-1, -1)
        try retrying {
            withUnsafeMutableBytes(of: &ends) { cfuse_socket_pair($0.baseAddress?.assumingMemoryBound(to: CInt.self)) }
        }
        let ours = FileDescriptor(owning: ends.0)
        let theirs = FileDescriptor(owning: ends.1)
        let complaints = try MemoryFile.create(name: "fusermount3")
        var settings = ["fsname=\(escaped(options.name))", "max_read=\(options.largestRead)", "nosuid", "nodev"]
        if !options.subtype.isEmpty { settings.append("subtype=\(escaped(options.subtype))") }
        if options.allowsOthers { settings.append("allow_other") }
        if options.checksPermissions { settings.append("default_permissions") }
        if options.isReadOnly { settings.append("ro") }
        let child = try ChildProgram.start(
            program, arguments: ["-o", settings.joined(separator: ","), "--", path],
            environment: ["_FUSE_COMMFD=3", environment], descriptors: [nil, nil, complaints, theirs])
        // If the program succeeds, it sends the descriptor before it ends.
        _ = try child.wait()
        let received = cfuse_receive_descriptor(ours.rawValue)
        if received >= 0 { return (FileDescriptor(owning: received), "") }
        let words = (try? complaints.reopen(.readOnly).readToEnd(limit: 4096)) ?? []
        return (nil, String(decoding: words, as: UTF8.self).lines)
    }

    private static let environment = "PATH=/usr/sbin:/usr/bin:/sbin:/bin"

    static func unmount(_ path: String) {
        guard let program = Self.path else { return }
        let child = try? ChildProgram.start(
            program, arguments: ["-u", "-z", "-q", "--", path], environment: [environment],
            descriptors: [nil, nil, nil])
        // The program fails if no file system is mounted at the path any more.
        _ = try? child?.wait()
    }

    /// Escapes commas, which would begin the next option, and backslashes, which begin an escape sequence.
    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing(",", with: "\\,")
    }
}

extension String {
    /// The lines of the text, joined into one line.
    fileprivate var lines: String {
        split(separator: "\n", omittingEmptySubsequences: true).joined(separator: "; ")
    }
}
