import Foundation
import ItemValues
import LinuxSystem
import Synchronization

/// The item sets that this process watches. When a set changes, a notification is posted. In an extension's process,
/// the change is also reported to the provider.
///
/// A set is watched from the first request to the end of the process, because programs create a new enumerator after
/// each notification. A watch is a pending request to the daemon, which replies when the set has changed. Several
/// changes can cause one reply. If the daemon ends, the watch does not start a new daemon. It tries to connect with
/// growing delays, until a daemon runs again.
final class SetWatches: Sendable {
    static let shared = SetWatches()

    private struct Key: Hashable {
        let set: ItemSet
        let domain: NSFileProviderDomainIdentifier?
    }

    /// A closure that reports a change to the provider, and calls `done` when the provider has handled the change.
    typealias Telling = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Watch {
        let backend: any ManagerBackend
        /// The closure that reports changes to the provider, if any. Only one caller per set passes such a closure.
        var telling: Telling?
        /// The last known version; `nil` before the first reply.
        var version: UInt64?
        /// The closures to call after the first reply.
        var waiting: [@Sendable () -> Void] = []
        /// The delay before the next attempt after a failure.
        var pause = SetWatches.firstPause
    }

    // Leaf lock: requests are sent, and closures called, after it is released.
    private let watches = Mutex<[Key: Watch]>([:])

    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)
    /// The least ratio of the time without reports to the time that the provider needs to handle one.
    private static let pauseFactor = 9

    /// Begins to watch a set, unless the process watches it already.
    ///
    /// - Parameter telling: called after changes, on a thread that may block. The closure must call its argument once,
    ///   when the provider has handled the change. Before that, the closure is not called again.
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

    /// Calls `body` when the first request for the set's version has succeeded or failed. After a success, later
    /// changes of the set post notifications. Calls `body` at once if the version is known already, or if the set is
    /// not watched.
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
            let start = ContinuousClock.now
            telling {
                // A provider that reads a large set again after each change would be busy with nothing else.
                let pause = min((ContinuousClock.now - start) * Self.pauseFactor, Self.longestPause)
                Deadlines.shared.run(after: pause) { self.ask(key) }
            }
        }
    }

    private func failed(_ error: any Error, _ key: Key) {
        // The watch ends if the provider or domain does not exist, because its set never changes.
        let isFinal =
            switch (error as? NSFileProviderError)?.code {
            case .providerNotFound, .providerDomainNotFound: true
            default: false
            }
        let (waiting, pause) = watches.withLock { watches -> ([@Sendable () -> Void], Duration?) in
            guard var watch = watches[key] else { return ([], nil) }
            let (waiting, pause) = (watch.waiting, watch.pause)
            guard !isFinal, watch.version != nil || watch.telling != nil else {
                // The watch ends. The next request for the set starts a new watch.
                watches[key] = nil
                return (waiting, nil)
            }
            watch.pause = min(pause * 2, Self.longestPause)
            watch.waiting = []
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
