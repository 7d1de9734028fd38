import AppExtension
import CloudMount
import Conduit
import DomainMessages
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem
import Synchronization

/// The daemon's domains. Each domain is started and mounted when the daemon starts, and a fault of one domain does not
/// affect the others.
actor DomainService {
    nonisolated let folders: DomainFolders
    let surroundings: RunningDomain.Surroundings
    /// The recorded changes of items' states, for clients that follow these states.
    nonisolated let states = StateChangeLog()
    nonisolated let followers: StateFollowers
    let log: DaemonLog
    let mounts: Mounts?
    let keeper: (any MountKeeper)?
    private let bus: DesktopBusProcess?
    /// The stored passwords; `nil` if they cannot be used.
    var passwords: PasswordStore? { surroundings.passwords }

    /// The state of a domain. Only the task that has set `changing` may replace it by another state.
    enum DomainState {
        case changing(DomainRecord)
        case running(DomainRecord, RunningDomain)
        case failed(DomainRecord, String)

        var record: DomainRecord {
            switch self {
            case .changing(let record), .running(let record, _), .failed(let record, _): record
            }
        }
    }

    var places: [String: DomainState] = [:] {
        didSet { states.noteDomain() }
    }
    /// The lock on the domains' directory, which this process holds while it serves the domains.
    private var lock: FileDescriptor?
    /// A sentence with the reason why no domains are available; `nil` if domains are available.
    private var fault: String?
    private var start: Task<Void, Never>?
    /// The tasks that start the domains that were found on disk.
    private var starting: [Task<Void, Never>] = []
    /// The number of domains that are being mounted, and the callers that wait until it is zero.
    var mountsUnderWay = 0
    var mountWaiters: [CheckedContinuation<Void, Never>] = []
    private(set) var isEnding = false
    /// The desktop's settings as they were reported last.
    // Leaf lock.
    nonisolated let desktopSettings = Lock<DesktopSettingsNotice?>(nil)
    /// Whether the network is metered.
    var isMetered = false
    /// The number of providers' user interfaces that are running.
    var interfacesUnderWay = 0
    private nonisolated let hasDomains = Atomic<Bool>(false)

    /// Creates the service.
    ///
    /// - Parameters:
    ///   - mountsDomains: Whether domains are mounted. If `false`, they are only available to commands.
    ///   - keeper: The keeper. If this process dies, the keeper holds the mounts, and restarts the daemon.
    ///   - bus: The process that shows the domains on the desktop's bus.
    ///   - passwords: The stored passwords; `nil` if they cannot be used.
    init(
        _ locations: Locations, mountsDomains: Bool, keeper: (any MountKeeper)?, bus: DesktopBusProcess?,
        passwords: PasswordStore?, log: DaemonLog,
        coordination: ExtensionService.Coordination?
    ) {
        folders = DomainFolders(locations: locations)
        let reference = DomainServiceReference()
        surroundings = RunningDomain.Surroundings(
            folders: folders, states: states, coordination: coordination, service: reference,
            passwords: passwords)
        followers = StateFollowers(states)
        var options = DomainMountOptions()
        options.readers = ReaderPolicies(path: locations.indexers)
        options.thumbnails = Self.thumbnails(locations)
        // A daemon of root needs no helper, because it can set up passthrough itself.
        if getuid() != 0, access(Self.passthroughHelper, F_OK) == 0 {
            options.passthroughHelper = Self.passthroughHelper
        }
        mounts = mountsDomains ? Mounts(options: options) : nil
        self.keeper = keeper
        self.bus = bus
        self.log = log
        reference.set(self)
    }

    /// Returns the thumbnail support; `nil` if the program that decodes pictures is not installed in the directory of
    /// this program.
    private static func thumbnails(_ locations: Locations) -> Thumbnails? {
        guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
        let program = (own as NSString).deletingLastPathComponent + "/purvey-pictures"
        guard access(program, X_OK) == 0 else { return nil }
        return Thumbnails(path: locations.thumbnails, pictures: PictureProcess(program: program, data: locations.data))
    }

    /// The path of the socket of `purvey-passthrough`, which an administrator may run: the path in
    /// `PURVEY_PASSTHROUGH`, or the standard path.
    private static let passthroughHelper =
        getenv("PURVEY_PASSTHROUGH").map { String(cString: $0) } ?? "/run/purvey-passthrough"

    /// Directories that must not be handed to a provider.
    var keptFolders: [String] { surroundings.kept }

    /// Whether the daemon must keep running for its domains.
    nonisolated var isNeeded: Bool { hasDomains.load(ordering: .relaxed) }

    // MARK: Beginning and end

    /// Starts all domains in the background. Other calls wait until the domains have been started. The start reads the
    /// disk, but sends no request to a provider.
    func begin() {
        if start == nil, !isEnding { start = Task { await self.startAll() } }
    }

    private func startAll() async {
        // After an earlier failure, the lock is tried only once, so that each call does not wait again.
        let attempts = fault == nil ? Self.lockAttempts : 1
        fault = nil
        do {
            lock = try await takeFolder(attempts: attempts)
        } catch {
            fault = "\(error)"
        }
        guard lock != nil, !isEnding else {
            let reason = fault ?? "another daemon serves the domains in \(folders.locations.domains)"
            fault = reason
            if let keeper { await HandlerThreads.shared.value { keeper.withdraw() } }
            return log.error("no domain is started: \(reason)")
        }
        let (records, damaged) = await HandlerThreads.shared.value { [folders] in folders.load() }
        let handovers = await takeOver(records)
        await removeStaleMounts(except: mounts == nil ? [] : records)
        for name in damaged {
            places[name] = .failed(.damaged(name), damage(of: name))
            log.error("the domain \(name) is not started: \(damage(of: name))")
        }
        for record in records {
            places[record.name] = .changing(record)
            let handover = handovers[record.name]
            starting.append(Task { await self.open(record, resuming: handover) })
        }
        note()
    }

    func watchSignIn(_ name: String, _ domain: RunningDomain) {
        domain.engine.onSignInNeeded { [log] failure in
            log.warning("the domain \(name) needs a sign-in ('purvey sign-in \(name.shellWord)'): \(failure.message)")
        }
    }

    /// The number of attempts to lock the domains' directory, 100 milliseconds apart.
    private static let lockAttempts = 300

    /// Locks the domains' directory. If a daemon that is ending holds the lock, waits until the lock is free. Returns
    /// `nil` if the lock is not free after the given number of attempts, or if this daemon is ending.
    ///
    /// - Throws: ``DomainError`` if the directory cannot be used, or if a daemon at another socket serves the domains.
    private func takeFolder(attempts: Int) async throws(DomainError) -> FileDescriptor? {
        let folder = folders.locations.domains
        for _ in 0..<attempts {
            let (file, other): (FileDescriptor?, DomainFolders.OtherDaemon?)
            do throws(Errno) {
                (file, other) = try await HandlerThreads.shared.value { [folders] () throws(Errno) in
                    let file = try folders.take()
                    return (file, file == nil ? folders.otherDaemon() : nil)
                }
            } catch {
                throw DomainError("the folder \(folder) cannot be used: \(error)")
            }
            if let file { return file }
            if let other {
                throw DomainError(
                    "another daemon serves the domains in \(folder), and listens at \(other.socket): end that daemon "
                        + "(process \(other.process)), or set XDG_RUNTIME_DIR as it has it")
            }
            if isEnding { return nil }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    private func damage(of name: String) -> String { "\(folders.recordFile(of: name)) is missing or damaged" }

    /// Starts a domain and mounts it. Records the result in `places`.
    ///
    /// - Parameter handover: The domain's mount that outlived the previous daemon.
    private func open(_ record: DomainRecord, resuming handover: MountHandover? = nil) async {
        do {
            let domain = try await RunningDomain.start(
                record, resuming: handover?.openings ?? [], in: surroundings)
            guard !isEnding else {
                // The keeper ends the mount, at the latest when this process has ended.
                if let handover { await HandlerThreads.shared.value { handover.abandon(domain.engine) } }
                return await domain.close()
            }
            watchSignIn(record.name, domain)
            places[record.name] = .running(record, domain)
            if waitsForNetwork(record) { await domain.engine.setPaused(true) }
            // A failure is recorded in the states of the mounts.
            try? await mount(record, domain, resuming: handover)
            await noteWatch(record.name)
            // The service may have changed while no daemon was running. Without this request, the provider would not be
            // started before a directory is listed or a file is fetched.
            requestChanges(for: places[record.name]?.record ?? record, domain)
            log.info("the domain \(record.name) is started")
            if let rebuilding = domain.engine.rebuilding { log.warning("the domain \(record.name): \(rebuilding)") }
        } catch {
            if let handover {
                await HandlerThreads.shared.value { [keeper] in
                    handover.abandon()
                    keeper?.drop(record.identifier)
                }
            }
            await removeStaleMounts(except: places.values.map(\.record).filter { $0.name != record.name })
            // The state is set last. Once it is set, a caller may retry and create a new mount, which must not be
            // removed here.
            places[record.name] = .failed(record, "it cannot be started: \(DomainError(error))")
            log.error("the domain \(record.name) cannot be started: \(DomainError(error))")
        }
    }

    /// Unmounts and ends all domains. Edits stay for the next start.
    func end() async {
        isEnding = true
        await start?.value
        // Waits for domains that are being started. A domain that is mounted after the others were unmounted would
        // leave its mount behind.
        for task in starting { await task.value }
        await mountsSettled()
        if let mounts { await HandlerThreads.shared.value { mounts.unmountAll() } }
        let running = places.values.compactMap { place in
            if case .running(_, let domain) = place { domain } else { nil as RunningDomain? }
        }
        await withTaskGroup { group in
            for domain in running { group.addTask { await domain.close() } }
        }
        places = [:]
        lock = nil
    }

    func note() {
        hasDomains.store(!places.isEmpty, ordering: .relaxed)
        if mounts != nil { keeper?.want(!places.isEmpty) }
        bus?.want(!places.isEmpty, for: .domains)
    }

    /// Waits until the domains that were found on disk have been started.
    func ready() async throws {
        // A call may arrive before the daemon starts the domains itself.
        begin()
        let start = start
        await start?.value
        for task in starting { await task.value }
        if let fault {
            // The next call starts the domains again, because the other daemon may have ended by then.
            if start == self.start { self.start = nil }
            throw DomainError(fault)
        }
        if isEnding { throw DomainError("the daemon is ending; try again") }
    }

    /// Waits until the domains are known, and then for up to 30 seconds until no domain of the given providers is being
    /// started or removed.
    func settled(of providers: [String]) async throws {
        try await ready()
        for _ in 0..<600 {
            let isChanging = places.values.contains { place in
                if case .changing(let record) = place { providers.contains(record.provider) } else { false }
            }
            guard isChanging else { return }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// Retries everything that failed: the domain's start, its mount, and its transfers.
    func retry(_ name: String) async throws -> DomainDescription {
        try await ready()
        guard let place = places[name] else { throw DomainError.noSuchDomain(name, among: places.keys) }
        switch place {
        case .changing: throw DomainError("\(name) is being changed; try again")
        case .failed(let known, let fault):
            places[name] = .changing(known)
            // The record on disk may have been repaired.
            let read = await HandlerThreads.shared.value { [folders] in folders.record(of: name) }
            if let record = read { await open(record) } else { places[name] = .failed(known, fault) }
        case .running(let record, let domain):
            await domain.provider.endIfSilent(for: Self.patience)
            await domain.provider.reset()
            try await domain.engine.sendCancelled()
            await domain.engine.retry()
            await domain.engine.run { $0.downloader.restartStalledTransfers() }
            domain.engine.signal(container: nil)
            if mounts != nil, mountedPath(of: record) == nil { try? await mount(record, domain) }
            await noteWatch(name)
            do throws(ProviderError) {
                _ = try await domain.provider.item(ProviderItem.rootIdentifier)
            } catch {
                // The reply contains the failure of this attempt.
                var description = description(of: .running(record, domain))
                if description.fault == nil { description.fault = error.message }
                return description
            }
        }
        guard let place = places[name] else { throw DomainError.noSuchDomain(name, among: places.keys) }
        return description(of: place)
    }
}
