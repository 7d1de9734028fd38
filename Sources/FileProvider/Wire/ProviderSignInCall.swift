import Conduit

/// A request to sign in with a password.
package struct ProviderSignInCall: ProviderCall {
    package typealias Value = Empty
    package typealias Reply = ProviderReply<Empty>
    package static var method: UInt64 { 32 }
    package let password: String

    package init(password: String) {
        self.password = password
    }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        password = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) {
        encoder.encode(password, forKey: 0)
    }
}
