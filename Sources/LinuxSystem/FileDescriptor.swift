import CLinux
import Glibc
import Synchronization

/// An open file, directory, socket or memory file. The descriptor is closed when the last reference to the object is
/// released.
///
/// The object owns the descriptor's number. Other code must not close that number, or use it after the object is
/// released. Every descriptor opened through this type is close-on-exec.
///
/// To close a descriptor that another process has sent may block. Such a descriptor has a ``DescriptorCloseQueue``,
/// which closes it on another thread.
public final class FileDescriptor: Sendable {
    /// The descriptor's number. It is valid as long as this object is referenced.
    public let rawValue: CInt
    private let lane = AtomicLazyReference<DescriptorCloseQueue>()

    /// Takes ownership of an open descriptor. No other code may close it.
    public init(owning rawValue: CInt) {
        self.rawValue = rawValue
    }

    /// Takes ownership of a descriptor that another process has sent.
    ///
    /// - Parameter lane: the queue that closes the descriptor. With `nil`, the thread that releases the last reference
    ///   closes it.
    package convenience init(owning rawValue: CInt, closedOn lane: DescriptorCloseQueue?) {
        self.init(owning: rawValue)
        if let lane { close(on: lane) }
    }

    /// The queue that closes this descriptor; `nil` if the thread that releases the last reference closes it.
    package var closingLane: DescriptorCloseQueue? { lane.load() }

    /// Sets the queue that closes this descriptor after its last reference was released. Has no effect if a queue is
    /// already set.
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

        /// Refuses a path that leads out of the starting directory: an absolute path, or a path with `..` or a symbolic
        /// link that leads out of it.
        package static let beneath = Resolution(rawValue: clinux_resolve_beneath)
        package static let noSymbolicLinks = Resolution(rawValue: clinux_resolve_no_symlinks)
    }

    /// Opens the file at the given path. The corresponding C function is `open`.
    package static func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0o600
    ) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_openat(AT_FDCWD, path, options.rawValue | O_CLOEXEC, permissions) })
    }

    /// Opens the file at a path relative to this directory. The corresponding C function is `openat`.
    package func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0o600
    ) throws(Errno) -> FileDescriptor {
        FileDescriptor(
            owning: try retrying { clinux_openat(rawValue, path, options.rawValue | O_CLOEXEC, permissions) })
    }

    /// Opens the file at a path relative to this directory, with the given restrictions on the path. The corresponding
    /// C function is `openat2`.
    package func open(
        _ path: String, _ options: OpenOptions, permissions: mode_t = 0, resolving: Resolution
    ) throws(Errno) -> FileDescriptor {
        let flags = UInt64(UInt32(bitPattern: options.rawValue | O_CLOEXEC))
        return FileDescriptor(
            owning: try retrying {
                clinux_openat2(rawValue, path, flags, UInt64(permissions), resolving.rawValue)
            })
    }

    /// Whether a file exists at the path and no component of the path is a symbolic link. This function makes one
    /// system call, whereas resolving the path would take one call for each component.
    package static func leadsStraight(to path: String) -> Bool {
        let flags = UInt64(UInt32(bitPattern: OpenOptions.pathOnly.rawValue | O_CLOEXEC))
        let descriptor = clinux_openat2(AT_FDCWD, path, flags, 0, clinux_resolve_no_symlinks)
        guard descriptor >= 0 else { return false }
        _ = Glibc.close(descriptor)
        return true
    }

    /// Duplicates this descriptor. Both descriptors refer to the same open file description, and so share one position.
    package func duplicate() throws(Errno) -> FileDescriptor {
        let copy = try FileDescriptor.copy(of: rawValue)
        if let closingLane { copy.close(on: closingLane) }
        return copy
    }

    /// Opens the same file again. The new descriptor has a separate position. The file may have been renamed or
    /// removed.
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
        guard path.hasSuffix(" (deleted)") else { return path }
        // The kernel appends this suffix to the path of a removed file, but the name of an existing file may have it,
        // too.
        guard let status = try? status(), status.linkCount > 0,
            let named = try? FileStatus.of(path, followingLinks: false), named.identity == status.identity
        else { return nil }
        return path
    }
}
