import AppExtension
import CloudMount
import Conduit
import Exchange
import ExtensionHost
import FileProviderEngine
import FileProviderWire
import ItemValues
import LinuxSystem

/// A running domain: its engine and its provider.
struct RunningDomain: Sendable {
    /// The identifier of the domain's record.
    let identifier: String
    let engine: DomainEngine
    let provider: ExtensionProvider
    /// The object that forwards the provider's questions to the user.
    let questions: SetUpQuestions

    /// Forwards a provider's notices and calls to the engine. This object is created first, then the provider, and then
    /// the engine.
    fileprivate final class Notices: Sendable {
        // Leaf lock: the engine is called after its release.
        private let domain = Lock<RunningDomain?>(nil)
        private let pending = PendingNotices()
        private let service: DomainServiceReference

        init(_ service: DomainServiceReference) { self.service = service }

        func begin(_ domain: RunningDomain) { self.domain.withLock { $0 = domain } }

        /// The domain; `nil` before the domain runs.
        var running: RunningDomain? { domain.withLock { $0 } }
        var items: ManagedItems? { running.map { ManagedItems(domain: $0) } }

        func take(_ notice: ExtensionProvider.Notice) {
            guard let running else { return }
            let engine = running.engine
            if case .handed(let folder) = notice {
                service.note(folder, of: running.identifier)
            } else {
                pending.add(notice, for: engine)
            }
        }
    }

    /// The environment in which domains run.
    struct Surroundings: Sendable {
        let folders: DomainFolders
        let states: StateChangeLog
        let coordination: ExtensionService.Coordination?
        let service: DomainServiceReference
        /// The stored passwords; `nil` if they cannot be used.
        let passwords: PasswordStore?

        /// Directories that must not be handed to a provider.
        var kept: [String] {
            let locations = folders.locations
            return [locations.cache, locations.mounts, locations.runtime, locations.keptEdits]
        }
    }

    /// Starts a domain. The provider's process is started when it is needed.
    ///
    /// - Parameter openings: The open handles of the domain's mount, if the mount outlived the previous daemon.
    static func start(
        _ record: DomainRecord, resuming openings: [HandleToResume] = [], in surroundings: Surroundings
    ) async throws -> RunningDomain {
        let parts = Parts(record, in: surroundings)
        do {
            return try await parts.open(record, isNew: false, resuming: openings)
        } catch {
            await parts.provider.close()
            throw error
        }
    }

    /// Starts a new domain: the provider sets up the domain, and confirms that it can serve the domain. Then the domain
    /// is stored on disk. After a failure, nothing of the domain remains.
    ///
    /// - Parameters:
    ///   - password: The password for a sign-in, if the provider sets up no domains.
    ///   - user: The client that answers the provider's questions.
    /// - Returns: The record with the settings that the provider has set, and the domain.
    static func add(
        _ wanted: DomainRecord, password: String?, askingThrough user: Connection?, in surroundings: Surroundings
    ) async throws -> (record: DomainRecord, domain: RunningDomain) {
        let parts = Parts(wanted, in: surroundings)
        do {
            let record = Lock(wanted)
            let isSetUp = try await setUp(
                wanted, for: .adding, by: parts.provider, parts.questions, askingThrough: user
            ) { settings in
                record.withLock { record in
                    record = wanted.with(settings: settings)
                    return record
                }
            }
            if !isSetUp, let password { try await parts.provider.signIn(password: password) }
            _ = try await parts.provider.item(ProviderItem.rootIdentifier)
            let final = record.withLock { $0 }
            return (final, try await parts.open(final, isNew: true))
        } catch {
            await parts.provider.close()
            await surroundings.removeRemains(of: wanted)
            throw error
        }
    }
}

extension RunningDomain.Surroundings {
    /// Removes what the provider of a domain has stored: its directories and its passwords. The provider's process must
    /// have ended.
    func removeRemains(of record: DomainRecord) async {
        // The data of a domain that the provider's own program manages belongs to that program.
        guard record.managed == nil, !record.isDamaged else { return }
        await HandlerThreads.shared.value { [folders, passwords] in
            // A failure is ignored, because the provider may not have created all directories.
            try? record.providerDomain.removeDocuments(of: record.provider, data: folders.locations.data)
            // The store itself logs its failures.
            try? passwords?.removeItems(ofDomain: record.identifier, provider: record.provider)
        }
    }
}

/// The parts of a domain that exist before its engine does.
private struct Parts: Sendable {
    let provider: ExtensionProvider
    let questions = SetUpQuestions()
    private let notices: RunningDomain.Notices
    private let surroundings: RunningDomain.Surroundings

    init(_ record: DomainRecord, in surroundings: RunningDomain.Surroundings) {
        let notices = RunningDomain.Notices(surroundings.service)
        let folders = surroundings.folders
        (self.notices, self.surroundings) = (notices, surroundings)
        provider = ExtensionProvider(
            domain: record.providerDomain, extensionIdentifier: record.provider, data: folders.locations.data,
            apartFrom: surroundings.kept, coordination: surroundings.coordination,
            addCalls: { [questions] calls in
                questions.addCalls(to: &calls)
                surroundings.passwords?.addCalls(to: &calls, ofProvider: record.provider)
                calls.addExtensionCalls { notices.items }
                calls.addExtensionCalls(surroundings.service) { notices.running }
            }, onNotice: { notices.take($0) })
        provider.setDisconnected(because: record.disconnection)
    }

    /// Opens the engine.
    ///
    /// - Parameter isNew: Whether the domain is new and must be stored on disk first.
    func open(
        _ record: DomainRecord, isNew: Bool, resuming openings: [HandleToResume] = []
    ) async throws -> RunningDomain {
        let folders = surroundings.folders
        var configuration = DomainConfiguration(
            identifier: record.identifier, displayName: record.name, dataFolder: folders.folder(of: record.name),
            cacheFolder: folders.cache(of: record), cacheLimit: record.cacheLimit)
        configuration.isPaused = record.isPaused
        configuration.states = StateChangeLog.Writer(surroundings.states, domain: record.identifier)
        let engine = try await HandlerThreads.shared.value { [configuration, provider] in
            if isNew { try folders.add(record) }
            var configuration = configuration
            let bundle = try? ExtensionLibrary(data: folders.locations.data).find(record.provider)
            configuration.takesSymbolicLinks = bundle?.importsSymbolicLinks != false
            if let interactions = bundle?.interactions, interactions.contains(where: \.mayForbid) {
                configuration.forbiddingInteractions = interactions
            }
            if let limit = bundle?.fetchLimit { configuration.fetchLimit = limit }
            if let limit = bundle?.uploadLimit { configuration.uploadLimit = limit }
            do {
                return try DomainEngine(configuration: configuration, provider: provider, resuming: openings)
            } catch {
                // Nothing of a new domain remains after a failure.
                if isNew { try? folders.remove(record) }
                throw error
            }
        }
        let domain = RunningDomain(
            identifier: record.identifier, engine: engine, provider: provider, questions: questions)
        notices.begin(domain)
        return domain
    }
}

extension RunningDomain {
    /// Ends the domain. Edits stay for the next start.
    func close() async {
        await engine.close()
        await provider.close()
    }
}
