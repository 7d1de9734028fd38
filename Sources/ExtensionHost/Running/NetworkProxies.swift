import Foundation
import LinuxSystem

/// The proxy variables in the environment of extensions with network access. They come from this process's environment
/// if that names a proxy, and otherwise from the settings of the desktop. The values may contain a password, and must
/// not be logged.
package enum NetworkProxies {
    private static let addresses = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
    private static let exceptions = ["no_proxy", "NO_PROXY"]

    // Leaf lock.
    private static let desktop = Lock<[String]>([])

    /// Sets the proxy variables that correspond to the desktop's settings, as `NAME=value`. Processes that are running
    /// do not get the new values.
    ///
    /// - Returns: whether processes that are started from now on get other values than before.
    package static func setDesktop(_ variables: [String]) -> Bool {
        let before = current
        desktop.withLock { $0 = variables }
        return current != before
    }

    /// The proxy variables for processes that are started now.
    static var current: [String] {
        variables(in: ProcessInfo.processInfo.environment, desktop: desktop.withLock { $0 })
    }

    /// Returns the proxy variables for processes that are started with the given environment and desktop settings.
    ///
    /// - Parameter environment: this process's environment. If it names a proxy, the desktop's settings are ignored.
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
