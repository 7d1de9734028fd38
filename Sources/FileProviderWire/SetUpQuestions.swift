import Conduit

// The requests with which a set-up asks for the user's input. A provider's process sends them to the daemon. The daemon
// forwards them, as the same messages on another connection, to the command that the user runs. The replies, which may
// contain a password, return through the daemon.

/// A request to ask the user for a name and a password.
package struct SetUpCredentialsCall: Call, SchemaMessage {
    package static var method: UInt64 { 70 }
    package let server: String
    /// The user's name, if it is already known; otherwise `nil`.
    package let user: String?

    package init(server: String, user: String?) {
        self.server = server
        self.user = user
    }

    package static let schema = Schema(Self.init, Field(0, \.server), Field(1, \.user))

    package struct Reply: SchemaMessage {
        package let user: String
        package let password: String

        package init(user: String, password: String) {
            self.user = user
            self.password = password
        }

        package static let schema = Schema(Self.init, Field(0, \.user), Field(1, \.password))
    }
}

/// A request to show a link to the user.
package struct SetUpOpenCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 71 }
    package let link: String
    package let message: String

    package init(link: String, message: String) {
        self.link = link
        self.message = message
    }

    package static let schema = Schema(Self.init, Field(0, \.link), Field(1, \.message))
}

/// A notice with a line of text for the user.
package struct SetUpReportNotice: Notice, SchemaMessage {
    package static var method: UInt64 { 70 }
    package let line: String

    package init(line: String) { self.line = line }

    package static let schema = Schema(Self.init, Field(0, \.line))
}

/// A request that the command sends to the daemon after the set-up. The daemon sends the reports and this reply over
/// the same connection, so when the reply arrives, the command has received all reports.
package struct SetUpFlushCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { 72 }

    package init() {}
    package static let schema = Schema(Self.init)
}

/// The failure of a request for the user's input. Either the request could not be shown to the user, or the user did
/// not complete it.
package enum SetUpFault {
    package static let domain = "PurveySetUp"

    package enum Code: Int64, Sendable {
        /// The user interrupted the command.
        case interrupted = 1
        /// There is no terminal on which to ask, and no option of the command supplies the input.
        case unasked = 2
    }

    /// Returns the failure in the form that is sent to the process which requested the input.
    package static func remote(_ code: Code, _ message: String) -> RemoteError {
        RemoteError(domain: domain, code: code.rawValue, message: message)
    }
}
