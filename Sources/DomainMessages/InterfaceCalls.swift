import Conduit
import FileProviderWire

/// A request for the parameters with which the client can start a provider's user interface. The daemon does not start
/// user interfaces itself.
package struct DescribeInterfaceCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.describeInterface }

    /// The reason for starting the user interface.
    package enum Subject: SchemaMessage {
        case action(String, ItemPlace)
        /// The user is to sign in to the service of the given domain.
        case signIn(domain: String)

        package static let schema = Schema<Subject>(tag: nil) {
            Case(0, Self.signIn, Field(0, \.self)) { if case .signIn(let domain) = $0 { domain } else { nil } }
            Case(1, Self.action, Field(1, \.0), Field(2, \.1)) {
                if case .action(let action, let place) = $0 { (action, place) } else { nil }
            }
        }
    }

    package let subject: Subject

    package init(subject: Subject) { self.subject = subject }

    package static let schema = Schema(Self.init, Field(0, \.subject))

    package struct Reply: SchemaMessage {
        /// The user interface and its parameters; `nil` if the provider has no user interface for signing in.
        package let interface: InterfaceDescription?

        package init(interface: InterfaceDescription?) { self.interface = interface }

        package static let schema = Schema(Self.init, Field(0, \.interface))
    }
}

/// A provider's user interface, and the parameters with which it is started.
package struct InterfaceDescription: SchemaMessage {
    /// The name of the domain for which the user interface is started.
    package let domain: String
    /// The identifier of the user interface extension.
    package let identifier: String
    /// The parameters of the domain. The provider's own process gets the same.
    package let place: BeginProviderCall
    package let purpose: InterfacePurpose
    /// The maximum run time of the user interface in seconds. Time during which it waits for the user does not count.
    package let timeLimit: Int
    /// Whether the user interface shows windows. If so, the client connects it to the user's display.
    package let showsWindows: Bool

    package init(
        domain: String, identifier: String, place: BeginProviderCall, purpose: InterfacePurpose, timeLimit: Int,
        showsWindows: Bool
    ) {
        self.domain = domain
        self.identifier = identifier
        self.place = place
        self.purpose = purpose
        self.timeLimit = timeLimit
        self.showsWindows = showsWindows
    }

    package static let schema = Schema(
        Self.init, Field(0, \.domain), Field(1, \.identifier), Field(2, \.place), Field(3, \.purpose),
        Field(4, \.timeLimit), Field(5, \.showsWindows))
}

/// A request to record that a sign-in through a provider's own user interface failed.
package struct NoteFailedSignInCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.noteFailedSignIn }
    /// The name of the domain.
    package let domain: String
    /// The reason of the failure, in a sentence for the user.
    package let reason: String

    /// The maximum number of bytes of a reason. A longer one is truncated.
    private static let longestReason = 4096

    package init(domain: String, reason: String) {
        self.domain = domain
        self.reason = reason.shortened(toBytes: Self.longestReason)
    }

    package static let schema = Schema(Self.init, Field(0, \.domain), Field(1, \.reason))
}
