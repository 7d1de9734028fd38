import AppExtension
import Foundation
import Synchronization

/// Records the notifications that an extension's host sends between requests.
final class Witness: Sendable {
    static let shared = Witness()

    private let held = Mutex<NSExtensionContext?>(nil)
    private let observed = Mutex<[String]>([])
    private let arrived = DispatchSemaphore(value: 0)

    /// Starts to observe the host's notifications.
    func observe() {
        for name: NSNotification.Name in [
            .NSExtensionHostWillEnterForeground, .NSExtensionHostDidEnterBackground,
            .NSExtensionHostWillResignActive, .NSExtensionHostDidBecomeActive,
        ] {
            _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { notification in
                self.observed.withLock { $0.append(notification.name.rawValue) }
                self.arrived.signal()
            }
        }
    }

    /// The name of the next notification. Waits for it for up to five minutes; "none" if none has arrived by then.
    var notification: String {
        guard arrived.wait(timeout: .now() + 300) == .success else { return "none" }
        return observed.withLock { $0.removeFirst() }
    }

    func hold(_ context: NSExtensionContext) { held.withLock { $0 = context } }

    var isHolding: Bool { held.withLock { $0 != nil } }

    /// Completes the stored request, and passes on the argument of its completion handler.
    func letGo(_ answer: @escaping @Sendable (Bool) -> Void) {
        let context = held.withLock { held in
            defer { held = nil }
            return held
        }
        context?.completeRequest(returningItems: nil, completionHandler: answer)
    }
}
