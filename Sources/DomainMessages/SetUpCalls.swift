import Conduit
import LinuxSystem

/// A request to sign in to the service of a domain through the provider's set-up. Work that waits for the sign-in then
/// continues.
package struct SetUpSignInCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.setUpSignIn }
    package let name: String
    /// The socket over which the provider's set-up asks the user for input.
    package let questions: FileDescriptor

    package init(name: String, questions: FileDescriptor) {
        self.name = name
        self.questions = questions
    }

    package static let schema = Schema(Self.init, Field(0, \.name), Field(1, \.questions))

    package struct Reply: SchemaMessage {
        /// Whether the provider supports setting up domains. If `false`, the user signs in to its service in another
        /// way.
        package let isServed: Bool

        package init(isServed: Bool) { self.isServed = isServed }

        package static let schema = Schema(Self.init, Field(0, \.isServed))
    }
}

/// A request for the activity of one domain, and for the provider's description of the domain's service.
package struct DescribeDomainCall: Call, SchemaMessage {
    package static var method: UInt64 { DomainMethod.describeDomain }
    package let name: String

    package init(name: String) { self.name = name }

    package static let schema = Schema(Self.init, Field(0, \.name))

    package struct Reply: SchemaMessage {
        package let activity: DomainActivity
        /// The lines in which the provider describes its service.
        package let findings: [String]

        package init(activity: DomainActivity, findings: [String]) {
            self.activity = activity
            self.findings = findings
        }

        package static let schema = Schema(Self.init, Field(0, \.activity), Field(1, \.findings))
    }
}

/// A request to pause or to resume the background transfers of domains.
package struct PauseDomainsCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.pause }
    /// The names of the domains; empty for all domains.
    package let names: [String]
    package let isPaused: Bool

    package init(names: [String], isPaused: Bool) {
        self.names = names
        self.isPaused = isPaused
    }

    package static let schema = Schema(Self.init, Field(0, \.names), Field(1, \.isPaused))
}
