public import LinuxSystem

/// The options of mounting and serving a file system.
public struct MountOptions: Sendable {
    /// The source that the mount table shows.
    public var name: String
    /// The kind of file system, which the mount table shows as `fuse.subtype`.
    public var subtype: String
    /// The path of the existing directory that the file system shows; `nil` if it shows none. The mount point must
    /// neither be in this directory nor contain it. Otherwise the file system would send requests to itself, and block.
    public var source: String?
    /// Whether users other than the one that mounts the file system may access it. Without root's rights, this requires
    /// `user_allow_other` in `/etc/fuse.conf`.
    public var allowsOthers = false
    /// Whether the mount is read-only.
    public var isReadOnly = false
    /// Whether the kernel checks permissions by mode, owner and group. If `false`, it permits every access.
    public var checksPermissions = true
    /// The maximum number of bytes of one read.
    public var largestRead = 1 << 20
    /// The maximum number of bytes of one write.
    public var largestWrite = 1 << 20
    /// The maximum number of bytes that the kernel reads ahead. The kernel's own settings may lower this limit.
    public var readAhead = 1 << 20
    /// The maximum number of threads that serve requests at the same time. If requests block their threads, up to eight
    /// times as many threads run.
    public var threads = 4
    /// Whether files may be passed through (FUSE_PASSTHROUGH), if the kernel and the process's rights allow it.
    public var wantsPassthrough = false
    /// The path of the socket of a `purvey-passthrough` process, which registers backing files for processes without
    /// the right to do so. The process is not used if it runs neither as root nor as this user.
    public var passthroughHelper: String?
    /// Whether listings include attributes if the kernel needs them (FUSE_DO_READDIRPLUS, FUSE_READDIRPLUS_AUTO).
    public var listsWithAttributes = true
    /// Whether the kernel caches the targets of symbolic links (FUSE_CACHE_SYMLINKS).
    public var cachesSymbolicLinks = true
    /// Whether the kernel drops a file's cached pages when it finds a changed size or modification time
    /// (FUSE_AUTO_INVAL_DATA).
    public var dropsChangedPages = true
    /// Whether the file system serves record locks: fcntl(2), FUSE_POSIX_LOCKS. If `false`, the kernel manages them,
    /// for this machine only.
    public var servesLocks = false
    /// Whether the file system serves whole-file locks: flock(2), FUSE_FLOCK_LOCKS. If `false`, the kernel manages
    /// them, for this machine only.
    public var servesWholeFileLocks = false
    /// The function that starts the serving threads. Tests replace it with one that fails.
    package var startThread: @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) -> Void =
        {
            (name, body) throws(Errno) in try SystemThread.start(name, body)
        }

    /// Creates the default options.
    public init(name: String, subtype: String = "swift") {
        self.name = name
        self.subtype = subtype
    }
}

/// The reason why a file system could not be mounted.
public enum MountError: Error, Sendable, CustomStringConvertible {
    /// The FUSE device cannot be opened.
    case noDevice(Errno)
    /// The mount point does not exist, or this user may not mount on it.
    case notMounted(path: String, Errno)
    /// The shown directory contains the mount point, or the mount point contains the shown directory
    /// (``MountOptions/source``).
    case showsItself(path: String, source: String)
    /// The directory that is shown cannot be opened.
    case noSource(path: String, Errno)
    /// `fusermount3`, with which users other than root mount, is not installed, or failed with this message.
    case refused(String)
    /// The kernel's protocol is older than this library's (7.31).
    case isTooOld(major: UInt32, minor: UInt32)
    /// The mount was unmounted before it was ready, or no thread could be started. The error is `nil` if there is no
    /// error number.
    case ended(Errno?)

    /// The failure in a sentence.
    public var description: String {
        switch self {
        case .noDevice(let error): "/dev/fuse cannot be opened: \(error)"
        case .notMounted(let path, let error): "nothing can be mounted on \(path): \(error)"
        case .showsItself(let path, let source):
            "\(source) cannot be shown on \(path), because one of them lies within the other"
        case .noSource(let path, let error): "\(path) cannot be shown: \(error)"
        case .refused(let words): "fusermount3 does not mount: \(words)"
        case .isTooOld(let major, let minor): "the kernel's FUSE protocol \(major).\(minor) is too old"
        case .ended(let error): "the mount ended before it was ready" + (error.map { ": \($0)" } ?? "")
        }
    }
}
