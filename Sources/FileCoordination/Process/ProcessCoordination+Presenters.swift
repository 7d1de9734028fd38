import Dispatch
import Foundation
import LinuxSystem
import OSLog

extension ProcessCoordination {
    /// Registers a presenter, unless it is registered already. The presenter is not retained.
    package func add(_ presenter: any NSFilePresenter) {
        let object = ObjectIdentifier(presenter)
        let url = presenter.presentedItemURL
        let path = Self.place(of: url)
        let reference = WeakPresenter(presenter)
        let queue = presenter.presentedItemOperationQueue
        let isSerial = queue === OperationQueue.main || queue.maxConcurrentOperationCount == 1
        var isTooMany = false
        let isConnected = post { state in
            var events: [CoordinationEvent] = []
            if let number = state.presenterNumbers[object] {
                // If the registered presenter still exists, it is this one. Otherwise, another object at the same
                // address was deallocated but never removed.
                if state.presenters[number]?.reference.presenter != nil { return [] }
                state.presenters[number] = nil
                state.presenterNumbers[object] = nil
                events.append(.removePresenter(number))
            }
            if state.presenters.count >= ClaimUsage.presenterLimit {
                isTooMany = true
                return events
            }
            let number = state.nextNumber
            state.nextNumber += 1
            let place = PresenterPlace(number: number, path: path?.path, key: path?.key)
            state.presenterNumbers[object] = number
            state.presenters[number] = RegisteredPresenter(
                number: number, object: object, reference: reference, serialQueue: isSerial ? queue : nil, url: url,
                place: place)
            return events + [.present(place)]
        }
        if isTooMany {
            Self.log.fault(
                "a process has at most \(ClaimUsage.presenterLimit, privacy: .public) file presenters; one more hears of nothing"
            )
        }
        if !isConnected { connect() }
        watchPlaces()
    }

    /// Removes a presenter. May be called during the presenter's deallocation.
    package func remove(_ object: ObjectIdentifier) {
        post { state in
            guard let number = state.presenterNumbers.removeValue(forKey: object) else { return [] }
            state.presenters[number] = nil
            return [.removePresenter(number)]
        }
    }

    /// Returns the presenters that get no messages while the calling thread is blocked.
    func presentersBlockedByThisThread() -> [UInt64] {
        let candidates = state.withLock { state in
            state.presenters.isEmpty ? [] : state.presenters.values.filter { $0.serialQueue != nil }
        }
        guard !candidates.isEmpty, let queue = OperationQueue.current else { return [] }
        return candidates.filter { $0.serialQueue === queue }.map(\.number).sorted()
    }

    var livingPresenters: [any NSFilePresenter] {
        let references = state.withLock { state in
            state.presenters.values.sorted { $0.number < $1.number }.map(\.reference)
        }
        return references.compactMap(\.presenter)
    }

    /// Reads the URLs of this process's presenters. Reports to the authority the presenters whose item has changed, and
    /// those that were deallocated.
    func refreshPlaces() {
        let presenters = state.withLock { $0.presenters.isEmpty ? [] : Array($0.presenters.values) }
        for presenter in presenters { refresh(presenter) }
    }

    /// Starts to poll the presenters' URLs. Polling continues as long as presenters are registered. It is necessary
    /// because `presentedItemURL` may change without a notification.
    private func watchPlaces() {
        let isNew = state.withLock { state in
            if state.isWatchingPlaces || state.presenters.isEmpty { return false }
            state.isWatchingPlaces = true
            return true
        }
        if isNew { lookAgainLater() }
    }

    private static let placeQueue = DispatchQueue(label: "purvey.presenters", qos: .utility)
    private static let placeMilliseconds = 500

    private func lookAgainLater() {
        Self.placeQueue.asyncAfter(deadline: .now() + .milliseconds(Self.placeMilliseconds)) { [weak self] in
            guard let self else { return }
            let (goesOn, isShared) = state.withLock { state in
                state.isWatchingPlaces = !state.presenters.isEmpty
                if case .connected(_, isLocal: false) = state.link { return (state.isWatchingPlaces, true) }
                return (state.isWatchingPlaces, false)
            }
            // Without the daemon, the URLs need not be read now, because every claim of this process reads them again.
            if isShared {
                refreshPlaces()
            } else if goesOn {
                // A process that makes no claims must find the daemon, too, so that its presenters are notified of
                // accesses by other processes.
                lookForDaemonAgain(after: presentersPause)
            }
            if goesOn { lookAgainLater() }
        }
    }

    private func refresh(_ known: RegisteredPresenter) {
        guard let presenter = known.reference.presenter else { return remove(gone: known) }
        let url = presenter.presentedItemURL
        guard url != known.url else { return }
        let path = Self.place(of: url)
        let place = PresenterPlace(number: known.number, path: path?.path, key: path?.key)
        post { state in
            guard state.presenters[known.number] != nil else { return [] }
            state.presenters[known.number]?.url = url
            state.presenters[known.number]?.place = place
            return [.present(place)]
        }
    }

    private func remove(gone known: RegisteredPresenter) {
        post { state in
            guard state.presenters.removeValue(forKey: known.number) != nil else { return [] }
            if state.presenterNumbers[known.object] == known.number { state.presenterNumbers[known.object] = nil }
            return [.removePresenter(known.number)]
        }
    }

    private static func place(of url: URL?) -> ItemPath? { url.flatMap { try? ItemPath($0) } }

    func messenger(_ number: UInt64) -> PresenterMessenger? {
        guard let known = state.withLock({ $0.presenters[number] }) else { return nil }
        return PresenterMessenger(reference: known.reference) { [weak self] in
            guard let self, let known = state.withLock({ $0.presenters[number] }) else { return }
            refresh(known)
        }
    }

    // MARK: Preparations

    func prepare(_ preparation: Preparation) {
        let number = preparation.number
        guard let messenger = messenger(preparation.presenter) else {
            post { _ in [.answer(preparation: number, failure: nil)] }
            return
        }
        // Each authority numbers its preparations from one. The epoch shows to which authority a number belongs.
        let epoch = state.withLock { state in
            state.reacquisitions[number] = .unanswered
            return state.epoch
        }
        messenger.prepare(preparation) { [weak self] reacquirer in
            self?.relinquished(number, epoch, reacquirer, messenger)
        } answered: { [weak self] failure in
            self?.post { $0.epoch == epoch ? [.answer(preparation: number, failure: failure)] : [] }
        }
    }

    private func relinquished(
        _ number: UInt64, _ epoch: UInt64, _ reacquirer: (@Sendable () -> Void)?, _ messenger: PresenterMessenger
    ) {
        guard let reacquirer else { return }
        let isOver = state.withLock { state in
            guard state.epoch == epoch, case .unanswered = state.reacquisitions[number] else { return true }
            state.reacquisitions[number] = .relinquished(reacquirer, messenger)
            return false
        }
        // The preparation has ended meanwhile.
        if isOver { messenger.giveBack(reacquirer) }
    }

    func reacquire(_ number: UInt64) {
        // A presenter that replies later finds no entry, and may use the item at once.
        if let known = state.withLock({ $0.reacquisitions.removeValue(forKey: number) }) { giveBack([known]) }
    }

    func giveBack(_ reacquisitions: [Reacquisition]) {
        for case .relinquished(let reacquirer, let messenger) in reacquisitions { messenger.giveBack(reacquirer) }
    }
}
