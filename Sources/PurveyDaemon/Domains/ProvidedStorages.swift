import CoordinationService
import Exchange
import ExtensionHost
import FileCoordination
import FileProvider
import FileProviderEngine
import FileProviderWire
import Foundation
import Glibc
import ItemValues
import LinuxSystem

/// The document storages of all providers, for file coordination. Before a program reads or writes a file in a storage,
/// the file's provider materializes it.
final class ProvidedStorages: ProvidedFiles {
    /// The directory of all containers: its path with symbolic links resolved, and its usual path.
    private let containers: (real: ExactPath, named: String)
    private let linger: Duration
    let patience: Duration
    private let log: DaemonLog

    private struct State {
        var domains: DomainService?
        /// The timers of items that are no longer in use. When a timer fires, the provider is notified that it may
        /// remove the file's contents (`stopProvidingItem(at:)`).
        var stops: [Key: Deadlines.Entry] = [:]
    }

    private struct Key: Hashable {
        let domain: String
        let item: ExactText
    }

    // Lock order: this lock, then the lock of ``Deadlines``.
    private let state = Lock(State())

    /// The environment variable with the number of seconds from the last use of a file until its provider is notified
    /// that the file is no longer used.
    static let lingerKey = "PURVEY_PROVIDING_TIME"

    /// The environment variable with a timeout in seconds. Programs wait at most so long until a provider has processed
    /// another program's write.
    static let patienceKey = "PURVEY_NOTING_TIME"

    /// - Parameter data: The directory of Purvey's data for this user.
    init(data: String, log: DaemonLog) {
        self.log = log
        let named = ProviderDomain.containers(data: data)
        // The directory is created so that a program that looks for it finds it.
        try? FileManager.default.createDirectory(
            atPath: named, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        containers = (ExactPath(Self.resolved(named) ?? named), named)
        linger = Self.seconds(Self.lingerKey)
        patience = Self.seconds(Self.patienceKey)
    }

    private static func seconds(_ key: String) -> Duration {
        let seconds = getenv(key).flatMap { Double(String(cString: $0)) } ?? 30
        return .seconds(min(max(seconds, 0), 1e6))
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Sets the service that knows the domains. Until then, no document storage has an owner.
    func serve(_ domains: DomainService) { state.withLock { $0.domains = domains } }

    func mayProvide(_ path: ExactPath) -> Bool { PlainPath.isBeneath(path, containers.real) }

    func begin(
        _ uses: [ProvidedUse], purpose: String
    ) async -> Result<any ProvidedFilesLease, CoordinationError> {
        let hold = StorageLease(self, purpose: purpose)
        do {
            for use in uses { try await begin(use, purpose, hold) }
            return .success(hold)
        } catch {
            hold.end(changed: []) {}
            let error = ProviderError(error).error as NSError
            return .failure(
                CoordinationError(domain: error.domain, code: error.code, message: error.localizedDescription))
        }
    }

    private func begin(_ use: ProvidedUse, _ purpose: String, _ hold: StorageLease) async throws {
        guard let place = try await place(use.path), place.provider != purpose,
            let identifier = try await place.domain.provider.identify(path: place.path)
        else { return }
        let item = StoredItem(domain: place.domain, identifier: identifier, path: place.path)
        await hold.keep(item, at: use.path)
        keep(item)
        do throws(ProviderError) {
            switch use.need {
            case .contents, .contentsIfAny: try await item.start(wantsContents: true)
            case .placeholder: try await item.start(wantsContents: false)
            case .nothing: break
            }
        } catch {
            // The provider does not know a file that the program is about to create.
            guard error.kind == .noSuchItem, use.need == .contentsIfAny else { throw error }
        }
    }

    private struct Location {
        let provider: String
        let domain: RunningDomain
        /// The path under which the provider knows the file.
        let path: String
    }

    /// Returns the domain that owns a path in a document storage; `nil` if no domain owns it.
    private func place(_ path: ExactPath) async throws -> Location? {
        guard mayProvide(path), let domains = state.withLock({ $0.domains }) else { return nil }
        let relative = String(decoding: path.utf8.dropFirst(containers.real.utf8.count), as: UTF8.self)
        guard let (provider, domain) = try await domains.owner(ofStoredFile: relative) else { return nil }
        return Location(provider: provider, domain: domain, path: containers.named + relative)
    }

    /// Returns the item whose file is at the given path. Returns `nil` if the path is not in a domain's directory, or
    /// if the file belongs to no item.
    func item(at path: ExactPath) async throws -> (RunningDomain, String)? {
        guard let place = try await place(path),
            let identifier = try await place.domain.provider.identify(path: place.path)
        else { return nil }
        return (place.domain, identifier)
    }

    // MARK: End of use

    private func key(_ item: StoredItem) -> Key {
        Key(domain: item.domain.identifier, item: ExactText(item.identifier))
    }

    /// Cancels the timer of an item, because it is in use again.
    private func keep(_ item: StoredItem) {
        let stop = state.withLock { $0.stops.removeValue(forKey: key(item)) }
        if let stop { Deadlines.shared.cancel(stop) }
    }

    fileprivate func release(_ item: StoredItem) {
        guard item.domain.provider.endUse(of: item.identifier) else { return }
        state.withLock { state in
            let entry = Deadlines.shared.run(after: linger) { [weak self] in self?.stop(item) }
            if let other = state.stops.updateValue(entry, forKey: key(item)) { Deadlines.shared.cancel(other) }
        }
    }

    private func stop(_ item: StoredItem) {
        state.withLock { _ = $0.stops.removeValue(forKey: key(item)) }
        // The provider does nothing if a new use has begun meanwhile.
        Task { await item.domain.provider.stopProviding(item.identifier) }
    }

    /// Reports a change at the given path to the provider. Called for a path that was not claimed, or that had no item
    /// when it was claimed.
    fileprivate func noteChange(at path: ExactPath, purpose: String) async {
        guard let place = try? await place(path), place.provider != purpose,
            let identifier = try? await place.domain.provider.identify(path: place.path)
        else { return }
        await noteChange(of: StoredItem(domain: place.domain, identifier: identifier, path: place.path))
    }

    fileprivate func noteChange(of item: StoredItem) async {
        do {
            try await item.domain.provider.noteChange(of: item.identifier, at: item.path)
        } catch {
            log.error("the provider was not notified of the change of \(item.path): \(error.message)")
        }
    }
}

/// A file in a provider's document storage.
private struct StoredItem: Sendable {
    let domain: RunningDomain
    let identifier: String
    /// The path under which the provider knows the file.
    let path: String

    func start(wantsContents: Bool) async throws(ProviderError) {
        try await domain.provider.start(identifier, at: path, wantsContents: wantsContents)
    }
}

/// The files in document storages that one claim uses.
private final class StorageLease: ProvidedFilesLease {
    private let storages: ProvidedStorages
    private let purpose: String
    // Leaf lock.
    private let items = Lock<[(path: ExactPath, item: StoredItem)]>([])

    init(_ storages: ProvidedStorages, purpose: String) {
        self.storages = storages
        self.purpose = purpose
    }

    func keep(_ item: StoredItem, at path: ExactPath) async {
        await item.domain.provider.beginUse(of: item.identifier)
        items.withLock { $0.append((path, item)) }
    }

    func end(changed: [ExactPath], reported: @escaping @Sendable () -> Void) {
        let items = items.withLock { items in
            defer { items = [] }
            return items
        }
        if items.isEmpty, changed.isEmpty { return reported() }
        let (storages, purpose) = (storages, purpose)
        Task {
            // Changes are reported to the provider before the end of the files' use.
            for path in changed {
                if let item = items.first(where: { $0.path == path })?.item {
                    await storages.noteChange(of: item)
                } else {
                    await storages.noteChange(at: path, purpose: purpose)
                }
            }
            reported()
            for (_, item) in items { storages.release(item) }
        }
    }
}
