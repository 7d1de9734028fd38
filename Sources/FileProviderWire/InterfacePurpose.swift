import Conduit

/// The purpose for which a provider's user interface is started.
package enum InterfacePurpose: SchemaMessage {
    /// The user chose the custom action with the given identifier for the items with the given identifiers.
    case action(String, items: [String])
    /// The provider failed in the given way, and the user is to resolve the failure.
    case failure(ProviderError)

    package static let schema = Schema<InterfacePurpose>(tag: nil) {
        Case(0, Self.action, Field(0, \.0), Field(1, \.1)) {
            if case .action(let action, let items) = $0 { (action, items) } else { nil }
        }
        Case(2, Self.failure, Field(2, \.self)) { if case .failure(let failure) = $0 { failure } else { nil } }
    }
}
