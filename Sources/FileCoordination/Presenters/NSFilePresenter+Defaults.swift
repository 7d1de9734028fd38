import Foundation

/// The defaults for the messages that a presenter does not implement.
extension NSFilePresenter {
    /// The primary item: none.
    public var primaryPresentedItemURL: URL? { nil }
    /// The observed attributes: none.
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
    /// Treats the new item as a change.
    public func presentedSubitemDidAppear(at url: URL) { presentedSubitemDidChange(at: url) }
    /// Treats the move as a change at both paths.
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

/// The requests that have two forms. A presenter implements one form, and the default of the other form calls it.
extension NSFilePresenter {
    /// Calls the `async` form.
    public func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        AsyncBridging.answer(self, completionHandler) { try await $0.savePresentedItemChanges() }
    }
    /// Calls the form with a completion handler.
    public func savePresentedItemChanges() async throws {
        try await AsyncBridging.ask { savePresentedItemChanges(completionHandler: $0) }
    }

    /// Calls the `async` form.
    public func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
        AsyncBridging.answer(self, completionHandler) { try await $0.accommodatePresentedItemDeletion() }
    }
    /// Calls the form with a completion handler.
    public func accommodatePresentedItemDeletion() async throws {
        try await AsyncBridging.ask { accommodatePresentedItemDeletion(completionHandler: $0) }
    }

    /// Calls the `async` form.
    public func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        AsyncBridging.answer(self, completionHandler) { try await $0.accommodatePresentedSubitemDeletion(at: url) }
    }
    /// Calls the form with a completion handler.
    public func accommodatePresentedSubitemDeletion(at url: URL) async throws {
        try await AsyncBridging.ask { accommodatePresentedSubitemDeletion(at: url, completionHandler: $0) }
    }
}

private enum AsyncBridging {
    /// Whether the default of the form with a completion handler is calling the `async` form. If a presenter implements
    /// neither form, the default of the `async` form then returns at once. Otherwise, the two defaults would call each
    /// other endlessly.
    @TaskLocal static var isStandingIn = false

    static func answer(
        _ presenter: any NSFilePresenter, _ completion: @escaping @Sendable ((any Error)?) -> Void,
        _ body: @escaping @Sendable (any NSFilePresenter) async throws -> Void
    ) {
        // Only the task uses the reference, and the protocol allows calls from any thread.
        nonisolated(unsafe) let presenter = presenter
        let preparations = ThreadClaims.current.answering
        Task {
            do {
                // The preparation is answered when the task ends, so claims of the task are nested in it.
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
