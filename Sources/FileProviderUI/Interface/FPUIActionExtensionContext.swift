import AppExtension
import FileProvider
import Foundation

/// The context of one action: the action's domain, and the connection to the host that requested the action.
///
/// Its methods may be called from any thread. Calls after the end of the action are ignored.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
open class FPUIActionExtensionContext: NSExtensionContext, @unchecked Sendable {
    // Sendable because the class adds only constants to its superclass, which is Sendable.
    private let identifier: NSFileProviderDomainIdentifier?
    let asking: (any PromptAsking)?

    /// Creates a context without a host, for tests.
    public override init() {
        identifier = nil
        asking = nil
        super.init()
    }

    init(domain: NSFileProviderDomainIdentifier?, host: Host, asking: any PromptAsking) {
        identifier = domain
        self.asking = asking
        super.init(inputItems: [], host: host)
    }

    /// The domain of the action; `nil` for the default domain.
    open var domainIdentifier: NSFileProviderDomainIdentifier? { identifier }

    /// Ends the action with success.
    open func completeRequest() { super.completeRequest(returningItems: nil, completionHandler: nil) }

    /// Ends the action with success, as ``completeRequest()``. Ignores `items`, because an action returns no items.
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        super.completeRequest(returningItems: nil, completionHandler: completionHandler)
    }

    /// Ends the action without success.
    ///
    /// - Parameter error: an error of ``FPUIErrorDomain``, with a code of ``FPUIExtensionErrorCode``. Any other error
    ///   counts as `failed`. The host shows the description of a failure to the user.
    open override func cancelRequest(withError error: any Error) { super.cancelRequest(withError: error) }
}

/// The calls with which an extension shows its own windows, with any toolkit. The extension finds out whether it can
/// show windows, and informs the host while a window is shown. `FileProviderGTK` makes these calls for GTK windows.
///
/// Source: an addition. Apple's extensions show views.
extension FPUIActionExtensionContext {
    /// Whether the extension can show windows: its property list declares that it does (`PurveyShowsWindows`), and the
    /// user who requested the action has a display. If `false`, ``ask(_:)`` may still ask the user on a terminal.
    public var hasDisplay: Bool { asking?.hasDisplay ?? false }

    /// Informs the host that a window waits for the user. Suspends the time limit until ``windowDidDisappear()``.
    public func windowDidAppear() { asking?.windowIsShown(true) }

    /// Informs the host that no window is shown any more. Restarts the time limit.
    public func windowDidDisappear() { asking?.windowIsShown(false) }
}

/// The domain of the errors with which an extension ends the request for an action.
public let FPUIErrorDomain = "FPUIErrorDomain"

/// The reasons why an action did not complete: the codes of ``FPUIErrorDomain``.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public enum FPUIExtensionErrorCode: UInt, Sendable {
    /// Cancellation by the user.
    case userCancelled = 0
    /// A failure.
    case failed = 1
}

/// The identifier of an action in a property list.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
public struct FPUIActionIdentifier: Hashable, RawRepresentable, Sendable {
    /// The identifier's text.
    public let rawValue: String
    /// Creates an identifier from a text.
    public init(_ rawValue: String) { self.rawValue = rawValue }
    /// Creates an identifier from a text.
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A controller that asks the user about an action of a file provider, or to sign in. The principal class of the
/// extension is a subclass.
///
/// Each action has its own object, in a separate process. The system calls one of the `prepare` functions with the
/// failure or the action. The object then asks the user with ``FPUIActionExtensionContext/ask(_:)``, and ends the
/// request with ``FPUIActionExtensionContext/completeRequest()`` or
/// ``FPUIActionExtensionContext/cancelRequest(withError:)``. Like the provider's process, the object's process can
/// access the directory to which the user gave the domain access, and the domain's directory in the provider's document
/// storage.
///
/// Source: FileProviderUI, `FPUIActionExtensionViewController.h`.
open class FPUIActionExtensionViewController: UIViewController {
    private var context = FPUIActionExtensionContext()

    /// The context, which connects the controller to the host.
    open var extensionContext: FPUIActionExtensionContext { context }

    /// Prepares to resolve a failure of the provider together with the user, usually by a sign-in. If the object then
    /// calls ``FPUIActionExtensionContext/completeRequest()``, the system retries the provider's failed requests. The
    /// default ends the request as unsupported.
    ///
    /// - Parameter error: the provider's error, usually `NSFileProviderError.notAuthenticated`.
    open func prepare(forError error: any Error) {
        context.cancelRequest(withError: Self.unprepared)
    }

    /// Prepares for an action that the user requested on the given items. The default ends the request as unsupported.
    ///
    /// - Parameter actionIdentifier: the identifier in the property list.
    open func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        context.cancelRequest(withError: Self.unprepared)
    }

    private static var unprepared: any Error {
        CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "The extension does not do that."])
    }

    func take(_ context: FPUIActionExtensionContext) { self.context = context }
}
