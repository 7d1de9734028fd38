import Conduit

/// A request to end the processes of a provider that was installed anew. The next request starts the new version.
package struct RenewProviderCall: Call, SchemaMessage {
    package typealias Reply = Empty
    package static var method: UInt64 { DomainMethod.renewProvider }
    /// The extension's identifier.
    package let provider: String

    package init(provider: String) { self.provider = provider }

    package static let schema = Schema(Self.init, Field(0, \.provider))
}
