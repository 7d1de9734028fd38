import CFuse
import Glibc
public import LinuxSystem

/// A file system that is mounted and served.
///
/// Its threads serve until the file system is unmounted, by ``unmount(aborting:)`` or by another process. The session
/// does not retain the file system. The threads retain it while they run.
public final class Session: Sendable {
    /// The mount point: an absolute path, without symbolic links.
    public let path: String
    /// The features that were negotiated with the kernel.
    let features: SessionFeatures
    let device: FileDescriptor
    /// A second open descriptor of the device, for threads that do not block on reads; `nil` if the kernel does not
    /// provide one.
    let extraDevice: FileDescriptor?
    let mount: MountPoint
    /// The maximum number of bytes of one read, and of one write, as negotiated with the kernel.
    let largestRead: Int
    let largestWrite: Int
    private let helper: String?
    private let registrar: Lock<(any BackingRegistrar)?>
    let requests = RequestTable()
    let notifier: Notifier
    let hasEnded = Latch()

    /// Creates a session.
    ///
    /// - Parameter extra: the second descriptor of the device, if a previous process has opened it.
    init(_ mount: MountPoint, _ features: SessionFeatures, extra: FileDescriptor? = nil, _ options: MountOptions) {
        self.mount = mount
        path = mount.path
        device = mount.device
        extraDevice = extra ?? Self.clone(mount.device)
        largestRead = options.largestRead
        largestWrite = options.largestWrite
        self.features = features
        helper = options.passthroughHelper
        registrar = Lock(nil)
        notifier = Notifier(mount.device, requests)
        requests.watch { [weak notifier] node, other in notifier?.requestCompleted(for: node, other) }
    }

    private static func clone(_ device: FileDescriptor) -> FileDescriptor? {
        guard let fresh = try? FileDescriptor.open("/dev/fuse", [.readWrite, .nonBlocking]),
            cfuse_clone(fresh.rawValue, device.rawValue) == 0
        else { return nil }
        return fresh
    }

    /// Mounts a file system and serves it.
    ///
    /// Blocks until the kernel has begun the session. First unmounts a mount that a dead process left at the path. Uses
    /// mount(2) if that is permitted, and `fusermount3` otherwise.
    ///
    /// - Parameter path: the path of the directory to mount on.
    public static func mount(
        at path: String, options: MountOptions, _ fileSystem: any FileSystem
    ) throws(MountError) -> Session {
        _ = unmountStale(at: path)
        let mount = try MountPoint(at: path, options)
        do throws(MountError) {
            let features = try InitNegotiation.negotiate(over: mount.device, options)
            let session = Session(mount, features, options)
            try session.serve(fileSystem, options)
            return session
        } catch {
            mount.unmount(aborting: true)
            throw error
        }
    }

    /// Starts serving.
    ///
    /// - Parameter prepare: is called after ``FileSystem/start(_:)`` and before the first request is read.
    func serve(
        _ fileSystem: any FileSystem, _ options: MountOptions, prepare: () -> Void = {}
    ) throws(MountError) {
        let pool = WorkerPool(self, fileSystem, options)
        fileSystem.start(self)
        prepare()
        do throws(Errno) {
            try pool.start()
        } catch {
            throw MountError.ended(error)
        }
    }

    /// Unmounts the file system.
    ///
    /// The directory shows its former contents at once. Open files are still served, and the session ends when the
    /// last of them is closed.
    ///
    /// - Parameter aborting: whether to end the session at once. Open files, and requests that wait for a reply, then
    ///   fail with `ENOTCONN`.
    public func unmount(aborting: Bool = false) {
        mount.unmount(aborting: aborting)
        // If the session cannot be aborted in the kernel, the waiting requests keep it alive.
        if aborting { requests.interruptAll() }
    }

    /// Blocks until the session has ended and ``FileSystem/end()`` has returned.
    public func waitForEnd() { hasEnded.wait() }

    /// Unmounts a mount that a dead server left. Paths into such a mount fail with "Transport endpoint is not
    /// connected".
    ///
    /// - Returns: whether such a mount existed and was unmounted.
    @discardableResult
    public static func unmountStale(at path: String) -> Bool { MountPoint.unmountStale(at: path) }

    // MARK: Passthrough

    /// Whether files can be passed through. This requires that the kernel supports passthrough, and that this process
    /// or its helper has the right to register files.
    public var passthroughIsPermitted: Bool {
        guard features.passesThrough, let probe = try? MemoryFile.create(name: "purvey-probe") else { return false }
        return (try? backing(for: probe)) != nil
    }

    /// Registers a file with the kernel, so that it can back a file of this file system.
    ///
    /// Fails with `EPERM` if the process lacks the right to register files, with `EOPNOTSUPP` if the session does not
    /// support passthrough, and with `ELOOP` if the file is itself on a file system with passthrough.
    ///
    /// - Parameter file: a file that is open in any mode except `O_PATH`. The kernel opens it again for each handle, as
    ///   the user who registered it. The file system that contains the file must permit that.
    public func backing(for file: FileDescriptor) throws(Errno) -> BackingFile {
        guard features.passesThrough else { throw .notSupported }
        if let registrar = registrar.withLock({ $0 }) {
            return BackingFile(try registrar.open(file), registrar)
        }
        let own = OwnRegistrar(device: device)
        do {
            let identifier = try own.open(file)
            registrar.withLock { $0 = own }
            return BackingFile(identifier, own)
        } catch .notPermitted {
            guard let helper else { throw .notPermitted }
            // If the helper cannot be reached, the request fails because this process lacks the right to register
            // files.
            guard let remote = try? HelperRegistrar(helper, device) else { throw .notPermitted }
            let identifier = try remote.open(file)
            registrar.withLock { $0 = remote }
            return BackingFile(identifier, remote)
        }
    }

    /// Returns a backing file that the previous process of this session registered. Earlier handles still use it, and
    /// later handles of the same file must use it, too. Returns `nil` if the process lacks the right to register files.
    ///
    /// Call this function once for each identifier, because releasing the returned object closes the backing file in
    /// the kernel.
    public func backing(numbered identifier: Int32) -> BackingFile? {
        guard identifier > 0, passthroughIsPermitted, let registrar = registrar.withLock({ $0 }) else { return nil }
        return BackingFile(identifier, registrar)
    }

    // MARK: Notifications

    /// Drops the kernel's cache of a file whose contents or attributes have changed other than through the kernel
    /// (FUSE_NOTIFY_INVAL_INODE).
    ///
    /// Returns at once. The kernel is notified soon, in the order of the calls for each node.
    ///
    /// - Parameters:
    ///   - offset: the first byte to drop; negative for attributes only.
    ///   - length: the number of bytes; 0 for all bytes from `offset`.
    public func invalidate(_ node: NodeID, offset: Int64 = 0, length: Int64 = 0) {
        notifier.enqueue(.node(node, offset: offset, length: length))
    }

    /// Drops the kernel's cached attributes of a node before this function returns, and therefore before any later
    /// reply. The kernel takes no lock for this, so the function may be called while a request is served.
    public func invalidateAttributes(of node: NodeID) { notifier.invalidateAttributes(of: node) }

    /// Drops the kernel's cached entry for the given name, which was added, removed, or now leads to another node
    /// (FUSE_NOTIFY_INVAL_ENTRY).
    public func invalidateEntry(_ name: Name, in parent: NodeID) {
        notifier.enqueue(.entry(name, parent: parent))
    }

    /// Reports a removed file to the kernel (FUSE_NOTIFY_DELETE). Unlike ``invalidateEntry(_:in:)``, this function also
    /// removes the name of a directory that is a process's working directory. If the file is open, it remains open
    /// without a name.
    public func deleteEntry(_ name: Name, _ node: NodeID, in parent: NodeID) {
        notifier.enqueue(.deletion(name, node, parent: parent))
    }

    /// Stores part of a file's contents in the kernel's page cache (FUSE_NOTIFY_STORE).
    public func store(_ bytes: [UInt8], of node: NodeID, at offset: Int64) {
        notifier.enqueue(.contents(bytes, node, offset: offset))
    }
}
