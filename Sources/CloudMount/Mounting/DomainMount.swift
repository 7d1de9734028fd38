import ExtensionHost
import FileProviderEngine
import Fuse
import Glibc
import LinuxSystem
package import MountTakeover

/// The options for mounting domains.
package struct DomainMountOptions: Sendable {
    /// Whether users other than the daemon's user may access the mount.
    package var allowsOthers = false
    /// Whether to use passthrough for fully local files, if the kernel and the daemon's rights allow it.
    package var wantsPassthrough = true
    /// The path of the socket of `purvey-passthrough`, which registers files for passthrough if the daemon lacks the
    /// right to do so.
    package var passthroughHelper: String?
    /// The programs that must not cause fetches.
    package var readers = ReaderPolicies(path: nil)
    /// The desktop's thumbnail cache, and the process that creates its pictures; `nil` if Purvey does not fill the
    /// cache.
    package var thumbnails: Thumbnails?
    /// The maximum number of directories whose names and entries in the kernel's caches are tracked. If it is exceeded,
    /// the kernel receives more notifications than necessary.
    package var folderLimit = Notifications.folderLimit

    package init() {}

    fileprivate func options(for engine: DomainEngine) -> MountOptions {
        var options = MountOptions(name: engine.configuration.displayName, subtype: ProviderDomain.mountSubtype)
        options.allowsOthers = allowsOthers
        options.wantsPassthrough = wantsPassthrough
        options.passthroughHelper = passthroughHelper
        // The reply to each open states whether the kernel drops cached pages. The contents of an open file change only
        // through the kernel.
        options.dropsChangedPages = false
        return options
    }
}

/// The reason why a domain is not mounted.
package enum DomainMountError: Error, Sendable, CustomStringConvertible {
    /// The directory is not empty: its contents would be hidden.
    case folderIsNotEmpty(path: String)
    /// Another file system is mounted on the directory.
    case folderIsMounted(path: String)
    /// The directory cannot be created or read.
    case folder(path: String, Errno)
    case notMounted(MountError)

    /// The failure in one sentence, with advice.
    package var description: String {
        switch self {
        case .folderIsNotEmpty(let path):
            "\(path) is not empty: move its contents elsewhere, because the mount would hide them"
        case .folderIsMounted(let path): "another file system is mounted on \(path) already: unmount it first"
        case .folder(let path, let error): "the folder \(path) cannot be used: \(error)"
        case .notMounted(let failure): failure.description
        }
    }
}

/// One domain, mounted on one directory, until this object or another process unmounts it.
package final class DomainMount: Sendable {
    /// The absolute path of the mount point.
    package let path: String
    private let madeFolder: Bool
    private let identifier: String

    private struct State {
        var session: Session?
        var sharedTable: SharedHandleTable?
        var hasEnded = false
    }

    // Leaf lock: the session is used after its release.
    private let state = Lock(State())

    /// Mounts a domain and serves it on separate threads.
    ///
    /// Blocks until the kernel has accepted the mount. Creates the directory if it does not exist. Unmounts a mount
    /// that a dead daemon left in the directory.
    package init(
        _ engine: DomainEngine, at path: String, options: DomainMountOptions
    ) throws(DomainMountError) {
        self.path = path
        identifier = engine.configuration.identifier
        MountFolder.removeStale(path)
        madeFolder = try MountFolder.prepare(path)
        // Without a table of handles, programs lose their open files when this process dies.
        let sharedTable = try? SharedHandleTable()
        let fileSystem = fileSystem(engine, options, sharedTable)
        engine.perform { $0.localTrash.beginMount() }
        do throws(MountError) {
            let session = try Session.mount(at: path, options: options.options(for: engine), fileSystem)
            state.withLock { $0 = State(session: session, sharedTable: sharedTable) }
        } catch {
            if madeFolder { rmdir(path) }
            throw .notMounted(error)
        }
    }

    /// Resumes a domain's mount that outlived the previous daemon. The engine must have been created with the open
    /// handles of the mount.
    package init(
        _ engine: DomainEngine, resuming handover: MountHandover, options: DomainMountOptions
    ) throws(DomainMountError) {
        path = handover.session.path
        identifier = engine.configuration.identifier
        madeFolder = handover.madeFolder
        let fileSystem = fileSystem(engine, options, handover.sharedTable)
        do throws(MountError) {
            let session = try Session.resume(handover.session, options: options.options(for: engine), fileSystem)
            state.withLock { $0 = State(session: session, sharedTable: handover.sharedTable) }
        } catch {
            throw .notMounted(error)
        }
    }

    private func fileSystem(
        _ engine: DomainEngine, _ options: DomainMountOptions, _ sharedTable: SharedHandleTable?
    ) -> MountedFileSystem {
        let thumbnails = options.thumbnails.map {
            ThumbnailFiller(engine, mount: path, cache: $0.cache, pictures: $0.pictures)
        }
        let domain = DomainFileSystem(
            engine, readers: options.readers, thumbnails: thumbnails, sharedTable: sharedTable,
            folderLimit: options.folderLimit
        ) { [weak self] in
            self?.state.withLock { $0.hasEnded = true }
        }
        return MountedFileSystem(domain)
    }

    /// Creates a domain's file system without a mount, for callers that send requests without a kernel. Resumes the
    /// handles in the table, if the engine was created with them.
    ///
    /// - Parameter backing: Returns an object for the kernel's backing file with the given identifier.
    package static func fileSystem(
        _ engine: DomainEngine, sharedTable: SharedHandleTable, backing: (Int32) -> BackingFile? = { _ in nil }
    ) -> any FileSystem {
        let files = DomainFileSystem(
            engine, readers: ReaderPolicies(path: nil), thumbnails: nil, sharedTable: sharedTable
        ) {}
        files.resumeHandles(backing: backing)
        return MountedFileSystem(files)
    }

    /// The state that another daemon needs to take over the mount; `nil` if the kernel does not support a takeover, or
    /// the mount has ended.
    package var handover: MountHandover? {
        let (session, sharedTable) = state.withLock { ($0.session, $0.sharedTable) }
        guard let sharedTable, let session = session?.handover else { return nil }
        return MountHandover(identifier: identifier, session: session, sharedTable: sharedTable, madeFolder: madeFolder)
    }

    deinit { unmount() }

    /// Whether the domain is still mounted.
    package var isMounted: Bool { state.withLock { $0.session != nil && !$0.hasEnded } }

    /// Unmounts the domain, and blocks until no request is being served.
    ///
    /// Afterwards, accesses through open files fail, and requests that wait for a reply fail at once. Earlier writes
    /// are preserved.
    package func unmount() {
        let session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        guard let session else { return }
        session.unmount(aborting: true)
        session.waitForEnd()
        // A directory that existed before the mount stays.
        if madeFolder { rmdir(path) }
    }
}
