import Foundation
import FoundationAdditions

/// An enumerator of a container's items and of the changes in it.
///
/// The system requests the current sync anchor, then all pages, one after the other. Later, it requests the changes
/// since the last anchor, whenever the provider signals changes.
///
/// A class must implement the enumeration of items. The enumeration of changes is optional. On an existential value,
/// the optional functions can also be called as `enumerator.enumerateChanges?(for: observer, from: anchor)`.
///
/// Source: FileProvider, `NSFileProviderEnumerating.h`.
public protocol NSFileProviderEnumerator: NSObjectProtocol {
    /// Informs the enumerator that no more calls follow. Work in progress may be dropped.
    func invalidate()

    /// Reports the items of one page to an observer, in one or more portions. Then reports the token of the next page.
    ///
    /// The function must return soon. It may call the observer later, on any thread.
    ///
    /// - Parameter page: one of the two initial pages, or a page that this enumerator has reported as the next one.
    func enumerateItems(for observer: any NSFileProviderEnumerationObserver, startingAt page: NSFileProviderPage)

    /// Reports to `observer` the changes since the given sync anchor.
    func enumerateChanges(for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor)

    /// Returns the current sync anchor; `nil` if the provider cannot report changes.
    func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void)

    /// Returns the current sync anchor; `nil` if the provider cannot report changes. A class implements this form or
    /// the form with a completion handler.
    func currentSyncAnchor() async -> NSFileProviderSyncAnchor?
}

/// Defaults for a class that does not enumerate changes.
extension NSFileProviderEnumerator {
    /// Reports that the sync anchor has expired. The system then enumerates all items again.
    public func enumerateChanges(
        for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor
    ) {
        observer.finishEnumeratingWithError(NSFileProviderError(.syncAnchorExpired))
    }

    /// Calls the `async` form.
    public func currentSyncAnchor(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        let enumerator: any NSFileProviderEnumerator = self
        AsyncBridging.answer(enumerator, "currentSyncAnchor") {
            (result: Result<NSFileProviderSyncAnchor?, any Error>) in
            completionHandler((try? result.get()) ?? nil)
        } _: {
            await $0.currentSyncAnchor()
        }
    }

    /// Calls the form with a completion handler.
    public func currentSyncAnchor() async -> NSFileProviderSyncAnchor? {
        let anchor = try? await AsyncBridging.ask(self, "currentSyncAnchor", neither: { nil }) { answer in
            currentSyncAnchor { answer(.success($0)) }
        }
        return anchor ?? nil
    }
}

/// The optional functions as values, which programs can call with `?` on an `any NSFileProviderEnumerator`.
extension NSFileProviderEnumerator {
    /// `enumerateChanges` as an optional function, which programs call with `?`. It is never `nil`: the default reports
    /// that the sync anchor has expired.
    public var enumerateChanges: NSFileProviderEnumerateChanges? { NSFileProviderEnumerateChanges(enumerator: self) }
    /// `currentSyncAnchor` as an optional function, which programs call with `?`. It is never `nil`: the default
    /// returns no sync anchor.
    public var currentSyncAnchor: NSFileProviderCurrentSyncAnchor? { NSFileProviderCurrentSyncAnchor(enumerator: self) }
}

/// The function `enumerateChanges` of an enumerator, as a value that can be called.
public struct NSFileProviderEnumerateChanges {
    let enumerator: any NSFileProviderEnumerator

    /// Reports to `observer` the changes since the given sync anchor.
    public func callAsFunction(
        for observer: any NSFileProviderChangeObserver, from syncAnchor: NSFileProviderSyncAnchor
    ) {
        enumerator.enumerateChanges(for: observer, from: syncAnchor)
    }
}

/// The function `currentSyncAnchor` of an enumerator, as a value that can be called.
public struct NSFileProviderCurrentSyncAnchor {
    let enumerator: any NSFileProviderEnumerator

    /// Returns the current sync anchor; `nil` if the provider cannot report changes.
    public func callAsFunction(completionHandler: @escaping @Sendable (NSFileProviderSyncAnchor?) -> Void) {
        enumerator.currentSyncAnchor(completionHandler: completionHandler)
    }
}
