import AppExtension
import FileProvider
import Foundation

/// The context of one action: its domain, and the connection to the host that requested it.
///
/// Its methods may be called from any thread. Calls after its end are ignored.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
open class FPUIActionExtensionContext: NSExtensionContext, @unchecked Sendable {
    // Sendable: it adds constants only.
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

    /// The domain of the action; `nil` for the default one.
    open var domainIdentifier: NSFileProviderDomainIdentifier? { identifier }

    /// Ends the action as done.
    open func completeRequest() { super.completeRequest(returningItems: nil, completionHandler: nil) }

    /// Ends the action as done, as ``completeRequest()``. An action returns no items.
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        super.completeRequest(returningItems: nil, completionHandler: completionHandler)
    }

    /// Ends the action as not done.
    ///
    /// - Parameter error: an error of ``FPUIErrorDomain``, with a code of ``FPUIExtensionErrorCode``. Any other error
    ///   counts as `failed`, and its description is shown to the user.
    open override func cancelRequest(withError error: any Error) { super.cancelRequest(withError: error) }
}
