import FileProvider
import Foundation

/// The domain's state, which two files in the test's directory control. `userInfo` contains the text of the file
/// `plan`, and the used and available bytes from the file `quota`. The lengths of the texts determine the version.
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
