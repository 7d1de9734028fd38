import Conduit

/// A request to sign in with a password.
package struct ProviderSignInCall: ProviderCall, SchemaMessage {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 32 }
    package let password: String

    package init(password: String) {
        self.password = password
    }

    package static let schema = Schema(Self.init, Field(0, \.password))
}
