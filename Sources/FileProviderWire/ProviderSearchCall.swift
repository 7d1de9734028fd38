import Conduit

/// A request to search at the provider's service. The provider reports the number of results so far as progress.
/// Cancelling the request ends the search.
package struct ProviderSearchCall: ProviderCall, SchemaMessage {
    package typealias Value = ProviderSearchResults
    package typealias Reply = ProviderReply<ProviderSearchResults>
    package static var method: UInt64 { 60 }
    /// The text that the user searches for.
    package let query: String
    /// The maximum number of results that the client can use.
    package let limit: Int

    /// The maximum number of results of one search.
    package static let mostResults = 1000
    /// The maximum number of results in one page.
    package static let mostOfPage = 500
    /// The maximum number of bytes of a query.
    package static let longestQuery = 1000

    package init(query: String, limit: Int) {
        self.query = query
        self.limit = limit
    }

    package static let schema = Schema(Self.init, Field(0, \.query), Field(1, \.limit))
        .checked { call throws(MessageError) in
            let length = call.query.utf8.count
            guard length <= longestQuery else { throw .invalid("a query of \(length) bytes") }
            guard 1...mostResults ~= call.limit else { throw .invalid("a search for \(call.limit) results") }
        }
}

/// The results of a search, the best first, without duplicates.
package struct ProviderSearchResults: SchemaMessage, Equatable {
    package var results: [ProviderSearchResult]
    /// Whether the search ended early, because it took too long.
    package var isCutShort: Bool

    package init(results: [ProviderSearchResult], isCutShort: Bool = false) {
        self.results = results
        self.isCutShort = isCutShort
    }

    package static let schema = Schema(Self.init, Field(0, \.results), Field(1, \.isCutShort))
}

/// An item that the provider's service found.
package struct ProviderSearchResult: SchemaMessage, Equatable {
    package var identifier: String
    /// The name as the provider reported it. It may not be a valid file name.
    package var filename: String
    /// The type's identifier.
    package var contentType: String
    /// The size in bytes; `nil` if the provider does not know it.
    package var size: Int64?
    /// The date of creation, in seconds since 1970. The following dates are in seconds since 1970, too.
    package var created: Double?
    package var modified: Double?
    package var lastUsed: Double?

    package init(
        identifier: String, filename: String, contentType: String, size: Int64? = nil, created: Double? = nil,
        modified: Double? = nil, lastUsed: Double? = nil
    ) {
        self.identifier = identifier
        self.filename = filename
        self.contentType = contentType
        self.size = size
        self.created = created
        self.modified = modified
        self.lastUsed = lastUsed
    }

    package static let schema = Schema(
        Self.init, Field(0, \.identifier), Field(1, \.filename), Field(2, \.contentType), Field(3, \.size),
        Field(4, \.created), Field(5, \.modified), Field(6, \.lastUsed))
}
