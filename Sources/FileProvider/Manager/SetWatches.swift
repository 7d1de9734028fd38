import Foundation
import ItemValues
import LinuxSystem
import Synchronization

/// The watches of item sets that this process has requested. A change of a set posts a notification, or is reported to
/// a provider.
///
/// A set is followed from the first request to the end of the process, because programs create a new enumerator after
/// each notification. The daemon replies to a pending request when the set has changed; several changes cause one
/// reply. If the daemon ends, the watch does not start another one. It tries to connect with growing delays, until
/// another request has started a daemon.
final class SetWatches: Sendable {
    static let shared = SetWatches()

    private struct Key: Hashable {
        let set: ItemSet
        let domain: NSFileProviderDomainIdentifier?
    }

    /// A closure that reports a change to a provider, and then calls `done`.
    typealias Telling = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Watch {
        let backend: any ManagerBackend
        /// The closure that reports changes, if any. Its owner calls `follow` only once.
        var telling: Telling?
        /// The last known version; `nil` before the first reply.
        var version: UInt64?
        /// The closures that wait for the first reply.
        var waiting: [@Sendable () -> Void] = []
        /// The delay before the daemon is asked again.
        var pause = SetWatches.firstPause
    }

    // Leaf lock: backends are asked and closures called after it is released.
    private let watches = Mutex<[Key: Watch]>([:])

    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)

    /// Follows a set, unless it is followed already.
    ///
    /// - Parameter telling: called for each change, on a thread that it may block. It must call its argument once.
    ///   Before that, it is not called again.
    func follow(
        _ set: ItemSet, of domain: NSFileProviderDomainIdentifier?, _ backend: any ManagerBackend,
        telling: Telling? = nil
    ) {
        let key = Key(set: set, domain: domain)
        let isNew = watches.withLock { watches in
            guard watches[key] == nil else {
                if let telling { watches[key]?.telling = telling }
                return false
            }
            watches[key] = Watch(backend: backend, telling: telling)
            return true
        }
        if isNew { ask(key) }
    }

    /// Calls a function when a set is followed, so that the function's own requests miss no change. Calls it at once if
    /// the set is followed already, or cannot be followed.
    func whenFollowed(
        _ set: ItemSet, of domain: NSFileProviderDomainIdentifier?, _ body: @escaping @Sendable () -> Void
    ) {
        let key = Key(set: set, domain: domain)
        let waits = watches.withLock { watches in
            guard let watch = watches[key], watch.version == nil else { return false }
            watches[key]?.waiting.append(body)
            return true
        }
        if !waits { body() }
    }

    private func ask(_ key: Key) {
        guard let watch = watches.withLock({ $0[key] }) else { return }
        watch.backend.version(of: key.set, in: key.domain, known: watch.version) { [self] result in
            switch result {
            case .success(let version): take(version, key)
            case .failure(let error): failed(error, key)
            }
        }
    }

    private func take(_ version: UInt64, _ key: Key) {
        let (waiting, hasChanged, telling) = watches.withLock { watches -> ([@Sendable () -> Void], Bool, Telling?) in
            guard var watch = watches[key] else { return ([], false, nil) }
            let hasChanged = watch.version != nil && watch.version != version
            let waiting = watch.waiting
            watch.version = version
            watch.waiting = []
            watch.pause = Self.firstPause
            watches[key] = watch
            return (waiting, hasChanged, watch.telling)
        }
        for body in waiting { body() }
        guard hasChanged else { return ask(key) }
        HandlerThreads.shared.runHandler {
            NotificationCenter.default.post(name: key.set.notification, object: nil)
            // Changes during a slow call are reported together afterwards.
            guard let telling else { return self.ask(key) }
            telling { self.ask(key) }
        }
    }

    private func failed(_ error: any Error, _ key: Key) {
        // A set of a provider or domain that does not exist never changes, so its watch ends.
        let isFinal =
            switch (error as? NSFileProviderError)?.code {
            case .providerNotFound, .providerDomainNotFound: true
            default: false
            }
        let (waiting, pause) = watches.withLock { watches -> ([@Sendable () -> Void], Duration?) in
            guard var watch = watches[key] else { return ([], nil) }
            let (waiting, pause) = (watch.waiting, watch.pause)
            guard !isFinal, watch.version != nil || watch.telling != nil else {
                // The watch ends. The next request for the set starts a new one.
                watches[key] = nil
                return (waiting, nil)
            }
            watch.pause = min(pause * 2, Self.longestPause)
            watches[key] = watch
            return (waiting, pause)
        }
        for body in waiting { body() }
        if let pause { Deadlines.shared.run(after: pause) { self.ask(key) } }
    }
}

extension ItemSet {
    fileprivate var notification: NSNotification.Name {
        switch self {
        case .materialized: .fileProviderMaterializedSetDidChange
        case .pending: .fileProviderPendingSetDidChange
        }
    }
}
