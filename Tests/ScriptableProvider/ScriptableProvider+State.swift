import FileProvider
import Foundation

/// What the test leaves in the folder for the extension: a file `plan` has what the domain's `userInfo` says. Every byte of it makes
/// another version.
extension ScriptableProvider: NSFileProviderDomainState {
    private var plan: String { (try? String(contentsOfFile: folder + "/plan", encoding: .utf8)) ?? "" }

    var domainVersion: NSFileProviderDomainVersion {
        plan.utf8.reduce(NSFileProviderDomainVersion()) { version, _ in version.next() }
    }

    var userInfo: [AnyHashable: Any] { ["plan": plan] }
}
