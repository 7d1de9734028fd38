import FileProvider
import FileProviderWire
import ItemStore

/// The progress of a domain's edits towards the provider.
package struct EditStatus: Sendable, Equatable {
    /// An item with edits that the provider has not confirmed.
    package struct Item: Sendable, Equatable {
        package var number: ItemNumber
        package var name: String
        package var changes: LocalChanges
        /// Whether a request is running at the provider, or the provider has accepted the edit and its service does not
        /// have it yet.
        package var isUnderWay: Bool
        /// The number of bytes that the service has, and the total number, as the provider reports them; 0 if the
        /// provider reports nothing.
        package var sent: Int64
        package var total: Int64
        /// The failure of the last attempt to send the edit.
        package var failure: ProviderError?
        /// Whether the edit is parked: the engine does not retry it before ``DomainEngine/retry()``.
        package var isHeld: Bool
    }

    package var items: [Item] = []
    package var events: [EditEvent] = []
}

extension ProviderError {
    /// Whether a retry is useless before the user has acted.
    package var needsUser: Bool {
        switch kind {
        case .notAuthenticated, .insufficientQuota, .cannotSynchronize, .disabled, .unsupported, .notPermitted,
            .deletionRejected:
            true
        case .transient, .serverUnreachable, .noSuchItem, .expired, .filenameCollision, .directoryNotEmpty, .cancelled,
            .processEnded, .badAnswer, .noSpace:
            false
        }
    }
}
