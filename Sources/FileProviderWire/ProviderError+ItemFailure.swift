import ItemValues

extension ProviderError {
    /// Creates the failure from its recorded form. A kind that only another version of Purvey has is transient.
    package init(_ recorded: ItemFailure) {
        self.init(
            Kind(rawValue: recorded.kind) ?? .transient, message: recorded.message, domain: recorded.domain,
            code: recorded.code, collidingItem: recorded.collidingItem, suggestion: recorded.suggestion)
    }

    /// The failure in the form that is recorded with an item.
    package var recorded: ItemFailure {
        ItemFailure(
            kind: kind.rawValue, domain: domain, code: code, message: message, collidingItem: collidingItem,
            suggestion: suggestion)
    }
}

extension ProviderItem {
    /// The failure of the item's last upload, as the provider reports it.
    package var uploadingError: ProviderError? {
        get { uploadFailure.map { ProviderError($0) } }
        set { uploadFailure = newValue?.recorded }
    }
}
