import Conduit

/// What a provider's user interface is wanted for.
package enum InterfacePurpose: Message {
    /// A person wants an action with items.
    case action(String, items: [String])
    /// The provider has refused something.
    case failure(ProviderFailure)

    package init(from decoder: inout MessageDecoder) throws(MessageError) {
        if let action = try decoder.decodeIfPresent(String.self, forKey: 0) {
            self = .action(action, items: try decoder.decode(forKey: 1))
        } else {
            self = .failure(try decoder.decode(forKey: 2))
        }
    }

    package func encode(to encoder: inout MessageEncoder) {
        switch self {
        case .action(let action, let items):
            encoder.encode(action, forKey: 0)
            encoder.encode(items, forKey: 1)
        case .failure(let failure): encoder.encode(failure, forKey: 2)
        }
    }
}
