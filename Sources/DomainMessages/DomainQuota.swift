import Conduit

/// The user's quota at a service, as its provider reports it.
package struct DomainQuota: SchemaMessage, Equatable {
    /// The bytes that are stored; `nil` if the provider does not report it.
    package let used: Int64?
    /// The bytes that can still be written; `nil` if the service limits nothing, or the provider does not report it.
    package let available: Int64?

    package init(used: Int64?, available: Int64?) {
        self.used = used
        self.available = available
    }

    package static let schema = Schema(Self.init, Field(0, \.used), Field(1, \.available))

    /// The total number of bytes that the service permits; `nil` if the total is unknown or unlimited.
    package var total: Int64? {
        guard let used, let available else { return nil }
        let (sum, isTooLarge) = used.addingReportingOverflow(available)
        return isTooLarge ? .max : sum
    }

    /// The fraction of the quota that is in use, from 0 to 1; `nil` if the quota is unknown or unlimited.
    package var fraction: Double? {
        guard let used, let total, total > 0 else { return nil }
        return min(max(Double(used) / Double(total), 0), 1)
    }

    /// A text for the user, such as “1.2 GiB of 5 GiB used”; `nil` if nothing is known.
    package var words: String? {
        switch (used, available) {
        case (let used?, nil): "\(ByteCount.text(used)) used"
        case (let used?, _?): "\(ByteCount.text(used)) of \(ByteCount.text(total ?? used)) used"
        case (nil, let available?): "\(ByteCount.text(available)) free"
        case (nil, nil): nil
        }
    }
}
