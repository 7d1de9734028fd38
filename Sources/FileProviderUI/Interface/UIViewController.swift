import Foundation

/// What an extension shows a person, as far as there is something of the kind here: it has no views, and asks by a
/// ``FileProviderPrompt``. Its methods are called in the order and on the thread that programs know.
///
/// Source: UIKit, `UIViewController.h`.
@MainActor open class UIViewController: NSObject {
    /// What is shown above what it asks.
    open var title: String?

    /// A controller. The system makes one for each action.
    public nonisolated override init() { super.init() }

    /// Called once, before anything is shown.
    open func viewDidLoad() {}
    /// Called before it is shown.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called when it is shown: what is asked may be asked now.
    open func viewDidAppear(_ animated: Bool) {}
    /// Called when it is over.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Called after that.
    open func viewDidDisappear(_ animated: Bool) {}
}
