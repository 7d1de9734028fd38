import Foundation

/// What a presenter does that leaves a message out.
extension NSFilePresenter {
    /// It belongs to no other file.
    public var primaryPresentedItemURL: URL? { nil }
    /// It observes none.
    public var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { [] }

    /// Makes way at once.
    public func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        reader(nil)
    }
    /// Makes way at once.
    public func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void) {
        writer(nil)
    }

    /// Has nothing against it.
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
    /// The same as a change.
    public func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }
    /// The same as a change at both places.
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

/// The questions that have two forms: a presenter implements either, and each stands for the other.
extension NSFilePresenter {
    /// Asks the `async` form.
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        TwoForms.answer(self, completionHandler) { try await $0.savePresentedItemChanges() }
    }
    /// Asks the form with a closure.
    public func savePresentedItemChanges() async throws {
        try await TwoForms.ask { savePresentedItemChanges(completionHandler: $0) }
    }

    /// Asks the `async` form.
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        TwoForms.answer(self, completionHandler) { try await $0.accommodatePresentedItemDeletion() }
    }
    /// Asks the form with a closure.
    public func accommodatePresentedItemDeletion() async throws {
        try await TwoForms.ask { accommodatePresentedItemDeletion(completionHandler: $0) }
    }

    /// Asks the `async` form.
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        TwoForms.answer(self, completionHandler) { try await $0.accommodatePresentedSubitemDeletion(at: url) }
    }
    /// Asks the form with a closure.
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        try await TwoForms.ask { accommodatePresentedSubitemDeletion(at: url, completionHandler: $0) }
    }
}

private enum TwoForms {
    /// Whether the form with a closure stands in for the other: a presenter that has neither has nothing to do.
    @TaskLocal static var isStandingIn = false

    static func answer(
        _ presenter: any NSFilePresenter, _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable (any NSFilePresenter) async throws -> Void
    ) {
        // The task is the only one that uses the reference; the protocol has presenters called from any thread.
        nonisolated(unsafe) let presenter = presenter
        let preparations = ThreadClaims.current.answering
        Task {
            do {
                // The task answers when it ends, so what it waits for is waited for by whoever asks.
                try await TaskClaims.answering(preparations) {
                    try await $isStandingIn.withValue(true) { try await body(presenter) }
                }
                completion(nil)
            } catch {
                completion(error)
            }
        }
    }

    static func ask(_ body: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        if isStandingIn { return }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            body { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }
}
