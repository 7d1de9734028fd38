import Conduit

/// The settings of the desktop that concern transfers. `purvey-bus` sends them to the daemon when it starts and after
/// each change.
package struct DesktopSettingsNotice: Notice, SchemaMessage, Equatable {
    package static var method: UInt64 { DomainMethod.desktopSettings }

    /// The environment variables for the proxies, each as `NAME=value`. They may contain a password and must not be
    /// logged.
    package let proxies: [String]
    /// Whether the network is metered, or may be metered.
    package let isMetered: Bool

    package init(proxies: [String], isMetered: Bool) {
        self.proxies = proxies
        self.isMetered = isMetered
    }

    package static let schema = Schema(Self.init, Field(0, \.proxies), Field(1, \.isMetered))
}
