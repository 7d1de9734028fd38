import AppExtension
import FileProvider
import Foundation

/// One action: what it is about, and the way back to whoever wanted it.
///
/// Its methods may be called from any thread. What is called after its end is ignored.
///
/// Source: FileProviderUI, `FPUIActionExtensionContext.h`.
open class FPUIActionExtensionContext: NSExtensionContext, @unchecked Sendable {
    // Sendable: what it adds is set once, before anybody else has the object.
    private let identifier: NSFileProviderDomainIdentifier?
    let asking: (any PromptAsking)?

    /// A context that nobody waits for, as tests make it.
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

    /// The domain that it is about; `nil` for the default one.
    open var domainIdentifier: NSFileProviderDomainIdentifier? { identifier }

    /// The action is done.
    open func completeRequest() { super.completeRequest(returningItems: nil, completionHandler: nil) }

    /// Nothing is returned by an action: the same as ``completeRequest()``.
    open override func completeRequest(
        returningItems items: [Any]?, completionHandler: (@Sendable (Bool) -> Void)? = nil
    ) {
        super.completeRequest(returningItems: nil, completionHandler: completionHandler)
    }

    /// The action was not done.
    ///
    /// - Parameter error: of ``FPUIErrorDomain``, with a code of ``FPUIExtensionErrorCode``. Another one counts as `failed`, and the
    ///   person is told what it says.
    open override func cancelRequest(withError error: any Error) { super.cancelRequest(withError: error) }
}
