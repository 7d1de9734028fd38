import Foundation

/// The part of UIKit's view controllers that exists on Linux. It has no views, and asks with a
/// ``FileProviderPrompt``. Its methods are called in UIKit's order, on the main thread.
///
/// Source: UIKit, `UIViewController.h`.
@MainActor open class UIViewController: NSObject {
    /// The title of what the controller shows.
    open var title: String?

    /// Creates a controller. The system makes one for each action.
    public nonisolated override init() { super.init() }

    /// Prepares the controller. Called once, before it is shown.
    open func viewDidLoad() {}
    /// Informs the controller that it is about to be shown.
    open func viewWillAppear(_ animated: Bool) {}
    /// Informs the controller that it is shown. From now on it may ask the user.
    open func viewDidAppear(_ animated: Bool) {}
    /// Informs the controller that its action has ended.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Informs the controller that it has disappeared, after ``viewWillDisappear(_:)``.
    open func viewDidDisappear(_ animated: Bool) {}
}
