import Foundation

/// Lists a container of a provider, and tells what changes in it.
///
/// The system asks for the present moment, then for page after page, and after that for what has changed, again and again.
///
/// A class has to have the listing and may leave changes out. Of a value whose class is not known, these can also be called as
/// `enumerator.enumerateChanges?(for: observer, from: anchor)`.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderEnumerator: NSObjectProtocol {
    /// Nobody will ask any more; what is under way may be dropped.
    func invalidate()

    /// Tells an observer the items of one page, in one or more portions, and then the page that follows.
    ///
    /// Returns soon; the observer may be told later, on any thread.
    ///
    /// - Parameter page: one of the two initial pages, or one that this provider named.
    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage)

    /// Tells an observer what has changed since a moment.
    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor)

    /// Hands over the present moment; `nil` when the provider cannot tell changes.
    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void)

    /// The present moment; `nil` when the provider cannot tell changes. A class implements this or the form with a handler.
    func currentSyncAnchor() async -> NSFileProviderSyncAnchor?
}

/// What a class has that leaves changes out.
extension NSFileProviderEnumerator {
    /// The provider does not know: everything is listed again.
    public func enumerateChanges(
        for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor
    ) {
        observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
    }

    /// Asks the `async` form.
    public func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        let enumerator: any NSFileProviderEnumerator = self
        TwoForms.answer(enumerator, "currentSyncAnchor") { (result: Result<NSFileProviderSyncAnchor?, any Error>) in
            completionHandler((try? result.get()) ?? nil)
        } _: {
            await $0.currentSyncAnchor()
        }
    }

    /// Asks the form with a handler.
    public func currentSyncAnchor() async -> NSFileProviderSyncAnchor? {
        let anchor = try? await TwoForms.ask(self, "currentSyncAnchor", neither: { nil }) { answer in
            currentSyncAnchor { answer(.success($0)) }
        }
        return anchor ?? nil
    }
}

/// The functions that may be left out, as they are called of a value whose class is not known.
extension NSFileProviderEnumerator {
    /// To be called with `?`, as a function that may be left out. It never is: the default says that everything has changed.
    public var enumerateChanges: NSFileProviderEnumerateChanges? { NSFileProviderEnumerateChanges(enumerator: self) }
    /// To be called with `?`, as a function that may be left out. It never is: the default says that there is none.
    public var currentSyncAnchor: NSFileProviderCurrentSyncAnchor? { NSFileProviderCurrentSyncAnchor(enumerator: self) }
}

/// `enumerateChanges` of an enumerator.
public struct NSFileProviderEnumerateChanges {
    let enumerator: any NSFileProviderEnumerator

    /// Tells an observer what has changed since a moment.
    public func callAsFunction(
        for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor
    ) {
        enumerator.enumerateChanges(for: observer, from: syncAnchor)
    }
}

/// `currentSyncAnchor` of an enumerator.
public struct NSFileProviderCurrentSyncAnchor {
    let enumerator: any NSFileProviderEnumerator

    /// Hands over the present moment.
    public func callAsFunction(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        enumerator.currentSyncAnchor(completionHandler: completionHandler)
    }
}
