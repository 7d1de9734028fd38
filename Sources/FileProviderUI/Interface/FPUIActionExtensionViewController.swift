import FileProvider
import Foundation

/// Asks a person about an action of a file provider's, or to sign in: the principal class of the extension is a subclass.
///
/// An object is made for each action, in a process of its own. It is told what it is for, asks with
/// ``FPUIActionExtensionContext/ask(_:)``, and ends with ``FPUIActionExtensionContext/completeRequest()`` or
/// ``FPUIActionExtensionContext/cancelRequest(withError:)``. The process reaches the folder that was handed to the domain and the
/// domain's folder in the provider's document storage, both as the provider does.
///
/// Source: FileProviderUI, `FPUIActionExtensionViewController.h`.
open class FPUIActionExtensionViewController: UIViewController {
    private var context = FPUIActionExtensionContext()

    /// The way back to whoever wanted the action.
    open var extensionContext: FPUIActionExtensionContext { context }

    /// The provider has refused something: the person is to put that right, by signing in as a rule. When it is completed, the
    /// system tries again. The default ends it as unsupported.
    ///
    /// - Parameter error: what the provider said, `NSFileProviderError.notAuthenticated` as a rule.
    open func prepare(forError error: any Error) {
        context.cancelRequest(withError: Self.unprepared)
    }

    /// A person wants an action with items. The default ends it as unsupported.
    ///
    /// - Parameter actionIdentifier: as the property list has it.
    open func prepare(forAction actionIdentifier: String, itemIdentifiers: [NSFileProviderItemIdentifier]) {
        context.cancelRequest(withError: Self.unprepared)
    }

    private static var unprepared: any Error {
        CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: "The extension does not do that."])
    }

    func take(_ context: FPUIActionExtensionContext) { self.context = context }
}
