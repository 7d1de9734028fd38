import Foundation

/// An object that shows or edits an item, and is notified when other objects use the item.
///
/// Messages arrive on ``presentedItemOperationQueue``. All requirements except the first two properties have default
/// implementations. A presenter replies to a request at once or later, by calling the completion handler. A request
/// without a reply delays the use of the item until the time limit for presenters (`PURVEY_PRESENTER_TIME_LIMIT`
/// seconds, 30 by default). Requests with an `async` form may be implemented in either form.
///
/// A presenter is notified only of coordinated accesses. It is not notified of accesses by coordinators that were
/// created with this presenter.
///
/// Source: Foundation, `NSFilePresenter.h`.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The URL of the presented item; `nil` if the presenter has no item at present. The value may change without a
    /// notification. Therefore it is read on every call of a coordinator, after every message and twice a second, on
    /// any thread.
    var presentedItemURL: URL? { get }
    /// The queue on which the presenter gets its messages.
    var presentedItemOperationQueue: OperationQueue { get }
    /// The primary file of a related item, such as the film of a file with subtitles. On Apple's systems, this property
    /// lets a sandboxed program that has access to the primary file open the related item. On Linux it has no effect: a
    /// confined program needs a bookmark of each file.
    var primaryPresentedItemURL: URL? { get }
    /// The observed attributes. If one of them changes on a file in cloud storage, the presenter is notified.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Asks the presenter to relinquish the item, because a reader waits for it. Call `reader` when the item may be
    /// read, and pass it a closure that is called when the reader has finished.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// Asks the presenter to relinquish the item, because a writer waits for it. Call `writer` when the item may be
    /// written, and pass it a closure that is called when the writer has finished.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// Asks the presenter to save unsaved changes, because the item is about to be read, or to be written with
    /// ``NSFileCoordinator/WritingOptions/forMerging``. If the presenter reports an error, the coordination of this
    /// access fails with the same error.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Asks the presenter to save unsaved changes, because the item is about to be read, or to be written with
    /// ``NSFileCoordinator/WritingOptions/forMerging``. If the presenter throws an error, the coordination of this
    /// access fails with the same error.
    func savePresentedItemChanges() async throws
    /// Prepares for the deletion of the item. If the presenter reports an error, the coordination of the deletion fails
    /// with the same error.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Prepares for the deletion of the item. If the presenter throws an error, the coordination of the deletion fails
    /// with the same error.
    func accommodatePresentedItemDeletion() async throws
    /// Prepares for the eviction of the contents of an item in cloud storage. If the presenter reports an error, the
    /// eviction fails.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Notifies the presenter that the item, or a directory that contains it, was moved.
    func presentedItemDidMove(to newURL: URL)
    /// Notifies the presenter that the item's contents or attributes may have changed.
    func presentedItemDidChange()
    /// Notifies the presenter that the given attributes of the item, which is in cloud storage, have changed.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
    /// Notifies the presenter that a version of the item was added.
    func presentedItemDidGain(_ version: NSFileVersion)
    /// Notifies the presenter that a version of the item was removed.
    func presentedItemDidLose(_ version: NSFileVersion)
    /// Notifies the presenter that a conflict between versions of the item was resolved.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)
    /// Prepares for the deletion of an item in the presented directory. If the presenter reports an error, the
    /// coordination of the deletion fails with the same error.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Prepares for the deletion of an item in the presented directory. If the presenter throws an error, the
    /// coordination of the deletion fails with the same error.
    func accommodatePresentedSubitemDeletion(at url: URL) async throws
    /// Notifies the presenter that an item was added to the presented directory. As on Apple's current systems, this
    /// function is not called: ``presentedSubitemDidChange(at:)`` reports added items.
    func presentedSubitemDidAppear(at url: URL)
    /// Notifies the presenter that an item in the presented directory was moved. Called only if the program that moved
    /// the item announced the move to a coordinator.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)
    /// Notifies the presenter that an item in the presented directory was added, changed or removed.
    func presentedSubitemDidChange(at url: URL)
    /// Notifies the presenter that a version of an item in the presented directory was added.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)
    /// Notifies the presenter that a version of an item in the presented directory was removed.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)
    /// Notifies the presenter that a conflict between versions of an item in the presented directory was resolved.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}
