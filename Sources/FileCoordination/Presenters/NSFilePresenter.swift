import Foundation

/// An object that shows or edits an item, and is notified when other objects use the item.
///
/// Messages arrive on ``presentedItemOperationQueue``. All requirements except the first two properties have defaults.
/// A presenter replies to a request at once or later, by calling the completion handler. A request without a reply
/// delays the use of the item until the time limit for presenters (`PURVEY_PRESENTER_TIME_LIMIT` seconds, 30 by
/// default). Requests with an `async` form may be implemented in either form.
///
/// A presenter is notified only of coordinated accesses. It is not notified of accesses by coordinators that were
/// created with this presenter.
///
/// Source: Foundation, `NSFilePresenter.h`.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The item; `nil` if the presenter has no item at present. The value may change without a notification. Therefore
    /// it is read on every call of a coordinator, after every message and twice a second, on any thread.
    var presentedItemURL: URL? { get }
    /// The queue for the messages.
    var presentedItemOperationQueue: OperationQueue { get }
    /// The primary file of a related item, such as the film of a file with subtitles. On Apple's systems, a sandboxed
    /// program with access to the primary file can thereby open the related item. On Linux this property has no effect,
    /// and a program needs a bookmark of each file.
    var primaryPresentedItemURL: URL? { get }
    /// The attributes of files in a cloud that the presenter observes.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// A reader waits for the item. Call `reader` when the item may be read, and pass it a closure that is called when
    /// the reader has finished.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// A writer waits for the item. Call `writer` when the item may be written, and pass it a closure that is called
    /// when the writer has finished.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// The item is about to be read. The presenter saves unsaved changes. If it fails, the reader's coordination fails
    /// with the same error.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item is about to be read. The presenter saves unsaved changes. If it fails, the reader's coordination fails
    /// with the same error.
    func savePresentedItemChanges() async throws
    /// The item is about to be deleted. If the presenter fails, the deletion's coordination fails with the same error.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item is about to be deleted. If the presenter fails, the deletion's coordination fails with the same error.
    func accommodatePresentedItemDeletion() async throws
    /// The contents of an item in a cloud are about to be evicted. An error makes the eviction fail.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item, or a directory that contains it, was moved.
    func presentedItemDidMove(to newURL: URL)
    /// The item's contents or attributes may have changed.
    func presentedItemDidChange()
    /// Attributes of an item in a cloud have changed.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
    /// A version of the item was added.
    func presentedItemDidGain(_ version: NSFileVersion)
    /// A version of the item was removed.
    func presentedItemDidLose(_ version: NSFileVersion)
    /// A conflict between versions of the item was resolved.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)
    /// An item in the presented directory is about to be deleted. If the presenter fails, the deletion's coordination
    /// fails with the same error.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// An item in the presented directory is about to be deleted. If the presenter fails, the deletion's coordination
    /// fails with the same error.
    func accommodatePresentedSubitemDeletion(at url: URL) async throws
    /// An item was added to the presented directory. As on Apple's current systems, this function is not called:
    /// ``presentedSubitemDidChange(at:)`` reports added items.
    func presentedSubitemDidAppear(at url: URL)
    /// An item in the presented directory was moved, and the program that moved it announced the move to a coordinator.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)
    /// An item in the presented directory was added, changed or removed.
    func presentedSubitemDidChange(at url: URL)
    /// A version of an item in the presented directory was added.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)
    /// A version of an item in the presented directory was removed.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)
    /// A conflict between versions of an item in the presented directory was resolved.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}
