import Conduit

/// A request to end the processes of a provider that was installed anew. The next request starts the new version.
package struct RenewProviderCall: Call {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.renewProvider }
    /// The extension's identifier.
    package let provider: String

    package init(provider: String) { self.provider = provider }

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        provider = try decoder.decode(forKey: 0)
    }

    package func encode(to encoder: inout MessageEncoder) { encoder.encode(provider, forKey: 0) }
}
