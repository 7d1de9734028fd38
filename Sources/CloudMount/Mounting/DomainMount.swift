import ExtensionHost
import FileProviderEngine
import Fuse
import Glibc
package import Keeping
import LinuxSystem

/// How domains are mounted.
package struct DomainMountOptions: Sendable {
    /// Whether users other than the daemon's may look into it.
    package var allowsOthers = false
    /// Whether the kernel may read and write complete files itself, where it and the daemon's rights allow that.
    package var wantsPassthrough = true
    /// The socket of the program that helps a daemon without the right to that.
    package var passthroughHelper: String?
    /// Programs that have nothing fetched.
    package var readers = ReaderPolicies(path: nil)
    /// What fills the desktop's cache of thumbnails; `nil` has it alone.
    package var thumbnails: Thumbnails?
    /// Of how many folders it is known what the kernel keeps of their names and entries. It is told of more changes than it needs to be
    /// where there are more.
    package var folderLimit = Notifications.folderLimit

    package init() {}

    fileprivate func options(for engine: DomainEngine) -> MountOptions {
        var options = MountOptions(name: engine.configuration.displayName, subtype: ProviderDomain.mountSubtype)
        options.allowsOthers = allowsOthers
        options.wantsPassthrough = wantsPassthrough
        options.passthroughHelper = passthroughHelper
        // Pages are dropped as files are opened; what is open changes by the kernel's own doing only.
        options.dropsChangedPages = false
        return options
    }
}

/// Why a domain is not mounted.
package enum DomainMountFailure: Error, Sendable, CustomStringConvertible {
    /// What is in the folder would be hidden.
    case folderIsNotEmpty(path: String)
    /// There is something else mounted already.
    case folderIsMounted(path: String)
    /// The folder cannot be made or read.
    case folder(path: String, Errno)
    case notMounted(MountFailure)

    /// The failure in a sentence, with what to do.
    package var description: String {
        switch self {
        case .folderIsNotEmpty(let path):
            "\(path) is not empty: move what is in it elsewhere, so that it is not hidden behind the mount"
        case .folderIsMounted(let path): "something is mounted on \(path) already: unmount it first"
        case .folder(let path, let error): "the folder \(path) cannot be used: \(error)"
        case .notMounted(let failure): failure.description
        }
    }
}

/// One domain, mounted at one folder, until it is unmounted by us or by anybody.
package final class DomainMount: Sendable {
    /// Where: an absolute path.
    package let path: String
    private let madeFolder: Bool
    private let identifier: String

    private struct State {
        var session: Session?
        var ledger: OpeningLedger?
        var hasEnded = false
    }

    // Innermost: the session is asked after it is released.
    private let state = Lock(State())

    /// Mounts a domain and serves it, on threads of its own.
    ///
    /// Blocks until the kernel has taken it up. The folder is made if it is not there; what a daemon that has gone left mounted
    /// there is unmounted before.
    package init(
        _ engine: DomainEngine, at path: String, options: DomainMountOptions
    ) throws(DomainMountFailure) {
        self.path = path
        identifier = engine.configuration.identifier
        MountFolder.removeStale(path)
        madeFolder = try MountFolder.prepare(path)
        // Without one, programs lose what they have open when this process dies.
        let ledger = try? OpeningLedger()
        let fileSystem = fileSystem(engine, options, ledger)
        do throws(MountFailure) {
            let session = try Session.mount(at: path, options: options.options(for: engine), fileSystem)
            state.withLock { $0 = State(session: session, ledger: ledger) }
        } catch {
            if madeFolder { rmdir(path) }
            throw .notMounted(error)
        }
    }

    /// Goes on with a domain's mount that has outlived the daemon before this one. The engine was made with its openings.
    package init(
        _ engine: DomainEngine, resuming handover: MountHandover, options: DomainMountOptions
    ) throws(DomainMountFailure) {
        path = handover.session.path
        identifier = engine.configuration.identifier
        madeFolder = handover.madeFolder
        let fileSystem = fileSystem(engine, options, handover.ledger)
        do throws(MountFailure) {
            let session = try Session.resume(handover.session, options: options.options(for: engine), fileSystem)
            state.withLock { $0 = State(session: session, ledger: handover.ledger) }
        } catch {
            throw .notMounted(error)
        }
    }

    private func fileSystem(
        _ engine: DomainEngine, _ options: DomainMountOptions, _ ledger: OpeningLedger?
    ) -> DomainFileSystem {
        let thumbnails = options.thumbnails.map {
            ThumbnailFiller(engine, mount: path, cache: $0.cache, pictures: $0.pictures)
        }
        return DomainFileSystem(
            engine, readers: options.readers, thumbnails: thumbnails, ledger: ledger, folderLimit: options.folderLimit
        ) { [weak self] in
            self?.state.withLock { $0.hasEnded = true }
        }
    }

    /// A domain's file system that is not mounted, for those who have requests and no kernel. It goes on with what the ledger says
    /// is open, if the engine was made with that.
    ///
    /// - Parameter backing: makes the object of a file that the kernel has in place of one of ours.
    package static func fileSystem(
        _ engine: DomainEngine, ledger: OpeningLedger, backing: (Int32) -> BackingFile? = { _ in nil }
    ) -> any FileSystem {
        let files = DomainFileSystem(engine, readers: ReaderPolicies(path: nil), thumbnails: nil, ledger: ledger) {}
        files.resumeOpenings(backing: backing)
        return files
    }

    /// What another daemon needs to go on with it; `nil` where the kernel cannot do that, or nothing is mounted any more.
    package var handover: MountHandover? {
        let (session, ledger) = state.withLock { ($0.session, $0.ledger) }
        guard let ledger, let session = session?.handover else { return nil }
        return MountHandover(identifier: identifier, session: session, ledger: ledger, madeFolder: madeFolder)
    }

    deinit { unmount() }

    /// Whether it is mounted still.
    package var isMounted: Bool { state.withLock { $0.session != nil && !$0.hasEnded } }

    /// Unmounts, and blocks until nothing is served any more.
    ///
    /// Programs that have files open get errors from then on, those that wait for one at once: the daemon ends, and would not be
    /// there to answer them. What they wrote before was taken.
    package func unmount() {
        let session = state.withLock { state in
            defer { state.session = nil }
            return state.session
        }
        guard let session else { return }
        session.unmount(aborting: true)
        session.waitForEnd()
        // One that was there before stays.
        if madeFolder { rmdir(path) }
    }
}
