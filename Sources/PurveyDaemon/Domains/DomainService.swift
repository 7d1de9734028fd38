import AppExtension
import CloudMount
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem
import Synchronization

/// The daemon's domains: each is started with the daemon, mounted, and kept apart from the others' faults.
actor DomainService {
    nonisolated let folders: DomainFolders
    private let surroundings: RunningDomain.Surroundings
    private let log: DaemonLog
    private let mounts: Mounts?

    /// What becomes of a domain. Only whoever has set `changing` ends that.
    enum Place {
        case changing(DomainRecord)
        case running(DomainRecord, RunningDomain)
        case failed(DomainRecord, String)

        var record: DomainRecord {
            switch self {
            case .changing(let record), .running(let record, _), .failed(let record, _): record
            }
        }
    }

    private(set) var places: [String: Place] = [:]
    /// Held for as long as the domains are this process's.
    private var lock: FileDescriptor?
    /// Why there are no domains to be had, in one sentence.
    private var fault: String?
    private var start: Task<Void, Never>?
    private var isEnding = false
    private nonisolated let hasDomains = Atomic<Bool>(false)

    /// - Parameter mountsDomains: whether domains are mounted, or served to commands only.
    init(
        _ locations: Locations, mountsDomains: Bool, log: DaemonLog, coordination: ExtensionService.Coordination?
    ) {
        folders = DomainFolders(locations: locations)
        surroundings = RunningDomain.Surroundings(folders: folders, coordination: coordination)
        var options = DomainMountOptions()
        // Root needs no help.
        if getuid() != 0, access(Self.passthroughHelper, F_OK) == 0 {
            options.passthroughHelper = Self.passthroughHelper
        }
        mounts = mountsDomains ? Mounts(options: options) : nil
        self.log = log
    }

    /// The socket of `purvey-passthrough`, where an administrator has it run.
    private static let passthroughHelper = "/run/purvey-passthrough"

    /// Whether the daemon has a reason to stay.
    nonisolated var isNeeded: Bool { hasDomains.load(ordering: .relaxed) }

    // MARK: Beginning and end

    /// Starts all domains, in the background. Calls wait until it is known which there are.
    func begin() {
        if start == nil { start = Task { await self.startAll() } }
    }

    private func startAll() async {
        do {
            lock = try await takeFolder()
        } catch {
            fault = "the folder \(folders.locations.domains) cannot be used: \(error)"
        }
        guard lock != nil, !isEnding else {
            let reason = fault ?? "another daemon serves the domains in \(folders.locations.domains)"
            fault = reason
            return log.error("no domain is started: \(reason)")
        }
        let (records, faults) = await HandlerThreads.shared.value { [folders] in
            Mounts.removeStale(in: folders.locations.mounts)
            return folders.load()
        }
        for fault in faults { log.error(fault) }
        for record in records {
            places[record.name] = .changing(record)
            Task { await self.open(record) }
        }
        note()
    }

    /// A daemon that is ending still has it for a moment.
    private func takeFolder() async throws(Errno) -> FileDescriptor? {
        for _ in 0..<300 {
            let file = try await HandlerThreads.shared.value { [folders] () throws(Errno) in try folders.take() }
            if let file { return file }
            if isEnding { return nil }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }

    private func open(_ record: DomainRecord) async {
        do {
            let domain = try await RunningDomain.start(record, isNew: false, in: surroundings)
            guard !isEnding else { return await domain.close() }
            places[record.name] = .running(record, domain)
            // Why it is not mounted is kept with the mounts.
            try? await mount(record, domain)
            log.info("the domain \(record.name) is started")
        } catch {
            places[record.name] = .failed(record, "it cannot be started: \(DomainFailure(error))")
            log.error("the domain \(record.name) cannot be started: \(DomainFailure(error))")
        }
    }

    /// Unmounts and ends everything. Edits stay, for the next start.
    func end() async {
        isEnding = true
        await start?.value
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

    private func note() { hasDomains.store(!places.isEmpty, ordering: .relaxed) }

    /// Waits until it is known which domains there are.
    func ready() async throws {
        await start?.value
        if let fault { throw DomainFailure(fault) }
        if isEnding { throw DomainFailure("the daemon is ending; try again") }
    }

    // MARK: Mounting

    /// Where a domain is or would be mounted.
    func mountPath(of name: String) -> String { folders.locations.mounts + "/" + name }

    private func mount(_ record: DomainRecord, _ domain: RunningDomain) async throws {
        guard let mounts else { return }
        let path = mountPath(of: record.name)
        do {
            try await HandlerThreads.shared.value { [folders] () throws in
                try PrivateFolder.make(folders.locations.mounts)
                try mounts.mount(domain.engine, at: path)
            }
        } catch {
            log.error("the domain \(record.name) cannot be mounted: \(error)")
            throw DomainFailure("it cannot be mounted: \(error)")
        }
    }

    private func unmount(_ record: DomainRecord) async {
        guard let mounts else { return }
        await HandlerThreads.shared.value { mounts.unmount(record.identifier) }
    }

    // MARK: Adding and removing

    func add(_ request: AddDomainCall) async throws -> DomainDescription {
        try await ready()
        let name = request.name
        if let fault = DomainRecord.fault(ofName: name) { throw DomainFailure(fault) }
        guard places[name] == nil else { throw DomainFailure("there is a domain \"\(name)\" already") }
        let settings = Dictionary(grouping: request.settings, by: \.key)
        if let twice = settings.first(where: { $0.value.count > 1 }) {
            throw DomainFailure("\(twice.key) is given twice")
        }
        let placeholder = DomainRecord(name: name, identifier: "", provider: request.provider, settings: [])
        places[name] = .changing(placeholder)
        do {
            let record = try await record(for: request)
            let domain = try await RunningDomain.start(record, isNew: true, in: surroundings)
            do {
                try await mount(record, domain)
                if isEnding { throw DomainFailure("the daemon is ending; try again") }
            } catch {
                await unmount(record)
                await domain.close()
                // What cannot be removed is swept away at the next start, or shows as a domain then.
                try? await HandlerThreads.shared.value { [folders] () throws in try folders.remove(record) }
                throw error
            }
            places[name] = .running(record, domain)
            note()
            log.info("the domain \(name) is added")
            return description(of: .running(record, domain))
        } catch {
            places[name] = nil
            throw DomainFailure("\(name) cannot be added: \(DomainFailure(error))")
        }
    }

    private func record(for request: AddDomainCall) async throws -> DomainRecord {
        try await HandlerThreads.shared.value { [folders] () throws in
            let bundle = try ExtensionLibrary(data: folders.locations.data).find(request.provider)
            guard bundle.point == Self.extensionPoint else {
                throw DomainFailure("the extension \(bundle.identifier) is no file provider")
            }
            return DomainRecord(
                name: request.name, identifier: UUID().uuidString, provider: bundle.identifier,
                settings: request.settings)
        }
    }

    /// `NSExtensionPointIdentifier` of file providers.
    private static let extensionPoint = "com.apple.fileprovider-nonui"

    func remove(_ request: RemoveDomainCall) async throws -> RemoveDomainCall.Reply {
        try await ready()
        guard let place = places[request.name] else { throw DomainFailure.noSuchDomain(request.name) }
        if case .changing = place { throw DomainFailure("\(request.name) is being changed; try again") }
        let record = place.record
        // One that cannot be started may have edits that nobody can name.
        guard case .running(_, let domain) = place else {
            throw DomainFailure(
                "\(record.name) does not run, so that nobody knows its edits; 'purvey retry \(record.name)' starts it")
        }
        if !request.keepsEdits { try await Self.refuseEdits(record, domain) }
        places[record.name] = .changing(record)
        await unmount(record)
        let edits: String?
        do {
            // What was open until now may have become an edit.
            if !request.keepsEdits { try await Self.refuseEdits(record, domain) }
            edits = try await KeptEdits.keep(record, domain, folders)
        } catch {
            places[record.name] = .running(record, domain)
            try? await mount(record, domain)
            throw DomainFailure(error)
        }
        await domain.close()
        do {
            try await HandlerThreads.shared.value { [folders] () throws in try folders.remove(record) }
        } catch {
            places[record.name] = .failed(record, "it could not be removed: \(error)")
            throw DomainFailure("\(record.name) cannot be removed: \(error)")
        }
        places[record.name] = nil
        note()
        log.info("the domain \(record.name) is removed")
        return RemoveDomainCall.Reply(edits: edits)
    }

    private static func refuseEdits(_ record: DomainRecord, _ domain: RunningDomain) async throws {
        let count = try await domain.engine.editStatus().items.count
        guard count == 0 else {
            throw DomainFailure(
                "\(record.name) has \(count == 1 ? "an edit" : "\(count) edits") that the service does not have: "
                    + "wait until 'purvey status' shows none, or give --keep-edits", .hasEdits)
        }
    }

    /// Tries again what could not be done: the start, the mount, the transfers.
    func retry(_ name: String) async throws -> DomainDescription {
        try await ready()
        guard let place = places[name] else { throw DomainFailure.noSuchDomain(name) }
        switch place {
        case .changing: throw DomainFailure("\(name) is being changed; try again")
        case .failed(let record, _):
            places[name] = .changing(record)
            await open(record)
        case .running(let record, let domain):
            await domain.provider.reset()
            await domain.engine.retry()
            domain.engine.signal(container: nil)
            if mounts != nil, mountedPath(of: record) == nil { try? await mount(record, domain) }
        }
        guard let place = places[name] else { throw DomainFailure.noSuchDomain(name) }
        return description(of: place)
    }

    // MARK: Telling

    /// Where a domain is mounted now.
    func mountedPath(of record: DomainRecord) -> String? {
        if case .mounted(let path) = mounts?.states[record.identifier] { return path }
        return nil
    }

    func description(of place: Place) -> DomainDescription {
        let record = place.record
        var description = DomainDescription(
            name: record.name, identifier: record.identifier, provider: record.provider, settings: record.settings,
            state: .running, mount: nil, fault: nil)
        switch place {
        case .changing: description.state = .changing
        case .failed(_, let fault):
            description.state = .failed
            description.fault = fault
        case .running:
            switch mounts?.states[record.identifier] {
            case .mounted(let path): description.mount = path
            case .unmounted(let path): description.fault = "it was unmounted from \(path); 'purvey retry' mounts it"
            case .failed(let failure): description.fault = "it cannot be mounted: \(failure)"
            case nil: break
            }
        }
        return description
    }

    func descriptions() async throws -> [DomainDescription] {
        try await ready()
        return places.values.map(description).sorted { $0.name < $1.name }
    }

    /// A domain that runs, by its name.
    func domain(_ name: String) async throws -> RunningDomain {
        try await ready()
        switch places[name] {
        case .running(_, let domain): return domain
        case .changing: throw DomainFailure("\(name) is being changed; try again")
        case .failed(_, let fault): throw DomainFailure("\(name) does not run: \(fault)")
        case nil: throw DomainFailure.noSuchDomain(name)
        }
    }
}
