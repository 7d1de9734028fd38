import CLinux
import Glibc
import Synchronization

/// An open file, directory, socket or memory file. It is closed when the last reference to the object is dropped.
///
/// The object owns the descriptor's number. Other code must not close that number, or use it after the object is
/// released. Every descriptor opened through this type is close-on-exec.
///
/// close(2) of a descriptor that a peer sent may block. Such a descriptor has a ``DescriptorCloseQueue``, which closes
/// it on another thread.
public final class FileDescriptor: Sendable {
    /// The descriptor's number. It stays valid for as long as this object is referenced.
    public let rawValue: CInt
    private let lane = AtomicLazyReference<DescriptorCloseQueue>()

    /// Takes ownership of an open descriptor. No other code may close it.
    public init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Takes ownership of a descriptor that a peer sent.
    ///
    /// - Parameter lane: the queue that closes the descriptor. With `nil`, the thread that releases the last reference
    ///   closes it.
    package convenience init(owning rawValue: CInt, closedOn lane: DescriptorCloseQueue?) {
        self.init(owning: rawValue)
        if let lane { close(on: lane) }
    }

    /// The queue that closes this descriptor; `nil` if the thread that releases the last reference closes it.
    package var closingLane: DescriptorCloseQueue? { lane.load() }

    /// Sets the queue that closes this descriptor after its last reference is released. Has no effect if a queue is set
    /// already.
    package func close(on lane: DescriptorCloseQueue) {
        _ = self.lane.storeIfNil(lane)
    }

    deinit {
        if let lane = lane.load() { return lane.close(rawValue) }
        // Linux frees the number regardless of the result of close(2). A second attempt could close another thread's
        // descriptor.
        _ = Glibc.close(rawValue)
    }
}

extension FileDescriptor {
    /// The access mode and flags of open(2). O_CLOEXEC is always added.
    package struct OpenOptions: OptionSet, Sendable {
        package let rawValue: CInt
        package init(rawValue: CInt) { self.rawValue = rawValue }

        package static let readOnly = OpenOptions(rawValue: O_RDONLY)
        package static let writeOnly = OpenOptions(rawValue: O_WRONLY)
        package static let readWrite = OpenOptions(rawValue: O_RDWR)
        package static let create = OpenOptions(rawValue: O_CREAT)
        package static let exclusive = OpenOptions(rawValue: O_EXCL)
        package static let truncate = OpenOptions(rawValue: O_TRUNC)
        package static let append = OpenOptions(rawValue: O_APPEND)
        package static let nonBlocking = OpenOptions(rawValue: O_NONBLOCK)
        package static let noFollow = OpenOptions(rawValue: O_NOFOLLOW)
        package static let directory = OpenOptions(rawValue: clinux_o_directory)
        package static let pathOnly = OpenOptions(rawValue: clinux_o_path)
        package static let unnamedTemporary = OpenOptions(rawValue: clinux_o_tmpfile)
    }

    /// The restrictions on path resolution of openat2(2).
    package struct Resolution: OptionSet, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Refuses a path that leaves the starting directory: with `..`, as an absolute path, or through a link.
        package static let beneath = Resolution(rawValue: clinux_resolve_beneath)
        package static let noSymbolicLinks = Resolution(rawValue: clinux_resolve_no_symlinks)
    }

    /// Opens a path. The corresponding C function is `open`.
    package static func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0o600
    ) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_openat(AT_FDCWD, path, options.rawValue | O_CLOEXEC, permissions) })
    }

    /// Opens a path that starts at this directory. The corresponding C function is `openat`.
    package func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0o600
    ) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_openat(rawValue, path, options.rawValue | O_CLOEXEC, permissions) })
    }

    /// Opens a path that starts at this directory and may not leave it. The corresponding C function is `openat2`.
    package func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0, resolving: Resolution
    ) throws(Errno) -> FileDescriptor {
        let flags = UInt64(UInt32(bitPattern: options.rawValue | O_CLOEXEC))
        return FileDescriptor(
            owning: try retrying {
                clinux_openat2(rawValue, path, flags, UInt64(permissions), resolving.rawValue)
            })
    }

    /// Whether a path exists and contains no symbolic link, not even at its end. This needs one system call. Resolving
    /// the path would need one call per component.
    package static func leadsStraight(to path: String) -> Bool {
        let flags = UInt64(UInt32(bitPattern: OpenOptions.pathOnly.rawValue | O_CLOEXEC))
        let descriptor = clinux_openat2(AT_FDCWD, path, flags, 0, clinux_resolve_no_symlinks)
        guard descriptor >= 0 else { return false }
        _ = Glibc.close(descriptor)
        return true
    }

    /// Duplicates this descriptor. The two descriptors share one open file description, and therefore the position.
    package func duplicate() throws(Errno) -> FileDescriptor {
        let copy = try FileDescriptor.copy(of: rawValue)
        if let closingLane { copy.close(on: closingLane) }
        return copy
    }

    /// Opens the same file again, with a separate position. The file's path need not exist any more.
    package func reopen(_ options: OpenOptions) throws(Errno) -> FileDescriptor {
        let file = try FileDescriptor.open("/proc/self/fd/\(rawValue)", options)
        if let closingLane { file.close(on: closingLane) }
        return file
    }

    /// The absolute path that the kernel reports for this descriptor, or `nil` if the file has none or is deleted.
    package var path: String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 16)
        let length = readlink("/proc/self/fd/\(rawValue)", &buffer, buffer.count - 1)
        guard length > 0, buffer[0] == CChar(UInt8(ascii: "/")) else { return nil }
        let path = String(decoding: buffer[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.hasSuffix(" (deleted)") ? nil : path
    }
}
