import Foundation
import LinuxSystem
import Synchronization

/// Posts notifications when something changes in the sets of items that this process has asked for, and tells a provider of that.
///
/// A set is followed from the first time that it is asked for to the end of the process: programs make a new enumerator when they are
/// told of a change. The daemon answers a question that waits there; many changes are one answer. When the daemon goes, whoever asks
/// it for something starts another; this only looks now and then whether there is one.
final class SetWatches: Sendable {
    static let shared = SetWatches()

    private struct Key: Hashable {
        let set: ItemSet
        let domain: NSFileProviderDomainIdentifier?
    }

    /// Tells somebody of a change, and calls the function when that is done.
    typealias Telling = @Sendable (_ done: @escaping @Sendable () -> Void) -> Void

    private struct Watch {
        let backend: any ManagerBackend
        /// Whom to tell besides, who asks only once.
        var telling: Telling?
        /// The last that is known; `nil` before there was an answer.
        var version: UInt64?
        /// What waits for the first answer.
        var waiting: [@Sendable () -> Void] = []
        /// Until the daemon is asked again.
        var pause = SetWatches.firstPause
    }

    // Innermost: backends are asked and others called after it is released.
    private let watches = Mutex<[Key: Watch]>([:])

    private static let firstPause: Duration = .seconds(1)
    private static let longestPause: Duration = .seconds(30)

    /// Follows a set, if that is not done yet.
    ///
    /// - Parameter telling: called for each change, on a thread that it may block, and not again before it is done. It is to call
    ///   the function that it gets once.
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

    /// Calls a function once changes of a set are told of: so none between that and what is asked for then is missed. At once, where
    /// it is so already or cannot be.
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
            // Whoever takes its time is told of what comes meanwhile once.
            guard let telling else { return self.ask(key) }
            telling { self.ask(key) }
        }
    }

    private func failed(_ error: any Error, _ key: Key) {
        // Where there is no such domain, nothing changes in it.
        let isFinal =
            switch (error as? NSFileProviderError)?.code {
            case .providerNotFound, .providerDomainNotFound: true
            default: false
            }
        let (waiting, pause) = watches.withLock { watches -> ([@Sendable () -> Void], Duration?) in
            guard var watch = watches[key] else { return ([], nil) }
            let (waiting, pause) = (watch.waiting, watch.pause)
            guard !isFinal, watch.version != nil || watch.telling != nil else {
                // Whoever asks for it the next time follows it from then on.
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
