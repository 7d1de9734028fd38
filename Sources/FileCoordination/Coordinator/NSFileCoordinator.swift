import Foundation
import LinuxSystem

/// Uses files in turn with other threads and processes, and with those who present them.
///
/// Whoever reads or writes a file through a coordinator waits until nobody uses it in a way that does not go together with
/// that: those who read go together, a writer is alone, and what is done to a directory or a package is done to all in it.
/// Presenters of the file are asked to save and to make way first, and learn afterwards what has become of it. Claims that
/// exclude each other are granted in the order in which they were made. A coordinator does not wait for itself, so calls may be
/// nested; two that have the same purpose do not wait for each other either.
///
/// The calls with an accessor block the calling thread and run the accessor on it. A call that would wait for itself, because
/// the accessor or presenter's message that it is made in has to end first, fails with an error that names both places.
///
/// Between processes this works in programs that are linked with the coordination service's client (`import Purvey`), through
/// the daemon, which is started on demand; elsewhere it works between the threads of the process.
///
/// Source: Foundation, `NSFileCoordinator.h`.
open class NSFileCoordinator: NSObject {
    /// What becomes of an item that is read.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Presenters are not asked to save first.
        public static var withoutChanges: ReadingOptions { ReadingOptions(rawValue: 1 << 0) }
        /// A symbolic link stands for what it leads to: the accessor gets that.
        public static var resolvesSymbolicLink: ReadingOptions { ReadingOptions(rawValue: 1 << 1) }
        /// Only what is known without the item's bytes is read: nothing is downloaded, and presenters are not disturbed.
        public static var immediatelyAvailableMetadataOnly: ReadingOptions { ReadingOptions(rawValue: 1 << 2) }
        /// The accessor gets a copy, of a directory a zip archive, which is gone when it returns; others may go on meanwhile.
        public static var forUploading: ReadingOptions { ReadingOptions(rawValue: 1 << 3) }
    }

    /// What becomes of an item that is written. All but the last exclude each other.
    public struct WritingOptions: OptionSet, Sendable {
        /// The options as bits.
        public let rawValue: UInt
        /// Options from bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The item is deleted.
        public static var forDeleting: WritingOptions { WritingOptions(rawValue: 1 << 0) }
        /// The item is moved. Where to is noticed, whether it is announced or not.
        public static var forMoving: WritingOptions { WritingOptions(rawValue: 1 << 1) }
        /// Presenters are asked to save first.
        public static var forMerging: WritingOptions { WritingOptions(rawValue: 1 << 2) }
        /// Another item takes the place of what is there, if anything is.
        public static var forReplacing: WritingOptions { WritingOptions(rawValue: 1 << 3) }
        /// Only what does not depend on the item's bytes is written, its permissions or tags, say. Others are kept out as by every
        /// writer, and presenters are told of the change afterwards; but they need not make way, and nothing is downloaded.
        public static var contentIndependentMetadataOnly: WritingOptions { WritingOptions(rawValue: 1 << 4) }
    }

    let core: CoordinatorCore

    /// Whose claims do not wait for each other: those of coordinators with the same text. Unless it is set, each coordinator has
    /// one of its own. Set it before the first call.
    open var purposeIdentifier: String

    /// A coordinator.
    ///
    /// - Parameter filePresenterOrNil: on whose behalf files are used. It gets no messages because of that.
    public init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        core = CoordinatorCore(.current, presenter: filePresenterOrNil.map { ObjectIdentifier($0) })
        purposeIdentifier = Purposes.next()
        super.init()
    }

    /// A coordinator on nobody's behalf whose calls another coordination decides than this process's.
    package init(in process: ProcessCoordination) {
        core = CoordinatorCore(process, presenter: nil)
        purposeIdentifier = Purposes.next()
        super.init()
    }

    /// A coordinator on nobody's behalf.
    public override convenience init() { self.init(filePresenter: nil) }

    // MARK: - Presenters

    /// Has a presenter hear of its item from now on. It is not kept alive, and may be removed while it is deallocated. Blocks,
    /// the first time, until the daemon is there.
    open class func addFilePresenter(_ filePresenter: any NSFilePresenter) {
        ProcessCoordination.current.add(filePresenter)
    }

    /// Has a presenter hear of nothing any more.
    open class func removeFilePresenter(_ filePresenter: any NSFilePresenter) {
        ProcessCoordination.current.remove(ObjectIdentifier(filePresenter))
    }

    /// The presenters of this process, in the order in which they were added.
    open class var filePresenters: [any NSFilePresenter] { ProcessCoordination.current.livingPresenters }

    // MARK: - Coordinating

    /// Reads an item. Blocks until that is this call's turn, and then runs the accessor on the calling thread, with the URL that
    /// the item has by then; the item need not exist.
    ///
    /// - Parameter outError: set when the accessor is not run: the call was cancelled (`CocoaError.userCancelled`), a presenter
    ///   could not save, the call would wait for itself, or the URL leads in circles.
    open func coordinate(
        readingItemAt url: URL, options: ReadingOptions = [], error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        perform([.reading(url, options)], outError) { reader($0[0]) }
    }

    /// Writes an item, which need not exist yet. Otherwise as ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        writingItemAt url: URL, options: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) {
        perform([.writing(url, options)], outError) { writer($0[0]) }
    }

    /// Reads a file that this process was handed and has open. A confined process reads files of others in turn only if it shows
    /// that it was handed them. Otherwise as ``coordinate(readingItemAt:options:error:byAccessor:)``.
    package func coordinate(
        reading file: FileDescriptor, at url: URL, options: ReadingOptions, error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) {
        perform([ClaimedItem(url: url, use: .reading(options), handed: file)], outError) { reader($0[0]) }
    }

    /// Gives up an item's bytes, as whoever keeps them elsewhere as well does. Presenters of the item make way and are asked
    /// ``NSFilePresenter/accommodatePresentedItemEviction(completionHandler:)``; one that objects makes the call fail with its
    /// error. They are not told of a change. Otherwise as ``coordinate(writingItemAt:options:error:byAccessor:)``.
    package func coordinate(evictingItemAt url: URL, error outError: NSErrorPointer, byAccessor evicter: (URL) -> Void)
    {
        perform([ClaimedItem(url: url, use: .evicting)], outError) { evicter($0[0]) }
    }

    /// Reads one item and writes another. Otherwise as ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        readingItemAt readingURL: URL, options readingOptions: ReadingOptions = [], writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [], error outError: NSErrorPointer,
        byAccessor readerWriter: (URL, URL) -> Void
    ) {
        perform([.reading(readingURL, readingOptions), .writing(writingURL, writingOptions)], outError) {
            readerWriter($0[0], $0[1])
        }
    }

    /// Writes two items, or moves one to the place of another: with ``WritingOptions/forMoving`` for the first and
    /// ``WritingOptions/forReplacing`` for the second. Otherwise as ``coordinate(readingItemAt:options:error:byAccessor:)``.
    open func coordinate(
        writingItemAt url1: URL, options options1: WritingOptions = [], writingItemAt url2: URL,
        options options2: WritingOptions = [], error outError: NSErrorPointer, byAccessor writer: (URL, URL) -> Void
    ) {
        perform([.writing(url1, options1), .writing(url2, options2)], outError) { writer($0[0], $0[1]) }
    }

    /// Reads and writes items, without blocking the calling thread: the accessor runs on a queue when all of them may be used,
    /// with each intent's URL as it is by then. They are free again when it returns.
    open func coordinate(
        with intents: [NSFileAccessIntent], queue: OperationQueue,
        byAccessor accessor: @escaping @Sendable ((any Error)?) -> Void
    ) {
        core.coordinate(SharedIntents(intents), purpose: purposeIdentifier, queue: queue, accessor)
    }

    /// Has the presenters of many items make way at once, for calls of this coordinator that the accessor makes. The items are
    /// kept until the accessor has called, then or later, the closure that it gets, or has let go of it.
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

    // MARK: - Telling

    /// Says that an item is about to be moved. On Linux there is nothing to be prepared for that.
    open func item(at oldURL: URL, willMoveTo newURL: URL) {}

    /// Says, from inside of an accessor, that an item was moved. Presenters learn it, also without this where the item was
    /// written ``WritingOptions/forMoving``; those of directories learn the move as such only through this.
    open func item(at oldURL: URL, didMoveTo newURL: URL) {
        guard let old = try? ItemPath(oldURL), let new = try? ItemPath(newURL) else { return }
        core.announceMove(from: old, to: new)
    }

    /// Says that attributes of an item in a cloud have changed.
    open func item(at url: URL, didChangeUbiquityAttributes attributes: Set<URLResourceKey>) {
        guard let item = try? ItemPath(url) else { return }
        let excepted = core.process.number(of: core.presenter)
        core.process.announce(
            .changedAttributes(path: item.path, names: attributes.map(\.rawValue).sorted(), excepted: excepted))
    }

    /// Makes every call of this coordinator fail with `CocoaError.userCancelled` that has not run its accessor yet, those that are
    /// made from now on too. From any thread.
    open func cancel() {
        core.cancel()
    }
}

/// Texts that no other coordinator of any process has, short enough to need no memory of their own.
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
