import Conduit

/// The user's quota at the service of a domain, as the domain's provider reports it.
package struct DomainQuota: SchemaMessage, Equatable {
    /// The number of bytes that are stored at the service; `nil` if the provider does not report it.
    package let used: Int64?
    /// The number of bytes that can still be stored; `nil` if the service has no limit, or if the provider does not
    /// report it.
    package let available: Int64?

    package init(used: Int64?, available: Int64?) {
        self.used = used
        self.available = available
    }

    package static let schema = Schema(Self.init, Field(0, \.used), Field(1, \.available))

    /// The number of bytes that the service permits in total; `nil` if it is unknown or unlimited.
    package var total: Int64? {
        guard let used, let available else { return nil }
        let (sum, isTooLarge) = used.addingReportingOverflow(available)
        return isTooLarge ? .max : sum
    }

    /// The fraction of the quota that is used, from 0 to 1; `nil` if the quota is unknown or unlimited.
    package var fraction: Double? {
        guard let used, let total, total > 0 else { return nil }
        return min(max(Double(used) / Double(total), 0), 1)
    }

    /// A text for the user, such as “1.2 GiB of 5 GiB used”; `nil` if the provider reports nothing.
    package var words: String? {
        switch (used, available) {
        case (let used?, nil): "\(ByteCount.text(used)) used"
        case (let used?, _?): "\(ByteCount.text(used)) of \(ByteCount.text(total ?? used)) used"
        case (nil, let available?): "\(ByteCount.text(available)) free"
        case (nil, nil): nil
        }
    }
}
