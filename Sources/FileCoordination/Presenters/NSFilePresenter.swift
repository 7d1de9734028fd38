import Foundation

/// Whoever shows or edits an item, and wants to hear of it when others use it.
///
/// Messages arrive on ``presentedItemOperationQueue``. All but the two properties may be left out. Each question may be
/// answered at once or later, through the closure that comes with it; one that is not answered holds up whoever wants to use
/// the item until the time limit for presenters (`PURVEY_PRESENTER_TIME_LIMIT` seconds, 30 by default) is over. Questions that
/// have an `async` form may be implemented in either.
///
/// A presenter hears only of what coordinators do, and of nothing that a coordinator does which was made with it.
///
/// Source: Foundation, `NSFilePresenter.h`.
public protocol NSFilePresenter: NSObjectProtocol {
    /// The item; `nil` for none at the moment. It may change, and is asked for on any thread: with every call of a coordinator,
    /// after every message, and twice a second, as nothing else would tell other processes of a change.
    var presentedItemURL: URL? { get }
    /// Where messages arrive.
    var presentedItemOperationQueue: OperationQueue { get }
    /// The file that this one belongs to, as a film's subtitles do. On Apple's systems it lets a confined program open both when
    /// it was given one; here a program is given each by a bookmark of its own, and nothing follows from this.
    var primaryPresentedItemURL: URL? { get }
    /// The attributes of files in a cloud that it wants to hear of.
    var observedPresentedItemUbiquityAttributes: Set<URLResourceKey> { get }

    /// Somebody waits to read the item. Call `reader` when that will do no harm, with a closure to be called when it is over.
    func relinquishPresentedItem(toReader reader: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// Somebody waits to write the item. Call `writer` when that will do no harm, with a closure to be called when it is over.
    func relinquishPresentedItem(toWriter writer: @escaping @Sendable ((@Sendable () -> Void)?) -> Void)
    /// The item is about to be read: save what is not saved. An error makes the reader's coordination fail with it.
    func savePresentedItemChanges(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item is about to be read: save what is not saved. An error makes the reader's coordination fail with it.
    func savePresentedItemChanges() async throws
    /// The item is about to be deleted. An error makes the deletion's coordination fail with it.
    func accommodatePresentedItemDeletion(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item is about to be deleted. An error makes the deletion's coordination fail with it.
    func accommodatePresentedItemDeletion() async throws
    /// The bytes of an item in a cloud are about to be given up. An error makes that fail.
    func accommodatePresentedItemEviction(completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// The item has moved, or a directory that it is in.
    func presentedItemDidMove(to newURL: URL)
    /// The item's contents or attributes may have changed.
    func presentedItemDidChange()
    /// Attributes of an item in a cloud have changed.
    func presentedItemDidChangeUbiquityAttributes(_ attributes: Set<URLResourceKey>)
    /// There is one more version of the item.
    func presentedItemDidGain(_ version: NSFileVersion)
    /// A version of the item is gone.
    func presentedItemDidLose(_ version: NSFileVersion)
    /// A conflict between versions of the item was resolved.
    func presentedItemDidResolveConflict(_ version: NSFileVersion)
    /// Something in the presented directory is about to be deleted. An error makes the deletion's coordination fail with it.
    func accommodatePresentedSubitemDeletion(
        at url: URL, completionHandler: @escaping @Sendable ((any Error)?) -> Void)
    /// Something in the presented directory is about to be deleted. An error makes the deletion's coordination fail with it.
    func accommodatePresentedSubitemDeletion(at url: URL) async throws
    /// Something was added to the presented directory. As on Apple's systems of today, ``presentedSubitemDidChange(at:)``
    /// tells of that, and this is not called.
    func presentedSubitemDidAppear(at url: URL)
    /// Something in the presented directory was moved by somebody who told the coordinator so.
    func presentedSubitem(at oldURL: URL, didMoveTo newURL: URL)
    /// Something in the presented directory has appeared, has changed or is gone.
    func presentedSubitemDidChange(at url: URL)
    /// There is one more version of something in the presented directory.
    func presentedSubitem(at url: URL, didGain version: NSFileVersion)
    /// A version of something in the presented directory is gone.
    func presentedSubitem(at url: URL, didLose version: NSFileVersion)
    /// A conflict between versions of something in the presented directory was resolved.
    func presentedSubitem(at url: URL, didResolve version: NSFileVersion)
}
