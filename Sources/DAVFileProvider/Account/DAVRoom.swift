import FileProvider
import Foundation
import HTTPTransport
import LinuxSystem
import WebDAVClient

/// The user's quota at the service, as the server reported it last. The system reads it as a part of the domain's
/// state.
package final class DAVRoom: Sendable {
    private struct Stored: Codable {
        var quota: DAVQuota?
        /// The archived version of the domain's state, which increases with each change of the quota.
        var version: Data?
        /// The time at which the server refused an upload for lack of space, in seconds since 1970; `nil` if uploads
        /// can be tried again.
        var fullSince: Int64?
        /// The number of free bytes in the server's first report after that refusal.
        var freeWhenFull: Int?
    }

    private struct State {
        var stored: Stored
        var asked: ContinuousClock.Instant?
        var hasChanged = false
    }

    private let catalogue: SharedServerCatalogue
    // Leaf lock.
    private let state: Lock<State>

    private static let key = "room"
    /// The pause between two requests for the quota, which some servers compute slowly.
    private static let pause = Duration.seconds(300)
    /// The number of seconds after which uploads are tried again although the server reports no more space. An
    /// administrator may have changed a limit of one folder, which the quota does not show.
    private static let patience: Int64 = 900

    /// Reads the stored quota. Blocks on the disk.
    init(_ catalogue: SharedServerCatalogue) throws {
        self.catalogue = catalogue
        let bytes = try catalogue.performNow { try $0.value(Self.key) }
        let stored = bytes.flatMap { try? JSONDecoder().decode(Stored.self, from: Data($0)) }
        state = Lock(State(stored: stored ?? Stored()))
    }

    /// The quota; `nil` if the server has not reported it.
    var quota: DAVQuota? { state.withLock { $0.stored.quota } }

    /// Whether the next check for changes must request the quota. While uploads wait for space, each check requests it.
    package var isDue: Bool {
        state.withLock { state in
            state.stored.fullSince != nil || state.asked.map { .now - $0 >= Self.pause } ?? true
        }
    }

    /// The version of the domain's state.
    var version: NSFileProviderDomainVersion {
        Self.version(state.withLock { $0.stored.version })
    }

    private static func version(_ archive: Data?) -> NSFileProviderDomainVersion {
        // The version is not the archive's root object. If the root object had another class, Foundation's unarchiver
        // would end the process.
        let coder = archive.flatMap { try? NSKeyedUnarchiver(forReadingFrom: $0) }
        return coder.flatMap { NSFileProviderDomainVersion(coder: $0) } ?? NSFileProviderDomainVersion()
    }

    /// Records the quota in the server's reply.
    ///
    /// - Returns: whether uploads that were refused for lack of space can be tried again.
    func note(_ quota: DAVQuota?, at now: Int64) async throws -> Bool {
        let (stored, isResolved, isNew) = state.withLock { state in
            state.asked = .now
            let isNew = quota != nil && quota != state.stored.quota
            if let quota, isNew {
                state.hasChanged = true
                state.stored.quota = quota
                let coder = NSKeyedArchiver(requiringSecureCoding: true)
                Self.version(state.stored.version).next().encode(with: coder)
                state.stored.version = coder.encodedData
            }
            guard let since = state.stored.fullSince else { return (state.stored, false, isNew) }
            let free = quota?.available
            if state.stored.freeWhenFull == nil { state.stored.freeWhenFull = free }
            let hasMore = free.map { $0 > state.stored.freeWhenFull ?? .max } ?? false
            guard hasMore || now - since > Self.patience || now < since else { return (state.stored, false, isNew) }
            (state.stored.fullSince, state.stored.freeWhenFull) = (nil, nil)
            return (state.stored, true, true)
        }
        if isNew { try await store(stored) }
        return isResolved
    }

    /// Records that the server has refused an upload for lack of space.
    func noteFull(at now: Int64) async {
        let stored = state.withLock { state -> Stored? in
            guard state.stored.fullSince == nil else { return nil }
            // The number of free bytes that was reported last may be out of date.
            (state.stored.fullSince, state.stored.freeWhenFull) = (now, nil)
            return state.stored
        }
        // If the record cannot be stored, the uploads wait until the user retries them.
        if let stored { try? await store(stored) }
    }

    private func store(_ stored: Stored) async throws {
        let bytes = [UInt8](try JSONEncoder().encode(stored))
        try await catalogue.perform { try $0.set(bytes, for: Self.key) }
    }

    /// Whether the quota has changed since this function was called last.
    func takeChange() -> Bool {
        state.withLock { state in
            defer { state.hasChanged = false }
            return state.hasChanged
        }
    }
}

extension DAVAccount {
    /// Records the quota that the server has reported. If there is more space than when the server refused uploads, the
    /// system tries these uploads again.
    func note(_ quota: DAVQuota?) async throws {
        guard try await room.note(quota, at: ChangeWatch.now) else { return }
        NSFileProviderManager(for: domain)?.signalErrorResolved(NSFileProviderError(.insufficientQuota)) { _ in }
    }

    /// Requests the quota if a request is due and the server reports quotas.
    func checkRoom() async throws {
        guard room.isDue, profile.quota != nil || room.quota != nil else { return }
        let entry = try await ask(.background) { client throws(DAVError) in
            try await client.entry(at: root, hasQuota: true)
        }
        try await note(entry.quota)
    }
}

/// Reports the state of the whole domain, which contains the user's quota at the service.
extension DAVExtension: NSFileProviderDomainState {
    /// The version of the state.
    public final var domainVersion: NSFileProviderDomainVersion {
        (try? account.room.version) ?? NSFileProviderDomainVersion()
    }

    /// The bytes that are free and used at the service, as far as they are known.
    public final var userInfo: [AnyHashable: Any] {
        guard let quota = try? account.room.quota else { return [:] }
        var values: [AnyHashable: Any] = [:]
        values[NSFileProviderDomain.quotaAvailableKey] = quota.available.map { NSNumber(value: $0) }
        values[NSFileProviderDomain.quotaUsedKey] = quota.used.map { NSNumber(value: $0) }
        return values
    }
}
