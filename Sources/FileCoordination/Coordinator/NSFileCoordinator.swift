import Foundation
import LinuxSystem

/// An object that coordinates the use of files with other threads and processes, and with presenters.
///
/// A call to read or write a file waits until all conflicting uses have ended. Several readers may run at the same
/// time; a writer runs alone. The use of a directory or a package includes everything in it. Presenters of the file are
/// first asked to save and relinquish it, and are notified of changes afterwards. Claims that exclude each other are
/// granted in the order in which they were made. Calls of one coordinator do not wait for each other, so they may be
/// nested. Coordinators with the same purpose do not wait for each other either.
///
/// The synchronous functions block the calling thread and run the accessor on it. A call within an accessor, or within
/// a message to a presenter, fails if it would wait for this accessor or message to end. The error names the source
/// locations of both calls.
///
/// Between processes, coordination works in programs that link the coordination service's client (`import Purvey`). It
/// uses the daemon, which is started on demand. In other programs, it works only between the threads of the process.
///
/// ```
/// let coordinator = NSFileCoordinator()
/// var contents: Data?
/// var error: NSError?
/// coordinator.coordinate(readingItemAt: url, error: &error) { url in
///     contents = try? Data(contentsOf: url)
/// }
/// ```
///
/// Source: Foundation, `NSFileCoordinator.h`.
open class NSFileCoordinator: NSObject {
    /// Options for reading an item.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Presenters are not asked to save before the item is read.
        public static var withoutChanges: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// A symbolic link is replaced by its target: the accessor gets the target's URL.
        public static var resolvesSymbolicLink: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
        /// Only metadata that is known without the item's contents is read. Therefore the contents are not fetched, and
        /// presenters are not asked to prepare.
        public static var immediatelyAvailableMetadataOnly: ReadingOptions { ReadingOptions(rawValue: 1 << 2) }
        /// The accessor gets a copy, or for a directory a zip archive. The copy is removed when the accessor returns.
        /// While the accessor runs, other processes may use the item.
        public static var forUploading: ReadingOptions { ReadingOptions(rawValue: 1 << 3) }
    }

    /// Options for writing an item. At most one of ``forDeleting``, ``forMoving``, ``forMerging`` and ``forReplacing``
    /// may be used. ``contentIndependentMetadataOnly`` can be combined with any of them.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The item is deleted.
        public static var forDeleting: WritingOptions { WritingOptions(rawValue: 1 << 0) }
        /// The item is moved. Its new path is detected, even if the accessor does not announce the move with
        /// ``item(at:didMoveTo:)``.
        public static var forMoving: WritingOptions { WritingOptions(rawValue: 1 << 1) }
        /// Presenters are asked to save before the item is written.
        public static var forMerging: WritingOptions { WritingOptions(rawValue: 1 << 2) }
        /// Another item replaces the existing one, if any.
        public static var forReplacing: WritingOptions { WritingOptions(rawValue: 1 << 3) }
        /// Only metadata that does not depend on the item's contents is written, such as permissions or tags. Like any
        /// writer, the call excludes other uses, and presenters are notified of the change afterwards. However,
        /// presenters need not relinquish the item, and its contents are not fetched.
        public static var contentIndependentMetadataOnly: WritingOptions { WritingOptions(rawValue: 1 << 4) }
    }

    let core: CoordinatorCore

    /// The purpose of the coordinator's calls. They do not wait for calls of coordinators with the same purpose. By
    /// default, the purpose is unique. Set it before the first call.
    open var purposeIdentifier: String

    /// Creates a coordinator.
    ///
    /// - Parameter filePresenterOrNil: The presenter that uses the files through this coordinator. It gets no messages
    ///   about this use.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        core = CoordinatorCore(.current, presenter: filePresenterOrNil.map { ObjectIdentifier($0) })
        purposeIdentifier = Purposes.next()
        super.init()
    }

    /// Creates a coordinator without a presenter, with the given coordination state instead of the state of this
    /// process.
    package init(in process: ProcessCoordination) {
        core = CoordinatorCore(process, presenter: nil)
        purposeIdentifier = Purposes.next()
        super.init()
    }

    /// Creates a coordinator without a presenter.
    public override convenience init() { self.init(filePresenter: nil) }

    // MARK: - Presenters

    /// Adds a presenter, which is notified of changes from now on. It is not retained, and may be removed during its
    /// deallocation. The first call blocks until the daemon is connected.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        ProcessCoordination.current.add(filePresenter)
    }

    /// Removes a presenter. It gets no further messages.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        ProcessCoordination.current.remove(ObjectIdentifier(filePresenter))
    }

    /// The presenters of this process, in the order in which they were added.
    open class var filePresenters: [any NSFilePresenter] { ProcessCoordination.current.livingPresenters }

    // MARK: - Coordinating

    /// Reads an item. Blocks until the item may be read, then runs `reader` on the calling thread with the item's
    /// current URL. The item need not exist.
    ///
    /// - Parameter outError: Set if `reader` is not run: the call was cancelled (`CocoaError.userCancelled`), a
    ///   presenter could not save, the call would wait for an accessor or message within which it is made, or the URL
    ///   contains a cycle of links.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        perform([.reading(url, options)], outError) { reader($0[0]) }
    }

    /// Writes an item, which need not exist yet. Otherwise like
    /// ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        perform([.writing(url, options)], outError) { writer($0[0]) }
    }

    /// Reads an open file whose descriptor this process received from another process. Without such a descriptor, a
    /// confined process cannot coordinate reads of files outside its container. Otherwise like
    /// ``coordinate(readingItemAt:options:error:byAccessor:)``.
    package func coordinate(
        reading file: FileDescriptor, at url: URL, options: ReadingOptions, error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        perform([ClaimedItem(url: url, use: .reading(options), handed: file)], outError) { reader($0[0]) }
    }

    /// Evicts an item's contents, which can be fetched again. Presenters of the item relinquish it, and are asked to
    /// accept the eviction with ``NSFilePresenter/accommodatePresentedItemEviction(completionHandler:)``. If a
    /// presenter objects, the call fails with the presenter's error. Presenters are not notified of a change. Otherwise
    /// like ``coordinate(writingItemAt:options:error:byAccessor:)``.
    package func coordinate(evictingItemAt url: URL, error outError: NSErrorPointer, byAccessor evicter: (URL) -> Void)
    {
        perform([ClaimedItem(url: url, use: .evicting)], outError) { evicter($0[0]) }
    }

    /// Reads one item and writes another. Otherwise like ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [], writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor readerWriter: (URL, URL) -> Void
    ) {
        perform([.reading(readingURL, readingOptions), .writing(writingURL, writingOptions)], outError) {
            readerWriter($0[0], $0[1])
        }
    }

    /// Writes two items. To move one item to the path of another, use ``WritingOptions/forMoving`` for the first and
    /// ``WritingOptions/forReplacing`` for the second. Otherwise like
    /// ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        perform([.writing(url1, options1), .writing(url2, options2)], outError) { writer($0[0], $0[1]) }
    }

    /// Reads and writes items without blocking the calling thread. The accessor runs on the given queue when all items
    /// may be used. Each intent then has its item's current URL. The claim ends when the accessor returns.
    open func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        core.coordinate(SharedIntents(intents), purpose: purposeIdentifier, queue: queue, accessor)
    }

    /// Asks the presenters of many items to relinquish them, all at once. The coordinator's calls for single items,
    /// made within the accessor, then need not ask each presenter. The accessor receives a closure. The items stay
    /// claimed until the closure is called, in the accessor or later, or is released.
    open func prepare(
        forReadingItemsAt readingURLs: [URL], options readingOptions: ReadingOptions = [],
        writingItemsAt writingURLs: [URL], options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer, byAccessor batchAccessor: (@escaping @Sendable () -> Void) -> Void
    ) {
        let items =
            readingURLs.map { ClaimedItem.reading($0, readingOptions.subtracting(.forUploading)) }
            + writingURLs.map { ClaimedItem.writing($0, writingOptions) }
        do {
            let (ticket, _) = try core.waitForClaim(items, purpose: purposeIdentifier)
            let end = BatchEnd(core.process, ticket)
            ThreadClaims.holding(ticket.number) { batchAccessor { end.come() } }
        } catch {
            outError?.pointee = error as NSError
        }
    }

    private func perform(_ items: [ClaimedItem], _ outError: NSErrorPointer, _ accessor: ([URL]) -> Void) {
        do {
            try core.withClaim(items, purpose: purposeIdentifier, accessor)
        } catch {
            outError?.pointee = error as NSError
        }
    }

    // MARK: - Announcing

    /// Announces that an item is about to be moved. Does nothing on Linux.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Announces, within an accessor, that an item was moved, and notifies its presenters. If the item was written with
    /// ``WritingOptions/forMoving``, its presenters are notified even without this call. Presenters of the directories
    /// that contain the item are notified of the move only after this call; otherwise, they are notified of changes.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        guard let old = try? ItemPath(oldURL), let new = try? ItemPath(newURL) else { return }
        core.announceMove(from: old, to: new)
    }

    /// Announces that attributes of an item in cloud storage have changed, and notifies the item's presenters.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard let item = try? ItemPath(url) else { return }
        let excepted = core.process.number(of: core.presenter)
        core.process.announce(
            .changedAttributes(path: item.path, names: attributes.map(\.rawValue).sorted(), excepted: excepted))
    }

    /// Makes all present and future calls of this coordinator fail with `CocoaError.userCancelled`, except calls whose
    /// accessor has begun to run. Any thread may call this function.
    open func cancel() {
        core.cancel()
    }
}

/// Creates purpose identifiers. They are unique among all processes, and short enough for Swift to store them without
/// an allocation.
private enum Purposes {
    private static let process = String(UInt64.random(in: 0..<(1 << 48)), radix: 36)
    private static let last = Lock<UInt64>(0)

    static func next() -> String {
        let number = last.withLock { last in
            last += 1
            return last
        }
        return process + "." + String(number, radix: 36)
    }
}

/// A pointer to an error variable, as in Objective-C. Pass `nil`, or `&` before a variable of type `NSError?`.
///
/// On Apple's platforms, this type is an `AutoreleasingUnsafeMutablePointer`, which Swift on Linux does not have.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
