import Conduit

/// The purpose for which a provider's user interface is started.
package enum InterfacePurpose: Message {
    /// An action with items that the user chose.
    case action(String, items: [String])
    /// A failure of the provider, which the user is to resolve.
    case failure(ProviderError)

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
