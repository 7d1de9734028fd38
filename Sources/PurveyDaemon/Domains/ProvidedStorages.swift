import CoordinationService
import Exchange
import ExtensionHost
import FileCoordination
import FileProvider
import FileProviderEngine
import Foundation
import Glibc
import LinuxSystem

/// The document storages of all providers, as file coordination has to do with them: before a program reads or writes a file there,
/// the file's provider puts it to its place.
final class ProvidedStorages: ProvidedFiles {
    /// The folder of all containers, as its path leads there and as it is called.
    private let containers: (real: ExactPath, named: String)
    private let linger: Duration
    let patience: Duration
    private let log: DaemonLog

    private struct State {
        var domains: DomainService?
        /// Of items that nobody uses any more, and whose providers are told so in a while.
        var stops: [Key: Deadlines.Entry] = [:]
    }

    private struct Key: Hashable {
        let domain: String
        let item: String
    }

    // Lock order: `Deadlines`' own lock is taken inside of this one.
    private let state = Lock(State())

    /// In the environment: for how many seconds a provider is not told that nobody uses a file any more.
    static let lingerKey = "PURVEY_PROVIDING_TIME"

    /// The same: for how many seconds programs wait until a provider knows what one of them has written.
    static let patienceKey = "PURVEY_NOTING_TIME"

    /// - Parameter data: the folder of what Purvey keeps for this user.
    init(data: String, log: DaemonLog) {
        self.log = log
        let named = ProviderDomain.containers(data: data)
        // Whoever uses files there has found the folder.
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

    /// From now on there are domains to ask.
    func serve(_ domains: DomainService) { state.withLock { $0.domains = domains } }

    func mayProvide(_ path: ExactPath) -> Bool { PlainPath.isBeneath(path, containers.real) }

    func begin(
        _ uses: [ProvidedUse], purpose: String
    ) async -> Result<any ProvidedHold, CoordinationFailure> {
        let hold = StorageHold(self, purpose: purpose)
        do {
            for use in uses { try await begin(use, purpose, hold) }
            return .success(hold)
        } catch {
            hold.end(changed: []) {}
            let error = ProviderFailure(error).error as NSError
            return .failure(
                CoordinationFailure(domain: error.domain, code: error.code, message: error.localizedDescription))
        }
    }

    private func begin(_ use: ProvidedUse, _ purpose: String, _ hold: StorageHold) async throws {
        guard let place = try await place(use.path), place.provider != purpose,
            let identifier = try await place.domain.provider.identify(path: place.path)
        else { return }
        let item = StoredItem(domain: place.domain, identifier: identifier, path: place.path)
        await hold.keep(item, at: use.path)
        keep(item)
        do throws(ProviderFailure) {
            switch use.need {
            case .contents, .contentsIfAny: try await item.start(wantsContents: true)
            case .placeholder: try await item.start(wantsContents: false)
            case .nothing: break
            }
        } catch {
            // A file that is about to be made is no provider's yet.
            guard error.kind == .noSuchItem, use.need == .contentsIfAny else { throw error }
        }
    }

    private struct Place {
        let provider: String
        let domain: RunningDomain
        /// As the provider has it.
        let path: String
    }

    /// Whose storage a path is in; `nil` for nobody's.
    private func place(_ path: ExactPath) async throws -> Place? {
        guard mayProvide(path), let domains = state.withLock({ $0.domains }) else { return nil }
        let relative = String(decoding: path.utf8.dropFirst(containers.real.utf8.count), as: UTF8.self)
        guard let (provider, domain) = try await domains.owner(ofStoredFile: relative) else { return nil }
        return Place(provider: provider, domain: domain, path: containers.named + relative)
    }

    /// The item whose file is at a path; `nil` for a path that is in no domain's folder, or no item's.
    func item(at path: ExactPath) async throws -> (RunningDomain, String)? {
        guard let place = try await place(path),
            let identifier = try await place.domain.provider.identify(path: place.path)
        else { return nil }
        return (place.domain, identifier)
    }

    // MARK: The end

    private func key(_ item: StoredItem) -> Key { Key(domain: item.domain.identifier, item: item.identifier) }

    /// Somebody uses the item.
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
        // Not if somebody has begun to use it meanwhile.
        Task { await item.domain.provider.stopProviding(item.identifier) }
    }

    /// Tells what has changed at a place that was nobody's when it was claimed, or was not claimed.
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
            log.error("the provider was not told that \(item.path) has changed: \(error.message)")
        }
    }
}

/// A file in a provider's document storage.
private struct StoredItem: Sendable {
    let domain: RunningDomain
    let identifier: String
    /// As the provider has it.
    let path: String

    func start(wantsContents: Bool) async throws(ProviderFailure) {
        try await domain.provider.start(identifier, at: path, wantsContents: wantsContents)
    }
}

/// Files in document storages that are kept for one claim.
private final class StorageHold: ProvidedHold {
    private let storages: ProvidedStorages
    private let purpose: String
    // Innermost.
    private let items = Lock<[(path: ExactPath, item: StoredItem)]>([])

    init(_ storages: ProvidedStorages, purpose: String) {
        self.storages = storages
        self.purpose = purpose
    }

    func keep(_ item: StoredItem, at path: ExactPath) async {
        await item.domain.provider.beginUse(of: item.identifier)
        items.withLock { $0.append((path, item)) }
    }

    func end(changed: [ExactPath], noted: @escaping @Sendable () -> Void) {
        let items = items.withLock { items in
            defer { items = [] }
            return items
        }
        if items.isEmpty, changed.isEmpty { return noted() }
        let (storages, purpose) = (storages, purpose)
        Task {
            // Before the provider may hear that nobody uses them.
            for path in changed {
                if let item = items.first(where: { $0.path == path })?.item {
                    await storages.noteChange(of: item)
                } else {
                    await storages.noteChange(at: path, purpose: purpose)
                }
            }
            noted()
            for (_, item) in items { storages.release(item) }
        }
    }
}
