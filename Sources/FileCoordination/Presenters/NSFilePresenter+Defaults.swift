import Foundation
import FoundationAdditions

/// The default implementations of the messages to a presenter.
extension NSFilePresenter {
    /// Returns `nil`: there is no primary item.
    public var primaryPresentedItemURL: URL? { nil }
    /// Returns an empty set: no attributes are observed.
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

    /// Relinquishes the item at once.
    public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }
    /// Relinquishes the item at once.
    public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer(nil)
    }

    /// Accepts the eviction.
    public func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        completionHandler(nil)
    }
    /// Does nothing.
    public func presentedItemDidMove(to newURL: URL) {}
    /// Does nothing.
    public func presentedItemDidChange() {}
    /// Does nothing.
    public func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>) {}
    /// Does nothing.
    public func presentedItemDidGain(_ version: NSFileVersion) {}
    /// Does nothing.
    public func presentedItemDidLose(_ version: NSFileVersion) {}
    /// Does nothing.
    public func presentedItemDidResolveConflict(_ version: NSFileVersion) {}
    /// Reports the added item as a change, with ``presentedSubitemDidChange(at:)``.
    public func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }
    /// Reports the move as a change at both URLs, with ``presentedSubitemDidChange(at:)``.
    public func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL) {
        presentedSubitemDidChange(at: oldURL)
        presentedSubitemDidChange(at: newURL)
    }
    /// Does nothing.
    public func presentedSubitemDidChange(at url: URL) {}
    /// Does nothing.
    public func presentedSubitem(at url: URL, didGain version: NSFileVersion) {}
    /// Does nothing.
    public func presentedSubitem(at url: URL, didLose version: NSFileVersion) {}
    /// Does nothing.
    public func presentedSubitem(at url: URL, didResolve version: NSFileVersion) {}
}

/// The default implementations of the requests that have two forms. A presenter implements one form, and the default
/// implementation of the other form calls it.
extension NSFilePresenter {
    /// Calls the `async` form of this function.
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("savePresentedItemChanges", completionHandler) { try await $0.savePresentedItemChanges() }
    }
    /// Calls the form of this function that has a completion handler.
    public func savePresentedItemChanges() async throws {
        try await ask("savePresentedItemChanges") { savePresentedItemChanges(completionHandler: $0) }
    }

    /// Calls the `async` form of this function.
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        answer("accommodatePresentedItemDeletion", completionHandler) {
            try await $0.accommodatePresentedItemDeletion()
        }
    }
    /// Calls the form of this function that has a completion handler.
    public func accommodatePresentedItemDeletion() async throws {
        try await ask("accommodatePresentedItemDeletion") { accommodatePresentedItemDeletion(completionHandler: $0) }
    }

    /// Calls the `async` form of this function.
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        answer("accommodatePresentedSubitemDeletion", completionHandler) {
            try await $0.accommodatePresentedSubitemDeletion(at: url)
        }
    }
    /// Calls the form of this function that has a completion handler.
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        try await ask("accommodatePresentedSubitemDeletion") {
            accommodatePresentedSubitemDeletion(at: url, completionHandler: $0)
        }
    }

    private func answer(
        _ name: String, _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable (any NSFilePresenter) async throws -> Void
    ) {
        let preparations = ThreadClaims.current.answering
        AsyncBridging.answer(
            self as any NSFilePresenter, name,
            { (result: Result<Void, any Error>) in
                switch result {
                case .success: completion(nil)
                case .failure(let error): completion(error)
                }
            },
            { presenter in
                // The preparation is answered only when the task ends, so claims of the task must not wait for the
                // preparation.
                try await TaskClaims.answering(preparations) { try await body(presenter) }
            })
    }

    private func ask(_ name: String, _ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await AsyncBridging.ask(self, name, neither: {}) { answer in
            body { error in answer(error.map { .failure($0) } ?? .success(())) }
        }
    }
}
