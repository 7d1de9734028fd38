import ItemProvider

extension ExchangeError {
    /// The error of a load that could not be requested from its provider.
    var loadError: any Error {
        switch self {
        case .noSuchItem: ItemProviderError.providerIsGone()
        case .cancelled: ItemProviderError.cancelled()
        case .daemonUnavailable, .refused, .interrupted:
            ItemProviderError.make(.itemUnavailableError, description)
        }
    }
}
