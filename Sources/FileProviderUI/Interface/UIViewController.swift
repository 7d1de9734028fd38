import Foundation

/// The part of UIKit's view controllers that exists on Linux. It has no views. The controllers of a provider's user
/// interface ask the user with a ``FileProviderPrompt``. The controllers of other programs present controllers that
/// open a window themselves, such as a document picker. The methods are called in UIKit's order, on the main thread.
///
/// Source: UIKit, `UIViewController.h`.
@MainActor open class UIViewController: NSObject {
    /// The title of the controller's contents.
    open var title: String?
    /// The form in which the controller is presented. On Linux, it has no effect.
    open var modalPresentationStyle = UIModalPresentationStyle.automatic
    /// The controller that this one presents, if any.
    open private(set) var presentedViewController: UIViewController?
    /// The controller that presents this one, if any.
    open private(set) weak var presentingViewController: UIViewController?
    private var isLoaded = false

    /// Creates a controller. The system creates one for each action.
    public nonisolated override init() { super.init() }

    /// Prepares the controller. Called once, before it is shown.
    open func viewDidLoad() {}
    /// Informs the controller that it is about to be shown.
    open func viewWillAppear(_ animated: Bool) {}
    /// Informs the controller that it is shown. From this call on, it may ask the user.
    open func viewDidAppear(_ animated: Bool) {}
    /// Informs the controller that its action has ended.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Informs the controller that it has disappeared, after ``viewWillDisappear(_:)``.
    open func viewDidDisappear(_ animated: Bool) {}

    /// Shows a controller over this one. Does nothing if this controller presents another one already.
    ///
    /// - Parameter completion: called after the controller has appeared.
    open func present(
        _ viewControllerToPresent: UIViewController, animated flag: Bool, completion: (@MainActor () -> Void)? = nil
    ) {
        guard presentedViewController == nil, viewControllerToPresent.presentingViewController == nil else { return }
        presentedViewController = viewControllerToPresent
        viewControllerToPresent.presentingViewController = self
        viewControllerToPresent.appear(flag)
        completion?()
    }

    /// Dismisses the controller that this controller presents. If it presents none, dismisses this controller itself.
    ///
    /// - Parameter completion: called after the controller has disappeared.
    open func dismiss(animated flag: Bool, completion: (@MainActor () -> Void)? = nil) {
        guard let presented = presentedViewController else {
            if let presenting = presentingViewController {
                presenting.dismiss(animated: flag, completion: completion)
            } else {
                completion?()
            }
            return
        }
        presented.dismissPresented(flag)
        presentedViewController = nil
        presented.presentingViewController = nil
        presented.viewWillDisappear(flag)
        presented.viewDidDisappear(flag)
        completion?()
    }

    private func dismissPresented(_ animated: Bool) {
        if presentedViewController != nil { dismiss(animated: animated) }
    }

    private func appear(_ animated: Bool) {
        if !isLoaded {
            isLoaded = true
            viewDidLoad()
        }
        viewWillAppear(animated)
        viewDidAppear(animated)
    }
}

/// The form of a presented controller. On Linux, it has no effect.
///
/// Source: UIKit, `UIViewController.h`.
public enum UIModalPresentationStyle: Int, Sendable {
    case fullScreen = 0
    case pageSheet = 1
    case formSheet = 2
    case currentContext = 3
    case overFullScreen = 5
    case overCurrentContext = 6
    case popover = 7
    case none = -1
    case automatic = -2
}
