import FileProvider
import Foundation

/// The domain's state, controlled by a file `plan` in the test's directory: its text is in the domain's `userInfo`,
/// and its length in bytes determines the version.
extension ScriptableProvider: NSFileProviderDomainState {
    private var plan: String { (try? String(contentsOfFile: folder + "/plan", encoding: .utf8)) ?? "" }

    var domainVersion: NSFileProviderDomainVersion {
        plan.utf8.reduce(NSFileProviderDomainVersion()) { version, _ in version.next() }
    }

    var userInfo: [AnyHashable: Any] { ["plan": plan] }
}
