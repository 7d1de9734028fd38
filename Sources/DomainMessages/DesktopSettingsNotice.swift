import Conduit

/// The settings of the desktop that concern transfers, which `purvey-bus` sends to the daemon, at first and then after
/// each change.
package struct DesktopSettingsNotice: Notice, SchemaMessage, Equatable {
    package static var method: UInt64 { DomainMethod.desktopSettings }

    /// The environment variables for the proxies, `NAME=value`. They may contain a password, and must not be logged.
    package let proxies: [String]
    /// Whether the network is metered, or may be.
    package let isMetered: Bool

    package init(proxies: [String], isMetered: Bool) {
        self.proxies = proxies
        self.isMetered = isMetered
    }

    package static let schema = Schema(Self.init, Field(0, \.proxies), Field(1, \.isMetered))
}
