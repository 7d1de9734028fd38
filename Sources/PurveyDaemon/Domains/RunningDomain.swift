import AppExtension
import CloudMount
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import ItemValues
import LinuxSystem

/// A running domain: its engine and its provider.
struct RunningDomain: Sendable {
    /// The identifier of the domain's record.
    let identifier: String
    let engine: DomainEngine
    let provider: ExtensionProvider

    /// The path of the provider's notices and calls to the engine. It is created first, because the engine is created
    /// after the provider.
    private final class Notices: Sendable {
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
        let states: StateNotes
        let coordination: ExtensionService.Coordination?
        let service: DomainServiceReference

        /// Directories that must not be handed to a provider.
        var kept: [String] {
            let locations = folders.locations
            return [locations.cache, locations.mounts, locations.runtime, locations.keptEdits]
        }
    }

    /// Starts a domain.
    ///
    /// - Parameters:
    ///   - isNew: Whether the domain is new. In this case the provider is asked whether it can serve the domain, and
    ///     the domain is stored on disk. If `false`, the provider's process is started when it is needed.
    ///   - password: The password for a sign-in before the provider is asked.
    ///   - openings: The open handles of the domain's mount, if the mount outlived the previous daemon.
    static func start(
        _ record: DomainRecord, isNew: Bool, password: String? = nil, resuming openings: [HandleToResume] = [],
        in surroundings: Surroundings
    ) async throws -> RunningDomain {
        let notices = Notices(surroundings.service)
        let folders = surroundings.folders
        let provider = ExtensionProvider(
            domain: record.providerDomain, extensionIdentifier: record.provider, data: folders.locations.data,
            apartFrom: surroundings.kept, coordination: surroundings.coordination,
            addCalls: { calls in
                calls.addExtensionCalls { notices.items }
                calls.addExtensionCalls(surroundings.service) { notices.running }
            }, onNotice: { notices.take($0) })
        provider.setDisconnected(because: record.disconnection)
        do {
            if let password { try await provider.signIn(password: password) }
            if isNew { _ = try await provider.item(ProviderItem.rootIdentifier) }
            var configuration = DomainConfiguration(
                identifier: record.identifier, displayName: record.name, dataFolder: folders.folder(of: record.name),
                cacheFolder: folders.cache(of: record), cacheLimit: record.cacheLimit)
            configuration.states = StateNotes.Writer(surroundings.states, domain: record.identifier)
            let engine = try await HandlerThreads.shared.value { [configuration] in
                if isNew { try folders.add(record) }
                var configuration = configuration
                let bundle = try? ExtensionLibrary(data: folders.locations.data).find(record.provider)
                configuration.takesSymbolicLinks = bundle?.importsSymbolicLinks != false
                return try DomainEngine(configuration: configuration, provider: provider, resuming: openings)
            }
            let domain = RunningDomain(identifier: record.identifier, engine: engine, provider: provider)
            notices.begin(domain)
            return domain
        } catch {
            await provider.close()
            throw error
        }
    }

    /// Ends the domain. Edits stay for the next start.
    func close() async {
        await engine.close()
        await provider.close()
    }
}
