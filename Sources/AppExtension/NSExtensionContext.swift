import Foundation
import FoundationAdditions
import Synchronization

/// The key for the errors of individual items, in the `userInfo` of a request's error.
public let NSExtensionItemsAndErrorsKey = "NSExtensionItemsAndErrorsKey"

/// One request of a host to an extension: its items, and the means to reply.
///
/// The request ends once, with ``completeRequest(returningItems:completionHandler:)`` or ``cancelRequest(withError:)``;
/// later calls are ignored. The methods may be called from any thread.
///
/// Unlike Apple's class, it is Sendable, so that a completion handler may use it. The host and the items are set by the
/// initializer only. A lock protects the mutable state. Only the extension's code uses the items.
///
///     func beginRequest(with context: NSExtensionContext) {
///         context.completeRequest(returningItems: context.inputItems)
///     }
///
/// Source: Foundation, `NSExtensionContext.h`.
open class NSExtensionContext: NSObject, @unchecked Sendable {
    /// The host's side of a request. Its functions are called on the thread on which the extension calls the context.
    package struct Host: Sendable {
        /// Sends the items to the host, and then calls the second argument. Passes `true` if the host had already
        /// cancelled the request.
        let complete: @Sendable (ReturnedItems, @escaping @Sendable (Bool) -> Void) -> Void
        let cancel: @Sendable (any Error) -> Void
        let open: @Sendable (URL, @escaping @Sendable (Bool) -> Void) -> Void

        package init(
            complete: @escaping @Sendable (ReturnedItems, @escaping @Sendable (Bool) -> Void) -> Void,
            cancel: @escaping @Sendable (any Error) -> Void,
            open: @escaping @Sendable (URL, @escaping @Sendable (Bool) -> Void) -> Void
        ) {
            self.complete = complete
            self.cancel = cancel
            self.open = open
        }
    }

    /// The items that an extension returns. The extension does not use them afterwards.
    package typealias ReturnedItems = Disconnected<[NSExtensionItem]>

    private let host: Host?
    private let items: [Any]
    // Leaf lock: the host's functions are called after it is released.
    private let hasEnded = Mutex(false)

    /// Creates a context without a host or items, for tests.
    public override init() {
        host = nil
        items = []
        super.init()
    }

    /// Creates the context of one request.
    package init(inputItems: [NSExtensionItem], host: Host?) {
        self.host = host
        items = inputItems
        super.init()
    }

    /// The items from the host: ``NSExtensionItem`` objects.
    open var inputItems: [Any] { items }

    /// Ends the request and returns items to the host.
    ///
    /// - Parameters:
    ///   - items: ``NSExtensionItem`` objects; others are left out. Their attachments can be loaded while this process
    ///     runs. The process runs until the host has released them.
    ///   - completionHandler: Called after the items were sent. The argument is `true` if the host had cancelled the
    ///     request before, so that this process will be ended soon. If the request has already ended, the handler is
    ///     called at once, with `true`.
    open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        guard end(), let host else {
            completionHandler?(true)
            return
        }
        let returned = ReturnedItems((items ?? []).compactMap { $0 as? NSExtensionItem })
        host.complete(returned) { completionHandler?($0) }
    }

    /// Ends the request with an error, which is passed to the host.
    open func cancelRequest(withError error: any Error) {
        if end() { host?.cancel(error) }
    }

    /// Asks the host to open a URL.
    ///
    /// - Parameter completionHandler: Called with `true` if the host has opened the URL.
    open func open(_ URL: URL, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        guard let host, !hasEnded.withLock({ $0 }) else {
            completionHandler?(false)
            return
        }
        host.open(URL) { completionHandler?($0) }
    }

    /// Asks the host to open a URL. Returns whether the host has opened it.
    open func open(_ URL: URL) async -> Bool {
        await withCheckedContinuation { continuation in
            open(URL) { continuation.resume(returning: $0) }
        }
    }

    /// Ends the request. Returns `false` if the request had already ended.
    private func end() -> Bool {
        hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
    }
}

/// The interface of an extension's principal class.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
    /// Begins a request. Called after the object's creation, on a separate thread.
    func beginRequest(with context: NSExtensionContext)
}

extension NSNotification.Name {
    /// A notification that is posted in an extension when its host comes to the foreground.
    public static let NSExtensionHostWillEnterForeground = NSNotification.Name(
        "NSExtensionHostWillEnterForegroundNotification")
    /// A notification that is posted in an extension when its host has gone to the background.
    public static let NSExtensionHostDidEnterBackground = NSNotification.Name(
        "NSExtensionHostDidEnterBackgroundNotification")
    /// A notification that is posted in an extension when its host is about to become inactive.
    public static let NSExtensionHostWillResignActive = NSNotification.Name(
        "NSExtensionHostWillResignActiveNotification")
    /// A notification that is posted in an extension when its host has become active.
    public static let NSExtensionHostDidBecomeActive = NSNotification.Name("NSExtensionHostDidBecomeActiveNotification")
}
