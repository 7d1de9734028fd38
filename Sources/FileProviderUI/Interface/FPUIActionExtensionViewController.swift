import FileProvider
import Foundation

/// A controller that asks the user about an action of a file provider, or to sign in. The principal class of the
/// extension is a subclass.
///
/// Each action has an object in a separate process. The object learns its purpose, asks with
/// ``FPUIActionExtensionContext/ask(_:)``, and ends with ``FPUIActionExtensionContext/completeRequest()`` or
/// ``FPUIActionExtensionContext/cancelRequest(withError:)``. Like the provider, the process can access the folder that
/// was handed to the domain, and the domain's directory in the provider's document storage.
///
/// Source: FileProviderUI, `FPUIActionExtensionViewController.h`.
open class FPUIActionExtensionViewController: UIViewController {
    private var context = FPUIActionExtensionContext()

    /// The context, which leads back to the host.
    open var extensionContext: FPUIActionExtensionContext { context }

    /// Prepares for a failure of the provider, which the user is to resolve, usually by signing in. After completion
    /// the system retries. The default ends the request as unsupported.
    ///
    /// - Parameter error: the provider's error, usually `NSFileProviderError.notAuthenticated`.
    open func prepare(forError error: any Error) {
        context.cancelRequest(withError: Self.unprepared)
    }

    /// Prepares for an action on items that the user requested. The default ends the request as unsupported.
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
