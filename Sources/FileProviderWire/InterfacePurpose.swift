import Conduit

/// The purpose for which a provider's user interface is started.
package enum InterfacePurpose: SchemaMessage {
    /// An action with items that the user chose.
    case action(String, items: [String])
    /// A failure of the provider, which the user is to resolve.
    case failure(ProviderError)

    package static let schema = Schema<InterfacePurpose>(tag: nil) {
        Case(0, Self.action, Field(0, \.0), Field(1, \.1)) {
            if case .action(let action, let items) = $0 { (action, items) } else { nil }
        }
        Case(2, Self.failure, Field(2, \.self)) { if case .failure(let failure) = $0 { failure } else { nil } }
    }
}
