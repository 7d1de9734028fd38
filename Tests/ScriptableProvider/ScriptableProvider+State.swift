import FileProvider
import Foundation

/// The domain's state, controlled by two files in the test's directory: the text of `plan` is in the domain's
/// `userInfo`, and so are the bytes that `quota` says are used and available. Their lengths determine the version.
extension ScriptableProvider: NSFileProviderDomainState {
    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
    }

    var domainVersion: NSFileProviderDomainVersion {
        (text("plan") + text("quota")).utf8.reduce(NSFileProviderDomainVersion()) { version, _ in version.next() }
    }

    var userInfo: [AnyHashable: Any] {
        var values: [AnyHashable: Any] = ["plan": text("plan")]
        let quota = text("quota").split(separator: " ").compactMap { Int($0) }
        if quota.count == 2 {
            values[NSFileProviderDomain.quotaUsedKey] = NSNumber(value: quota[0])
            values[NSFileProviderDomain.quotaAvailableKey] = NSNumber(value: quota[1])
        }
        return values
    }
}
