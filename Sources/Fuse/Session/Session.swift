import CFuse
import Glibc
public import LinuxSystem

/// A file system that is mounted and served.
///
/// Its threads serve until the file system is unmounted, by ``unmount(aborting:)`` or by anybody. The session keeps nothing of
/// the file system's alive by itself; its threads do, for as long as they run.
public final class Session: Sendable {
    /// Where it is mounted: an absolute path, without symbolic links.
    public let path: String
    /// What the kernel and this library agreed on.
    let agreement: Agreement
    let device: FileDescriptor
    /// A second open of the device, for threads that do not wait for requests; `nil` where the kernel gives none.
    let extraDevice: FileDescriptor?
    let mount: MountedFolder
    /// The most bytes of one read and of one write that the kernel was told.
    let largestRead: Int
    let largestWrite: Int
    private let helper: String?
    private let registrar: Lock<(any BackingRegistrar)?>
    let requests = RequestTable()
    let notifier: Notifier
    let hasEnded = Latch()

    /// - Parameter extra: the second open of the device, where a process before this one has made it.
    init(_ mount: MountedFolder, _ agreement: Agreement, extra: FileDescriptor? = nil, _ options: MountOptions) {
        self.mount = mount
        path = mount.path
        device = mount.device
        extraDevice = extra ?? Self.clone(mount.device)
        largestRead = options.largestRead
        largestWrite = options.largestWrite
        self.agreement = agreement
        helper = options.passthroughHelper
        registrar = Lock(nil)
        notifier = Notifier(mount.device, requests)
        requests.watch { [weak notifier] node, other in notifier?.requestIsOver(for: node, other) }
    }

    private static func clone(_ device: FileDescriptor) -> FileDescriptor? {
        guard let fresh = try? FileDescriptor.open("/dev/fuse", [.readWrite, .nonBlocking]),
            cfuse_clone(fresh.rawValue, device.rawValue) == 0
        else { return nil }
        return fresh
    }

    /// Mounts a file system and serves it.
    ///
    /// Blocks until the kernel has taken up the session. What a process that has gone left mounted there is unmounted before.
    /// Uses mount(2) where that is permitted, and `fusermount3` otherwise.
    ///
    /// - Parameter path: a folder.
    public static func mount(
        at path: String, options: MountOptions, _ fileSystem: any FileSystem
    ) throws(MountFailure) -> Session {
        _ = unmountStale(at: path)
        let mount = try MountedFolder(at: path, options)
        do throws(MountFailure) {
            let agreement = try Agreement.reach(over: mount.device, options)
            let session = Session(mount, agreement, options)
            try session.serve(fileSystem, options)
            return session
        } catch {
            mount.unmount(aborting: true)
            throw error
        }
    }

    /// Begins to serve.
    ///
    /// - Parameter prepare: called when the file system knows the session, and no request was read yet.
    func serve(
        _ fileSystem: any FileSystem, _ options: MountOptions, prepare: () -> Void = {}
    ) throws(MountFailure) {
        let crew = Crew(self, fileSystem, options)
        fileSystem.start(self)
        prepare()
        do throws(Errno) {
            try crew.start()
        } catch {
            throw MountFailure.ended(error)
        }
    }

    /// Unmounts.
    ///
    /// The folder is as it was before at once. Files that are still open go on to be served, and the session ends with the last
    /// of them; or, aborting, with whatever is open: it fails from then on with `ENOTCONN`, also what waits for an answer.
    public func unmount(aborting: Bool = false) {
        mount.unmount(aborting: aborting)
        // Where the kernel cannot be told to end the session, what waits for the file system is what keeps it.
        if aborting { requests.interruptAll() }
    }

    /// Blocks until the session has ended and ``FileSystem/end()`` has returned.
    public func waitForEnd() { hasEnded.wait() }

    /// Unmounts what a server that has gone has left: paths into it fail with "Transport endpoint is not connected".
    ///
    /// - Returns: whether there was such a mount and it is gone.
    @discardableResult
    public static func unmountStale(at path: String) -> Bool { MountedFolder.unmountStale(at: path) }

    // MARK: Passing through

    /// Whether files can be passed through: the kernel is able to and this process, or its helper, has the right to.
    public var passthroughIsPermitted: Bool {
        guard agreement.passesThrough, let probe = try? MemoryFile.create(name: "purvey-probe") else { return false }
        return (try? backing(for: probe)) != nil
    }

    /// Tells the kernel of a file that can take the place of one of this file system's.
    ///
    /// Fails with `EPERM` without the right to it, `EOPNOTSUPP` where the session has no passing through, `ELOOP` for a file
    /// that is on such a file system itself.
    ///
    /// - Parameter file: open in any way but `O_PATH`. The kernel opens it once more for each opening, as the user who has told
    ///   it; it has to be on a file system that it can be opened on again.
    public func backing(for file: FileDescriptor) throws(Errno) -> BackingFile {
        guard agreement.passesThrough else { throw .notSupported }
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
            // Where none listens, the right is what is missing.
            guard let remote = try? HelperRegistrar(helper, device) else { throw .notPermitted }
            let identifier = try remote.open(file)
            registrar.withLock { $0 = remote }
            return BackingFile(identifier, remote)
        }
    }

    /// A backing file of the process that this one has succeeded, by what the kernel calls it: openings of then go on with it, and
    /// later ones of the same file have to use it too. `nil` without the right to it.
    ///
    /// For each number once, because the kernel lets go of the file with the object.
    public func backing(numbered identifier: Int32) -> BackingFile? {
        guard identifier > 0, passthroughIsPermitted, let registrar = registrar.withLock({ $0 }) else { return nil }
        return BackingFile(identifier, registrar)
    }

    // MARK: Telling the kernel of changes

    /// A file's contents or attributes have changed by themselves: what the kernel keeps of them is dropped.
    ///
    /// Returns at once; the kernel is told soon, in the order of calls for each node.
    ///
    /// - Parameters:
    ///   - offset: from where on contents are dropped, in bytes; negative for attributes only.
    ///   - length: of how many bytes; 0 for all that follow.
    public func invalidate(_ node: NodeID, offset: Int64 = 0, length: Int64 = 0) {
        notifier.tell(.node(node, offset: offset, length: length))
    }

    /// What the kernel keeps of a node's attributes is dropped before this returns, so also before a request is answered that leads
    /// to it. The kernel takes no lock for that, and nothing waits: it may be called while a request is served.
    public func invalidateAttributes(of node: NodeID) { notifier.tellOfAttributes(of: node) }

    /// A name leads elsewhere now, or nowhere, or somewhere at last: what the kernel knows of it is dropped.
    public func invalidateEntry(_ name: Name, in parent: NodeID) {
        notifier.tell(.entry(name, parent: parent))
    }

    /// A file was removed. Unlike ``invalidateEntry(_:in:)`` this removes the name also where it is a folder in which a program
    /// has its working folder, and the file has no name any more for who has it open.
    public func deleteEntry(_ name: Name, _ node: NodeID, in parent: NodeID) {
        notifier.tell(.deletion(name, node, parent: parent))
    }

    /// Gives the kernel part of a file's contents to keep.
    public func store(_ bytes: [UInt8], of node: NodeID, at offset: Int64) {
        notifier.tell(.contents(bytes, node, offset: offset))
    }
}
