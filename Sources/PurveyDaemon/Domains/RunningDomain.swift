import AppExtension
import CloudMount
import Conduit
import Exchange
import ExtensionHost
import FileProvider
import FileProviderEngine
import LinuxSystem

/// A domain at work: its engine, and the provider that the engine asks.
struct RunningDomain: Sendable {
    /// Of its record.
    let identifier: String
    let engine: DomainEngine
    let provider: ExtensionProvider

    /// What the provider tells and asks by itself, on its way to an engine that is made after the provider.
    private final class Notices: Sendable {
        // Innermost: the engine is told after it is released.
        private let domain = Lock<RunningDomain?>(nil)

        func begin(_ domain: RunningDomain) { self.domain.withLock { $0 = domain } }

        /// `nil` before the domain runs.
        var running: RunningDomain? { domain.withLock { $0 } }
        var items: ManagedItems? { running.map { ManagedItems(domain: $0) } }

        func take(_ notice: ExtensionProvider.Notice) {
            guard let engine = domain.withLock({ $0 })?.engine else { return }
            switch notice {
            case .changes(let container): engine.signal(container: container)
            case .resolved: engine.perform { $0.resolved() }
            case .progress(let identifier, let sent, let total):
                engine.perform { $0.noteUpload(of: identifier, sent: sent, total: total) }
            }
        }
    }

    /// Where a domain is to run.
    struct Surroundings: Sendable {
        let folders: DomainFolders
        let states: StateNotes
        let coordination: ExtensionService.Coordination?
        let service: DomainServiceReference

        /// Folders that no provider may be handed.
        var kept: [String] {
            let locations = folders.locations
            return [locations.cache, locations.mounts, locations.runtime, locations.keptEdits]
        }
    }

    /// Starts a domain.
    ///
    /// - Parameter isNew: the provider is asked first whether it can serve it, and the domain is kept on disk then; otherwise the
    ///   provider's process is started when it is needed.
    /// - Parameter password: what to sign in with before the provider is asked.
    /// - Parameter openings: what programs have open in its mount, which has outlived the last daemon.
    static func start(
        _ record: DomainRecord, isNew: Bool, password: String? = nil, resuming openings: [OpeningToResume] = [],
        in surroundings: Surroundings
    ) async throws -> RunningDomain {
        let notices = Notices()
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

    /// Ends it. Edits stay where they are, for the next start.
    func close() async {
        await engine.close()
        await provider.close()
    }
}
