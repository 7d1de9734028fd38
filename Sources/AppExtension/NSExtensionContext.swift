import Foundation
import Synchronization

/// In the `userInfo` of a request's error: what went wrong with which item.
public let NSExtensionItemsAndErrorsKey = "NSExtensionItemsAndErrorsKey"

/// One request of a host to an extension: what it hands over, and the way back.
///
/// It ends once, with ``completeRequest(returningItems:completionHandler:)`` or ``cancelRequest(withError:)``; what is called
/// after that is ignored. The methods may be called from any thread.
///
/// Sendable, unlike Apple's, so that a completion handler may use it: the host and the items are set once, before anybody else has
/// the object, and what changes is under a lock. The items are the extension's own.
///
/// Source: Foundation, `NSExtensionContext.h`.
open class NSExtensionContext: NSObject, @unchecked Sendable {
    /// The other side of a request. Its functions are called on whatever thread the extension calls from.
    package struct Host: Sendable {
        /// The items as what they become on the way: the receiver calls back when the host has them, with whether it had
        /// ended the request before.
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

    /// What an extension gives back. Sendable because it is handed over: the extension has no further use for it.
    package struct ReturnedItems: @unchecked Sendable {
        package let items: [NSExtensionItem]
    }

    private let host: Host?
    private let items: [Any]
    // Innermost: the host's functions are called after it is released.
    private let hasEnded = Mutex(false)

    /// A context without a host and without items, as tests make it.
    public override init() {
        host = nil
        items = []
        super.init()
    }

    /// A context of one request.
    package init(inputItems: [NSExtensionItem], host: Host?) {
        self.host = host
        items = inputItems
        super.init()
    }

    /// What the host hands over: ``NSExtensionItem`` objects.
    open var inputItems: [Any] { items }

    /// Ends the request and hands these items back.
    ///
    /// - Parameters:
    ///   - items: ``NSExtensionItem`` objects; anything else is left out. Their attachments can be loaded for as long as this
    ///     process lives, which it does until the host has let go of them.
    ///   - completionHandler: called once the host has them, with whether it had ended the request before: `true` means that
    ///     the extension is about to be ended. Called at once, with `true`, when the request has ended already.
    open func completeRequest(returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        guard end(), let host else {
            completionHandler?(true)
            return
        }
        let returned = ReturnedItems(items: (items ?? []).compactMap { $0 as? NSExtensionItem })
        host.complete(returned) { completionHandler?($0) }
    }

    /// Ends the request with an error, which the host gets.
    open func cancelRequest(withError error: any Error) {
        if end() { host?.cancel(error) }
    }

    /// Asks the host to open a URL.
    ///
    /// - Parameter completionHandler: called with whether it did.
    open func open(_ URL: URL, completionHandler: (@Sendable (Bool) -> Void)? = nil) {
        guard let host, !hasEnded.withLock({ $0 }) else {
            completionHandler?(false)
            return
        }
        host.open(URL) { completionHandler?($0) }
    }

    /// Asks the host to open a URL, and tells whether it did.
    open func open(_ URL: URL) async -> Bool {
        await withCheckedContinuation { continuation in
            open(URL) { continuation.resume(returning: $0) }
        }
    }

    /// Whether this was the first call that ends the request.
    private func end() -> Bool {
        hasEnded.withLock { hasEnded in
            defer { hasEnded = true }
            return !hasEnded
        }
    }
}

/// What an extension's principal class does.
public protocol NSExtensionRequestHandling: NSObjectProtocol {
    /// Begins a request: after the object was made, on a thread of its own.
    func beginRequest(with context: NSExtensionContext)
}

extension NSNotification.Name {
    /// Posted in an extension when its host comes to the foreground.
    public static let NSExtensionHostWillEnterForeground = NSNotification.Name(
        "NSExtensionHostWillEnterForegroundNotification")
    /// Posted in an extension when its host has gone to the background.
    public static let NSExtensionHostDidEnterBackground = NSNotification.Name(
        "NSExtensionHostDidEnterBackgroundNotification")
    /// Posted in an extension when its host is about to become inactive.
    public static let NSExtensionHostWillResignActive = NSNotification.Name(
        "NSExtensionHostWillResignActiveNotification")
    /// Posted in an extension when its host has become active.
    public static let NSExtensionHostDidBecomeActive = NSNotification.Name("NSExtensionHostDidBecomeActiveNotification")
}
