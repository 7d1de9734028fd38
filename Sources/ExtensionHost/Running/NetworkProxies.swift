import Foundation
import LinuxSystem

/// The proxies that extensions with network access find in their environment. They are the proxies in this process's
/// environment, if it names any; otherwise, the proxies of the desktop. They may contain a password, and must not be
/// logged.
package enum NetworkProxies {
    private static let addresses = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    private static let exceptions = ["no_proxy", "NO_PROXY"]

    // Leaf lock.
    private static let desktop = Lock<[String]>([])

    /// Sets the proxies of the desktop, as `NAME=value`. Running processes keep their proxies.
    ///
    /// - Returns: whether new processes get other proxies than before.
    package static func setDesktop(_ variables: [String]) -> Bool {
        let before = current
        desktop.withLock { $0 = variables }
        return current != before
    }

    /// The variables for new processes.
    static var current: [String] {
        variables(in: ProcessInfo.processInfo.environment, desktop: desktop.withLock { $0 })
    }

    /// Returns the variables for new processes.
    ///
    /// - Parameter environment: if it names a proxy, the desktop's proxies do not count.
    package static func variables(in environment: [String: String], desktop: [String]) -> [String] {
        func own(_ names: [String]) -> [String] {
            names.compactMap { name in environment[name].flatMap { $0.isEmpty ? nil : "\(name)=\($0)" } }
        }
        let proxies = own(addresses)
        if !proxies.isEmpty { return proxies + own(exceptions) }
        let isKnown = { (variable: String) in
            let name = variable.prefix { $0 != "=" }
            return name.count < variable.count && (addresses + exceptions).contains(String(name))
                && !variable.contains("\0")
        }
        return desktop.filter(isKnown)
    }
}
