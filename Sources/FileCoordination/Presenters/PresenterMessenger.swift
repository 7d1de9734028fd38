import Foundation
import LinuxSystem

/// A presenter that this process has registered. The presenter is not retained.
struct RegisteredPresenter: Sendable {
    let number: UInt64
    let object: ObjectIdentifier
    let reference: WeakPresenter
    /// The presenter's queue at the time of registration; `nil` if that queue runs several operations at once.
    let serialQueue: OperationQueue?
    /// The presenter's URL when it was last read. The next value is compared with it to detect a change.
    var url: URL?
    var place: PresenterPlace
}

final class WeakPresenter: @unchecked Sendable {
    // Sendable: weak references are loaded atomically, and this one is never changed.
    weak let presenter: (any NSFilePresenter)?

    init(_ presenter: any NSFilePresenter) { self.presenter = presenter }
}

/// Sends messages to one presenter, on the presenter's own queue.
struct PresenterMessenger: Sendable {
    let reference: WeakPresenter
    /// A closure that is called after every message, because the message may have changed the presenter's item.
    let afterwards: @Sendable () -> Void

    /// Runs `body` with the presenter, on the presenter's queue. If the presenter was deallocated, runs `gone` instead.
    private func perform(
        _ body: @escaping @Sendable (any NSFilePresenter) -> Void, orElse gone: @escaping @Sendable () -> Void = {}
    ) {
        guard let queue = reference.presenter?.presentedItemOperationQueue else { return gone() }
        queue.addOperation { [self] in
            guard let presenter = reference.presenter else { return gone() }
            body(presenter)
            afterwards()
        }
    }

    func tell(_ notice: PresenterNotice) {
        perform { presenter in
            func url(_ path: ExactPath) -> URL { URL(fileURLWithPath: path.string) }
            switch notice {
            case .moved(let path): presenter.presentedItemDidMove(to: url(path))
            case .changed: presenter.presentedItemDidChange()
            case .subitemChanged(let path): presenter.presentedSubitemDidChange(at: url(path))
            case .subitemMoved(let old, let new): presenter.presentedSubitem(at: url(old), didMoveTo: url(new))
            case .attributesChanged(let names):
                let observed = presenter.observedPresentedItemUbiquityAttributes
                let changed = Set(names.map { URLResourceKey(rawValue: $0) }).intersection(observed)
                if !changed.isEmpty { presenter.presentedItemDidChangeUbiquityAttributes(changed) }
            case .subitemAttributesChanged(let path, _): presenter.presentedSubitemDidChange(at: url(path))
            case .versionChanged(let path, let change):
                let version = NSFileVersion(change, of: url(path))
                switch change.kind {
                case .gained: presenter.presentedItemDidGain(version)
                case .lost: presenter.presentedItemDidLose(version)
                case .resolved: presenter.presentedItemDidResolveConflict(version)
                }
            case .subitemVersionChanged(let path, let change):
                let version = NSFileVersion(change, of: url(path))
                switch change.kind {
                case .gained: presenter.presentedSubitem(at: url(path), didGain: version)
                case .lost: presenter.presentedSubitem(at: url(path), didLose: version)
                case .resolved: presenter.presentedSubitem(at: url(path), didResolve: version)
                }
            }
        }
    }

    /// Runs the closure that the presenter supplied when it relinquished the item, on the presenter's queue.
    func giveBack(_ reacquirer: @escaping @Sendable () -> Void) {
        guard let queue = reference.presenter?.presentedItemOperationQueue else { return }
        queue.addOperation(reacquirer)
    }

    /// Sends the presenter the requests of a preparation, one after the other, until one fails.
    ///
    /// - Parameters:
    ///   - relinquished: Called when the presenter has relinquished the item. Its argument is the closure to call when
    ///     the presenter may use the item again.
    ///   - answered: Called once, with the error of the request that failed, or with `nil` when all requests have
    ///     succeeded.
    func prepare(
        _ preparation: Preparation, relinquished: @escaping @Sendable ((@Sendable () -> Void)?) -> Void,
        answered: @escaping @Sendable (CoordinationError?) -> Void
    ) {
        ask(Step.steps(of: preparation)[...], preparation, relinquished, answered)
    }

    private enum Step {
        case relinquish(Preparation.Relinquishing)
        case save
        case accommodateDeletion
        case accommodateEviction
        case accommodateSubitemDeletion(ExactPath)

        static func steps(of preparation: Preparation) -> [Step] {
            var steps: [Step] = []
            if preparation.relinquishing != .none { steps.append(.relinquish(preparation.relinquishing)) }
            if preparation.saves { steps.append(.save) }
            if preparation.deletesItem { steps.append(.accommodateDeletion) }
            if preparation.evictsItem { steps.append(.accommodateEviction) }
            return steps + preparation.deletedSubitems.map { .accommodateSubitemDeletion($0) }
        }
    }

    private func ask(
        _ steps: ArraySlice<Step>, _ preparation: Preparation,
        _ relinquished: @escaping @Sendable ((@Sendable () -> Void)?) -> Void,
        _ answered: @escaping @Sendable (CoordinationError?) -> Void
    ) {
        guard let step = steps.first else { return answered(nil) }
        let answer = PresenterAnswer { failure in
            if let failure { answered(failure) } else { ask(steps.dropFirst(), preparation, relinquished, answered) }
        }
        perform(
            { presenter in
                ThreadClaims.answering(preparation.number) {
                    switch step {
                    case .relinquish(.toWriter):
                        presenter.relinquishPresentedItem(toWriter: {
                            relinquished($0)
                            answer.give(nil)
                        })
                    case .relinquish:
                        presenter.relinquishPresentedItem(toReader: {
                            relinquished($0)
                            answer.give(nil)
                        })
                    case .save: presenter.savePresentedItemChanges { answer.give($0) }
                    case .accommodateDeletion: presenter.accommodatePresentedItemDeletion { answer.give($0) }
                    case .accommodateEviction: presenter.accommodatePresentedItemEviction { answer.give($0) }
                    case .accommodateSubitemDeletion(let path):
                        presenter.accommodatePresentedSubitemDeletion(at: URL(fileURLWithPath: path.string)) {
                            answer.give($0)
                        }
                    }
                }
            }, orElse: { answer.give(nil) })
    }
}

/// A presenter's reply to a request. Only the first reply is used. If a completion handler is released without a call,
/// this counts as success.
private final class PresenterAnswer: Sendable {
    private let handler: Lock<(@Sendable (CoordinationError?) -> Void)?>

    init(_ handler: @escaping @Sendable (CoordinationError?) -> Void) { self.handler = Lock(handler) }

    deinit { give(nil) }

    func give(_ error: (any Error)?) {
        let handler = handler.withLock { handler in
            defer { handler = nil }
            return handler
        }
        handler?(error.map { CoordinationError($0) })
    }
}

extension CoordinationError {
    init(_ error: any Error) {
        let error = error as NSError
        self.init(domain: error.domain, code: error.code, message: error.localizedDescription)
    }
}
