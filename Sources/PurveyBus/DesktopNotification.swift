import DomainMessages

/// A notification of the desktop, shown through the interface `org.freedesktop.Notifications`.
struct DesktopNotification: Sendable, Equatable {
    let summary: String
    /// The text. The desktop may interpret markup in it.
    let body: String

    /// The name of the service, and of its interface.
    static let service = "org.freedesktop.Notifications"
    static let path = "/org/freedesktop/Notifications"

    /// Returns the notification that a domain needs a sign-in.
    static func signIn(to domain: String) -> DesktopNotification {
        DesktopNotification(
            summary: "\(domain): sign in",
            body: escaped("Sign in: purvey sign-in \(domain.shellWord)\nEdits wait until then, and are kept."))
    }

    /// The arguments of the method `Notify`.
    var arguments: [BusValue] {
        [
            .string("Purvey"), .unsigned(0), .string("dialog-password"), .string(summary), .string(body), .strings([]),
            .properties([]), .signed(-1),
        ]
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}
