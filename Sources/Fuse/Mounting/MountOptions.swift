public import LinuxSystem

/// How a file system is mounted and served.
public struct MountOptions: Sendable {
    /// What the mount table says is mounted.
    public var name: String
    /// The kind of file system: it appears as `fuse.subtype`.
    public var subtype: String
    /// The folder whose files the file system shows, where it shows those of one. Nothing is mounted within it or on a folder that it
    /// lies in: the file system would ask itself, and nobody would answer.
    public var source: String?
    /// Whether users other than the one who mounts may use it. Without root's rights it takes `user_allow_other` in
    /// `/etc/fuse.conf`.
    public var allowsOthers = false
    /// Nothing in it can be changed.
    public var isReadOnly = false
    /// Whether the kernel decides by mode, owner and group who may do what. Otherwise it lets everybody do everything.
    public var checksPermissions = true
    /// The most bytes of one read.
    public var largestRead = 1 << 20
    /// The most bytes of one write.
    public var largestWrite = 1 << 20
    /// The most bytes that the kernel reads ahead, as far as it is set up to.
    public var readAhead = 1 << 20
    /// The most threads that serve requests at a time.
    public var threads = 4
    /// Whether files may be passed through, where the kernel and the process's rights allow it.
    public var wantsPassthrough = false
    /// The socket of a `purvey-passthrough` that helps a process without the right to pass files through. One that is neither root's nor
    /// this user's is not used.
    public var passthroughHelper: String?
    /// Whether listings that need it come with attributes (READDIRPLUS).
    public var listsWithAttributes = true
    /// Whether the kernel keeps the targets of symbolic links.
    public var cachesSymbolicLinks = true
    /// Whether the kernel drops a file's pages when its size or modification time has changed by itself.
    public var dropsChangedPages = true
    /// Whether record locks (fcntl(2)) come to the file system; otherwise the kernel keeps them, for this machine.
    public var servesLocks = false
    /// Likewise locks of whole files (flock(2)).
    public var servesWholeFileLocks = false
    /// What starts the threads that serve; tests give none.
    package var startThread: @Sendable (_ name: String, _ body: @escaping @Sendable () -> Void) throws(Errno) -> Void =
        {
            (name, body) throws(Errno) in try SystemThread.start(name, body)
        }

    /// The defaults.
    public init(name: String, subtype: String = "swift") {
        self.name = name
        self.subtype = subtype
    }
}

/// Why nothing was mounted.
public enum MountFailure: Error, Sendable, CustomStringConvertible {
    /// The FUSE device cannot be opened.
    case noDevice(Errno)
    /// There is nothing to mount on, or not for this user.
    case notMounted(path: String, Errno)
    /// The folder that is shown and the one to mount on lie within each other (``MountOptions/source``).
    case showsItself(path: String, source: String)
    /// The folder that is shown cannot be looked at.
    case noSource(path: String, Errno)
    /// `fusermount3`, which mounts for users other than root, is not there or says this.
    case refused(String)
    /// The kernel's protocol is older than this library's (7.31).
    case isTooOld(major: UInt32, minor: UInt32)
    /// It was mounted, and unmounted before it was ready; or there is no thread to be had.
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
